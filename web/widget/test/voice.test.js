// What the chat makes of a voice call: its states, captions, and how it ends. The library is played by the test.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import { serveFrames } from "./frame-server.js";
import { openState } from "./frames.js";
import { openKit, startKit } from "./kit.js";
import { isWanted } from "./problems.js";
import { looks, states } from "./states.js";

describe("a voice call", { skip }, () => {
  let kit, browser, page;
  before(async () => {
    [kit, browser] = await Promise.all([startKit(), launch()]);
    page = await openKit(browser, kit);
    await page.evaluate(() => {
      /** Makes a call with a library whose events `tell` fires. */
      const session = async () => ({ participantToken: "t", conversationId: "c1" });
      window.newCall = async ({ connect = async () => {}, stream = {}, begin = session } = {}) => {
        const listeners = {};
        const voice = {
          isMuted: false, localAudioStream: stream, connect, sent: [], left: 0,
          on: (name, act) => ((listeners[name] = act), () => {}),
          mute: async () => void (voice.isMuted = true),
          unmute: async () => void (voice.isMuted = false),
          sendText: async (text) => (text === "no" ? Promise.reject(new Error("no")) : void voice.sent.push(text)),
          disconnect: async () => void voice.left++,
        };
        const call = new kit.Call({ load: async () => voice, begin, explain: () => "voice.busy" });
        const started = call.start();
        const tell = (name, value) => listeners[name](value);
        await started;
        return { call, voice, tell, now: () => [call.state.value, call.problem.value, call.end.value] };
      };
    });
  });
  after(async () => {
    await browser?.close();
    kit?.stop();
  });

  test("it connects, listens, thinks, speaks and ends with a reason in words", async () => {
    const seen = await page.evaluate(async () => {
      const { call, tell, now } = await newCall();
      const states = ["initializing", "listening", "thinking", "speaking"].map((state) => (tell("agentState", state), call.state.value));
      tell("connectionState", "reconnecting");
      const lost = now();
      tell("connectionState", "connected");
      const back = now();
      tell("sessionEnd", "max_duration");
      tell("agentState", "speaking");
      const spent = await newCall();
      spent.tell("sessionEnd", "credits");
      return { states, lost, back, end: now(), spent: spent.now(), conversation: call.conversationId };
    });
    assert.deepEqual(seen.states, ["connecting", "listening", "thinking", "speaking"]);
    assert.deepEqual([seen.lost[1], seen.back[1]], ["voice.reconnecting", ""]);
    assert.deepEqual([seen.end, seen.conversation], [["ended", "", "voice.endedDuration"], "c1"]);
    assert.deepEqual(seen.spent, ["ended", "", "voice.endedCredits"]);
  });

  test("captions grow, are replaced and go, each in its place", async () => {
    const texts = await page.evaluate(async () => {
      const { call, tell } = await newCall();
      const say = (speaker, segmentId, text) => tell("transcript", { speaker, segmentId, text });
      say("user", "1", "Where");
      say("assistant", "1", "On Mon");
      say("user", "1", "Where is it?");
      say("assistant", "1", "On Monday.");
      say("assistant", "2", "And");
      say("assistant", "2", "");
      return call.segments.value.map((s) => `${s.speaker}: ${s.text}`);
    });
    assert.deepEqual(texts, ["user: Where is it?", "assistant: On Monday."]);
  });

  test("without a microphone one writes; what is not sent is said", async () => {
    const seen = await page.evaluate(async () => {
      const { call, voice, tell } = await newCall({ stream: null });
      tell("error", Object.assign(new Error(""), { name: "MicrophoneError" }));
      const refused = [call.hasMicrophone.value, call.problem.value];
      const written = [await call.write("hello"), await call.write("no"), call.problem.value];
      return { refused, written, sent: voice.sent };
    });
    assert.deepEqual(seen, {
      refused: [false, "voice.microphoneRefused"], written: [true, false, "voice.writeFailed"], sent: ["hello"],
    });
  });

  test("muting, hanging up, and calls that are never made", async () => {
    const seen = await page.evaluate(async () => {
      const { call, voice, now } = await newCall();
      await call.toggleMicrophone();
      const muted = [call.isMuted.value, call.stream];
      await call.toggleMicrophone();
      const heard = call.isMuted.value;
      call.hangUp();
      call.hangUp();
      const fail = async () => Promise.reject(new Error("no"));
      const [busy, lost] = [await newCall({ begin: fail }), await newCall({ connect: fail })];
      return { muted, heard, end: now(), left: voice.left > 0, busy: busy.now()[2], lost: lost.now()[2] };
    });
    assert.deepEqual(seen, {
      muted: [true, null], heard: false, end: ["ended", "", "voice.ended"], left: true, busy: "voice.busy", lost: "voice.connectFailed",
    });
    assert.deepEqual(page.problems, []);
  });
});

describe("the window of the chat is closed", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });
  const close = (state, role, name, use) =>
    openState(browser, server, { ...state, stored: {}, site: {} }, looks.light, async (page, chat) => {
      const part = chat.getByRole(role, { name });
      assert.equal(await part.count(), 1);
      await page.evaluate(() => window.chatbase.close());
      await part.waitFor({ state: "detached" });
      await use?.(chat);
      await page.locator("#chatbase-bubble-button").click();
      await chat.getByRole("textbox").waitFor();
      assert.deepEqual(page.problems.filter((problem) => !isWanted(problem)), []);
    });

  test("a call ends: nobody is heard by what is not seen", async () => {
    await close(states.call, "region", "Voice call", async (chat) => {
      assert.equal(await chat.evaluate(() => window.hasHungUp), true);
    });
  });

  test("what is dictated is thrown away", async () => {
    await close(states.dictation, "group", "Dictation");
  });
});
