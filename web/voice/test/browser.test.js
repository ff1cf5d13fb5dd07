// The library in Chromium, in rooms of the real media server.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, load, open, patience, skip } from "./chromium.js";
import { startRooms } from "./room.js";

describe("in a browser", { skip }, () => {
  let rooms;
  before(async () => (rooms = await startRooms()));
  after(() => rooms?.stop());

  describe("with a microphone", () => {
    let browser;
    before(async () => (browser = await launch()));
    after(() => browser?.close());
    const fresh = () => open(browser, rooms);

    test("a call from its beginning to its end", async () => {
      const page = await fresh();
      await page.evaluate(() => call());
      assert.deepEqual(await page.evaluate(() => [voice.isMuted, voice.localAudioStream.getAudioTracks().map((t) => t.readyState)]), [false, ["live"]]);
      await page.until(() => loud >= 400 && lines().includes("assistant: Hello.") && lines().includes("user: (a sound)"));
      await page.evaluate(() => voice.sendText("Where is it?"));
      await page.until(() => lines().includes("user: Where is it?") && lines().includes("assistant: You wrote: Where is it?"));
      await page.until(() => loud >= 900);
      await page.evaluate(() => voice.disconnect());
      const said = await page.evaluate(() => log);
      assert.deepEqual(said.filter(([name]) => name === "connectionState").map(([, s]) => s), ["connecting", "connected", "disconnected"]);
      const states = said.filter(([name]) => name === "agentState").map(([, s]) => s);
      assert.equal(states[0], "initializing");
      assert.ok(states.includes("speaking"), String(states));
      const greeting = said.filter(([name, t]) => name === "transcript" && t.speaker === "assistant" && "Hello.".startsWith(t.text));
      assert.deepEqual(new Set(greeting.map(([, t]) => t.segmentId)).size, 1);
      assert.deepEqual(said.at(-1), ["sessionEnd", "client_left"]);
      assert.deepEqual(await page.evaluate(() => told("error")), []);
      assert.equal(await page.evaluate(() => voice.localAudioStream), null);
      assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
      await assert.rejects(page.evaluate(async () => voice.connect(await session())), /one session/);
      assert.deepEqual(page.problems, []);
    });

    test("muting keeps the session and tells the agent", async () => {
      const page = await fresh();
      await page.evaluate(() => call());
      await page.until(() => lines().includes("assistant: You can be heard."));
      await page.evaluate(() => voice.mute());
      assert.equal(await page.evaluate(() => voice.isMuted), true);
      await page.until(() => lines().includes("assistant: You cannot be heard."));
      await page.evaluate(() => voice.unmute());
      assert.equal(await page.evaluate(() => voice.isMuted), false);
      await page.until(() => lines().filter((l) => l === "assistant: You can be heard.").length === 2);
      await page.evaluate(() => voice.disconnect());
    });

    test("the server's reason is told once, and the token is of no use after it", async () => {
      const page = await fresh();
      await page.evaluate(async () => (window.token = (window.given = await session()).participantToken, make().connect(token)));
      await page.evaluate(() => voice.sendText("fault: the speech engine is missing"));
      await page.until(() => told("error").some((e) => e.name === "AgentError" && e.message === "the speech engine is missing"));
      await page.evaluate(() => voice.sendText("end: max_duration"));
      await page.until(() => told("sessionEnd").length > 0);
      assert.deepEqual(await page.evaluate(() => [told("sessionEnd"), told("connectionState").at(-1), voice.localAudioStream]), [["max_duration"], "disconnected", null]);
      await assert.rejects(page.evaluate(() => voice.sendText("too late")), /no session/);
      await assert.rejects(page.evaluate(() => make().connect(given)), /The token was refused/);
      assert.deepEqual(await page.evaluate(() => [told("connectionState").at(-1), told("error").at(-1).name]), ["error", "ConnectError"]);
    });

    test("a token is of no use when its time is over, although its room is there", async () => {
      const page = await fresh();
      assert.equal(await page.evaluate(async () => (await fetch(`/rtc/validate?access_token=${(await session()).participantToken}`)).status), 200);
      await page.evaluate(async () => (window.late = await session({ expiresIn: -90 }))); // the media server's clock may be a minute off
      assert.match(await page.evaluate(async () => (await fetch(`/rtc/validate?access_token=${late.participantToken}`)).text()), /exp/);
      await assert.rejects(page.evaluate(() => make().connect(late)), /The token was refused/);
    });

    test("a connection that is not made is told", async () => {
      const page = await fresh();
      const forged = (token) => token.split(".").with(2, "AAAA").join(".");
      const { participantToken } = await page.evaluate(() => session());
      const nowhere = ["e30", Buffer.from("{}").toString("base64url"), "AAAA"].join(".");
      for (const [token, options, message] of [[forged(participantToken), {}, /refused/], [nowhere, {}, /serverUrl/], [nowhere, { serverUrl: "ws://127.0.0.1:9" }, /cannot be reached/], ["", {}, /participantToken/]]) {
        await assert.rejects(page.evaluate(([t, o]) => make(o).connect(t), [token, options]), message);
        assert.equal(await page.evaluate(() => told("connectionState").at(-1)), "error");
        assert.match(await page.evaluate(() => told("error").at(-1).message), message);
      }
    });

    test("after a failure the same instance may try again", async () => {
      const page = await fresh();
      await assert.rejects(page.evaluate(() => make().connect("")));
      await page.evaluate(async () => voice.connect(await session()));
      assert.equal(await page.evaluate(() => told("connectionState").join()), "connecting,error,connecting,connected");
      await page.until(() => lines().includes("assistant: You can be heard."));
      await page.evaluate(() => voice.disconnect());
    });

    test("a call that is left before it is connected ends quietly", async () => {
      const page = await fresh();
      for (const moment of ["at once", "while its socket is opened"]) {
        const failed = await page.evaluate(async (moment) => {
          const given = await session();
          const { WebSocket } = window;
          const opening = new Promise((done) => (window.WebSocket = class extends WebSocket {
            constructor(...args) {
              super(...args);
              done();
            }
          }));
          window.log = [];
          const joined = make().connect(given).catch((e) => e.message);
          if (moment !== "at once") await opening;
          await voice.disconnect();
          window.WebSocket = WebSocket;
          return joined;
        }, moment);
        assert.match(failed, /left before/, moment);
        assert.deepEqual(await page.evaluate(() => [told("connectionState"), told("sessionEnd"), told("error"), voice.localAudioStream]), [["connecting", "disconnected"], [], [], null], moment);
      }
    });

    test("a microphone that goes away leaves text, and another may take its place", async () => {
      const page = await fresh();
      await page.evaluate(() => call());
      await page.until(() => lines().includes("assistant: You can be heard."));
      await page.evaluate(async () => {
        const { mediaDevices } = navigator;
        window.plug = () => delete mediaDevices.getUserMedia;
        mediaDevices.getUserMedia = () => Promise.reject(new DOMException("unplugged", "NotFoundError"));
        const [track] = voice.localAudioStream.getAudioTracks();
        track.stop();
        track.dispatchEvent(new Event("ended")); // as the browser does when the device goes
      });
      await page.until(() => told("error").length > 0);
      assert.deepEqual(await page.evaluate(() => [told("error").map((e) => e.name), voice.isMuted, voice.localAudioStream, told("connectionState").at(-1)]), [["MicrophoneError"], true, null, "connected"]);
      await page.evaluate(() => voice.sendText("I cannot talk any more"));
      await page.until(() => lines().includes("assistant: You wrote: I cannot talk any more"));
      await page.evaluate(() => (plug(), voice.unmute()));
      assert.deepEqual(await page.evaluate(() => [voice.isMuted, voice.localAudioStream.getAudioTracks().length, told("error").length]), [false, 1, 1]);
      await page.until(() => lines().filter((l) => l === "assistant: You can be heard.").length === 2);
      await page.evaluate(() => voice.disconnect());
    });

    test("a page that may go away keeps its call, and one that is loaded again comes back to it", async () => {
      const page = await fresh();
      const given = await page.evaluate(() => session());
      await page.evaluate((s) => make().connect(s), given);
      await page.evaluate(() => dispatchEvent(new Event("beforeunload"))); // a link to a file, say
      await page.evaluate(() => voice.sendText("Still here?"));
      await page.until(() => lines().includes("assistant: You wrote: Still here?"));
      assert.equal(await page.evaluate(() => told("connectionState").at(-1)), "connected");
      await load(page, rooms.url);
      await page.evaluate((s) => make().connect(s), given);
      await page.evaluate(() => voice.sendText("And now?"));
      await page.until(() => lines().includes("assistant: You wrote: And now?"));
      await page.evaluate(() => voice.disconnect());
    });

    test("where the browser holds sound back, it begins with the next click", async () => {
      const page = await fresh();
      await page.evaluate(() => {
        const { prototype } = HTMLMediaElement;
        const { play } = prototype;
        prototype.play = () => Promise.reject(new DOMException("no click yet", "NotAllowedError"));
        addEventListener("pointerdown", () => (prototype.play = play));
        return call();
      });
      await page.until(() => told("error").length > 0);
      assert.deepEqual(await page.evaluate(() => [told("error").map((e) => e.name), voice.room.canPlaybackAudio]), [["PlaybackError"], false]);
      await page.mouse.click(10, 10);
      await page.until(() => voice.room.canPlaybackAudio);
      await page.evaluate(() => voice.disconnect());
      assert.deepEqual(await page.evaluate(() => told("error").length), 1);
    });

    test("two sessions in one page do not mix", async () => {
      const page = await fresh();
      await page.evaluate(async () => {
        for (const name of ["one", "two"]) {
          const said = [];
          window[name] = Object.assign(new ServiceVoice(), { said });
          window[name].on("transcript", ({ text }) => said.push(text));
        }
        await Promise.all([one, two].map(async (v) => v.connect(await session())));
        await Promise.all([one.sendText("first"), two.sendText("second")]);
      });
      await page.until(() => one.said.includes("You wrote: first") && two.said.includes("You wrote: second"));
      await page.evaluate(() => one.disconnect());
      await page.evaluate(() => two.sendText("third"));
      await page.until(() => two.said.includes("You wrote: third"));
      assert.deepEqual(await page.evaluate(() => [one.said.some((s) => s.includes("second")), two.said.some((s) => s.includes("first")), document.querySelectorAll("audio").length]), [false, false, 1]);
      await page.evaluate(() => two.disconnect());
    });

    for (const scenario of ["signal-reconnect", "full-reconnect"]) {
      test(`a ${scenario} is no end`, async () => {
        const page = await fresh();
        await page.evaluate(() => call());
        await page.until(() => lines().includes("assistant: Hello."));
        await page.evaluate((s) => voice.room.simulateScenario(s), scenario);
        await page.until(() => told("connectionState").join() === "connecting,connected,reconnecting,connected");
        await page.evaluate(() => ((window.loud = 0), voice.sendText("Are you there?")));
        await page.until(() => lines().includes("assistant: You wrote: Are you there?") && loud >= 300);
        assert.deepEqual(await page.evaluate(() => [told("sessionEnd"), told("error")]), [[], []]);
        await page.evaluate(() => voice.disconnect());
      });
    }

    test("a second join with the same token takes the session over", async () => {
      const page = await fresh();
      await page.evaluate(async () => {
        window.given = await session();
        window.first = make();
        await first.connect(given);
        await make().connect(given);
      });
      await page.until(() => told("sessionEnd").length === 1);
      assert.match(await page.evaluate(() => told("error")[0].message), /from elsewhere/);
      await page.evaluate(() => voice.disconnect());
    });
  });

  test("the demo page is used by keyboard, within its policy", async () => {
    const browser = await launch({ gestures: true }); // as people's browsers are: sound needs a click or a key
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(patience);
      const problems = [];
      page.on("console", (m) => ["error", "warning"].includes(m.type()) && problems.push(m.text()));
      page.on("pageerror", (e) => problems.push(String(e)));
      await page.goto(`${rooms.url}/demo/voice`);
      const shows = (text) => page.getByText(text, { exact: true }).waitFor();
      await page.getByRole("button", { name: "Start a call" }).focus();
      await page.keyboard.press("Enter");
      await Promise.all(["Connected", "Hello.", "(a sound)", "The agent listens"].map(shows));
      await page.waitForFunction(() => document.getElementById("level").value > 0.2, null, { polling: "raf" });
      await page.keyboard.type("Where is it?"); // the field has the focus
      await page.keyboard.press("Enter");
      await Promise.all(["Where is it?", "You wrote: Where is it?"].map(shows));
      await page.getByRole("button", { name: "Mute" }).press("Space");
      await shows("You cannot be heard.");
      await page.getByRole("button", { name: "Unmute" }).waitFor();
      await page.getByRole("meter", { name: "Microphone: muted" }).waitFor();
      await page.getByLabel("Type instead of talking").fill("fault: no recognition");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("no recognition").waitFor();
      await page.getByLabel("Type instead of talking").fill("end: silence");
      await page.keyboard.press("Enter");
      await shows("The call has ended: nothing was said for a while.");
      assert.equal(await page.evaluate(() => document.activeElement.id), "call"); // the next call is one key away
      assert.equal(await page.getByRole("log").getByText("You wrote: Where is it?").isVisible(), true);
      await page.getByText("Join a session of any agent").click();
      await page.getByLabel("Participant token").fill("e30.e30.AAAA");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText(/serverUrl/).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.id), "token");
      assert.deepEqual(problems, []);
      await page.getByRole("button", { name: "Start a call" }).press("Enter");
      await page.getByRole("button", { name: "Hang up" }).press("Enter"); // before it is connected
      await shows("You have hung up.");
      assert.equal(await page.getByRole("alert").getByRole("listitem").count(), 0);
      // A socket that is closed while it connects is reported by the browser itself; no page can keep that from the console.
      const aborted = /^WebSocket connection to '[^']+' failed: WebSocket is closed before the connection is established\.$/;
      assert.deepEqual(problems.filter((text) => !aborted.test(text)), []);
    } finally {
      await browser.close();
    }
  });

  for (const [microphone, cause] of [["refused", "NotAllowedError"], ["absent", "NotFoundError"]]) {
    test(`with the microphone ${microphone} it goes on in text, with spoken answers`, async () => {
      const browser = await launch({ microphone });
      try {
        const page = await open(browser, rooms);
        await page.evaluate(() => call());
        assert.deepEqual(await page.evaluate(() => told("error").map((e) => [e.name, e.cause])), [["MicrophoneError", cause]]);
        assert.deepEqual(await page.evaluate(() => [voice.isMuted, voice.localAudioStream]), [true, null]);
        await page.until(() => lines().includes("assistant: Hello.") && loud >= 300);
        await page.evaluate(() => voice.sendText("I cannot talk"));
        await page.until(() => lines().includes("assistant: You wrote: I cannot talk") && loud >= 900);
        await page.evaluate(() => voice.unmute()); // asks once more
        assert.deepEqual(await page.evaluate(() => [told("error").length, voice.isMuted, told("connectionState").at(-1)]), [2, true, "connected"]);
        await page.evaluate(() => voice.disconnect());
        assert.deepEqual(await page.evaluate(() => told("sessionEnd")), ["client_left"]);
      } finally {
        await browser.close();
      }
    });
  }
});
