import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { addressIn, tokenOf } from "../dist/session.js";
import { agentState, connectionState } from "../dist/state.js";
import { microphoneProblem } from "../dist/problem.js";
import * as words from "../dist/words.js";

const token = (claims) => ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "c2ln"].join(".");

test("LiveKit's words become ours", () => {
  assert.deepEqual(["connecting", "connected", "signalReconnecting", "reconnecting", "disconnected"].map(connectionState),
    ["connecting", "connected", "reconnecting", "reconnecting", undefined]);
  assert.deepEqual(["initializing", "idle", "listening", "thinking", "speaking", "dancing", "", undefined].map(agentState),
    ["initializing", "listening", "listening", "thinking", "speaking", undefined, undefined, undefined]);
});

test("a token tells where it is good", () => {
  assert.equal(addressIn(token({ url: "wss://talk.example.com/ü?a=~~~" })), "wss://talk.example.com/ü?a=~~~");
  for (const other of [token({}), token({ url: 7 }), token({ url: "" }), token(null), "no token", "a.b.c", ""]) assert.equal(addressIn(other), undefined);
});

test("a session is given whole or as its token", () => {
  assert.equal(tokenOf({ participantToken: "abc", sessionId: "1" }), "abc");
  assert.equal(tokenOf(" abc\n"), "abc");
  for (const nothing of ["", " ", {}, null, undefined, 7, { participantToken: "" }]) assert.throws(() => tokenOf(nothing), TypeError);
});

test("a microphone's refusal is told in words for people", () => {
  for (const [name, text] of [["NotAllowedError", /may not be used/], ["NotFoundError", /no microphone/], ["NotReadableError", /another program/], ["Else", /could not be opened/]]) {
    const cause = Object.assign(new Error("x"), { name });
    const error = microphoneProblem(cause);
    assert.equal(error.name, "MicrophoneError");
    assert.equal(error.cause, cause);
    assert.match(error.message, text);
    assert.match(error.message, /You can still type/);
  }
});

test("the server has the same words", () => {
  const transport = readFileSync(new URL("../../../internal/voice/rtc/transport.go", import.meta.url), "utf8");
  const nouns = readFileSync(new URL("../../../voice.go", import.meta.url), "utf8");
  const { clientLeft, serverStopped, ...topics } = words;
  for (const word of Object.values(topics)) assert.ok(transport.includes(`"${word}"`), word);
  for (const word of [clientLeft, serverStopped]) assert.ok(nouns.includes(`"${word}"`), word);
});
