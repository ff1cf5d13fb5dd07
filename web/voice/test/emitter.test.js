import assert from "node:assert/strict";
import { test } from "node:test";
import { Emitter } from "../dist/emitter.js";
import { ServiceVoice } from "../dist/index.js";

test("callbacks are called until they are taken off", () => {
  const emitter = new Emitter();
  const heard = [];
  const other = (x) => heard.push(`other ${x}`);
  const unsubscribe = emitter.on("a", (x) => heard.push(`one ${x}`));
  emitter.on("a", other);
  emitter.on("a", other); // the same twice is called once
  emitter.emit("a", 1);
  unsubscribe();
  unsubscribe();
  emitter.emit("a", 2);
  emitter.off("a", other);
  emitter.off("b", other);
  emitter.emit("a", 3);
  assert.deepEqual(heard, ["one 1", "other 1", "other 2"]);
});

test("a callback that throws keeps nobody else from being called, and is reported", (t) => {
  const emitter = new Emitter();
  const heard = [];
  emitter.on("a", () => {
    throw new Error("a fault of the page");
  });
  emitter.on("a", () => heard.push("called"));
  const reporting = t.mock.method(globalThis, "queueMicrotask", () => {});
  emitter.emit("a");
  assert.deepEqual(heard, ["called"]);
  assert.throws(reporting.mock.calls[0].arguments[0], /a fault of the page/); // the page's own handler of errors gets it
});

test("before a session nothing is recorded and nothing can be sent", async () => {
  const voice = new ServiceVoice();
  assert.equal(voice.localAudioStream, null);
  assert.equal(voice.isMuted, false);
  await assert.rejects(voice.sendText("hello"), /no session/);
  await assert.rejects(voice.sendText(" "), TypeError);
  await voice.disconnect();
  await voice.mute();
  assert.equal(voice.isMuted, true);
  await voice.unmute();
  assert.equal(voice.isMuted, false);
  const told = [];
  voice.on("error", (error) => told.push(error.message));
  await assert.rejects(voice.connect(""), /participantToken/); // and no microphone is asked for
  await assert.rejects(voice.connect(`e30.${btoa('{"url":"wss://127.0.0.1"}')}.AAAA`), /need a browser/);
  assert.equal(told.length, 2);
  for (const method of ["connect", "disconnect", "sendText", "mute", "unmute"]) assert.equal(typeof voice[method], "function");
  assert.equal(typeof voice.on("error", () => {}), "function");
});
