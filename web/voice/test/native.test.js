// A native LiveKit client, such as an app or another server has, in sessions of the real program.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { join, livekit, skip } from "./native/caller.js";
import { claims, startMedia } from "./native/media.js";
import { loudness, voice } from "./native/sounds.js";
import { startSpeech } from "./native/speech.js";
import { startProgram } from "./program.js";

const question = "How do I back up Parley?";
const agentOf = ({ sessionId }) => `agent:${sessionId}`;

describe("a native LiveKit client", { skip, concurrency: 2 }, () => {
  const running = [];
  let folder, speech;

  before(async () => {
    folder = mkdtempSync(path(tmpdir(), "parley-native-"));
    speech = started(await startSpeech(question));
  });
  after(async () => {
    for (const one of running.reverse()) await one.stop();
    await livekit.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const started = (one) => {
    running.push(one);
    return one;
  };
  const demo = async (settings) => started(await startProgram(mkdtempSync(path(folder, "demo-")), settings));

  describe("in a session", { concurrency: 2 }, () => {
    let server;
    before(async () => {
      server = await demo({ PARLEY_STT: "openai", PARLEY_STT_URL: speech.url, PARLEY_TTS: "openai", PARLEY_TTS_URL: speech.url });
    });

    test("types, hears the answer and sees it written", async () => {
      const given = await server.session({ userId: "ada" });
      const caller = await join(given.participantToken);
      const [me, agent] = [caller.room.localParticipant.identity, agentOf(given)];
      assert.deepEqual([caller.room.name, me, ...caller.room.remoteParticipants.keys()], [given.roomName, "ada", agent]);
      assert.equal(caller.room.remoteParticipants.get(agent).kind, livekit.ParticipantKind.AGENT);
      await caller.until(() => caller.said(agent, /^Hello!.*\?$/)?.final);

      const before = caller.loud;
      await caller.type("Which database does Parley use?");
      assert.equal((await caller.until(() => caller.said(me, /^Which database does Parley use\?$/))).final, true);
      const { id } = await caller.until(() => caller.said(agent, /SQLite.*PostgreSQL/)?.final && caller.said(agent, /SQLite/));
      const grown = caller.segments.filter((s) => s.id === id);
      assert.ok(grown.length > 1, caller.told());
      assert.deepEqual(grown.map((s) => s.final), grown.map((s) => s === grown.at(-1)), "only the last is final");
      for (const [i, s] of grown.entries()) assert.ok(i === 0 || s.text.startsWith(grown[i - 1].text), caller.told());

      await caller.until(() => caller.states.at(-1)[1] === "listening" && caller.loud - before > 1);
      assert.ok(caller.pure > 0.9 * caller.loud, `heard for ${caller.loud} s, the tone in ${caller.pure} s`);
      assert.deepEqual(caller.states.slice(-3), ["thinking", "speaking", "listening"].map((state) => [agent, state]));
      assert.deepEqual(caller.faults, []);

      await caller.leave();
      assert.equal((await untilEnded(server, given)).reason, "client_left");
      const { data: messages } = await server.ask("GET", `/conversations/${given.conversationId}/messages`);
      assert.deepEqual(messages.slice(-2).map((m) => [m.role, m.parts[0].text]), [["user", "Which database does Parley use?"], ["assistant", grown.at(-1).text]]);
    });

    test("is the example of the manual, which runs as it is", async () => {
      const manual = readFileSync(new URL("../../../docs/manual/voice-native.md", import.meta.url), "utf8");
      const example = manual.split("```js\n")[1].split("```")[0].replace("https://agents.example.com", server.url);
      const words = ["--input-type=module", "--eval", example];
      const env = { ...process.env, AGENT: server.agentId, KEY: server.apiKey };
      // The example does not look why there is no session: on a busy machine there is none now and then.
      const refused = (error) => assert.match(error.stderr, /Cannot destructure/);
      const { stdout } = await eventually(() => promisify(execFile)(process.execPath, words, { cwd: new URL("..", import.meta.url), env }).catch(refused));
      assert.match(stdout, /^customer: When are you open\?\nagent: .+/m);
    });

    test("speaks, is understood, and hears the answer", async () => {
      const given = await server.session();
      const caller = await join(given.participantToken);
      const [me, agent] = [given.userId, agentOf(given)];
      const say = await caller.publish(livekit.TrackSource.SOURCE_MICROPHONE);
      await caller.until(() => caller.said(agent, /^Hello!/)?.final && caller.states.at(-1)[1] === "listening");
      const [before, heard] = [caller.loud, speech.heard.length];
      await say(voice(1.2, 48_000));
      assert.equal((await caller.until(() => caller.said(me, /back up/)?.final && caller.said(me, /./))).text, question);
      await caller.until(() => caller.said(agent, /^To back up Parley/) && caller.loud - before > 0.5);
      const sound = speech.heard.slice(heard).flatMap((part) => [...part]); // a busy machine stumbles, and cuts it in two
      assert.ok(sound.length > 16_000 && loudness(sound) > 0.02, `${sound.length} samples at ${loudness(sound)} were to be understood`);

      await caller.leave({ bye: false });
      assert.equal((await untilEnded(server, given)).reason, "client_left");
    });

    test("is told why the session ended, and cannot come back", async () => {
      const given = await server.session();
      const caller = await join(given.participantToken);
      await caller.until(() => caller.said(agentOf(given), /^Hello!/));
      await server.command("voice", "end", given.sessionId);
      assert.equal(await caller.left, "ROOM_DELETED");
      assert.equal(caller.reason, "operator");
      await assert.rejects(join(given.participantToken), /404 .* room does not exist/);
    });

    for (const [name, scenario] of [["signalling", "SIMULATE_SIGNAL_RECONNECT"], ["everything", "SIMULATE_NODE_FAILURE"]]) {
      test(`loses ${name}, comes back, and the session goes on`, async () => {
        const given = await server.session();
        const caller = await join(given.participantToken);
        const agent = agentOf(given);
        await caller.publish(livekit.TrackSource.SOURCE_MICROPHONE);
        await caller.until(() => caller.said(agent, /^Hello!/)?.final);
        let back = false;
        caller.room.once(livekit.RoomEvent.Reconnected, () => (back = true));
        await caller.room.simulateScenario(livekit.SimulateScenarioKind[scenario]);
        await eventually(() => back);
        const before = caller.loud;
        await caller.type("Which database does Parley use?");
        await caller.until(() => caller.said(agent, /SQLite/)?.final && caller.loud - before > 1);
        await caller.leave();
      });
    }

    test("with the same token again takes its own place", async () => {
      const given = await server.session();
      const first = await join(given.participantToken);
      await first.until(() => first.said(agentOf(given), /^Hello!/));
      const second = await join(given.participantToken);
      assert.equal(await first.left, "DUPLICATE_IDENTITY");
      await second.type("Which database does Parley use?");
      await second.until(() => second.said(agentOf(given), /SQLite/) && second.loud > 1);
      await second.leave();
    });
  });

  describe("is refused", { concurrency: 2 }, () => {
    let server, media;
    before(async () => {
      media = started(await startMedia(folder));
      server = await demo({ ...media.settings, PARLEY_TTS: "openai", PARLEY_TTS_URL: speech.url });
    });
    const refused = (token, message) => assert.rejects(join(token, { url: media.url }), { name: "Error", message });

    test("beside another one, in other rooms, and with other tokens", async () => {
      const given = await server.session({ userId: "ada" });
      const caller = await join(given.participantToken);
      const said = claims(given.participantToken);
      const [head, , signature] = given.participantToken.split(".");
      const changed = Buffer.from(JSON.stringify({ ...said, video: { ...said.video, canPublishSources: undefined } })).toString("base64url");
      await Promise.all([
        refused(media.sign({ ...said, sub: "bob" }), /signal failure/), // LiveKit returns no reason
        refused(media.sign({ ...said, video: { ...said.video, room: "another" } }), /404 .* room does not exist/),
        refused(media.sign({ ...said, exp: said.nbf - 3600, nbf: said.nbf - 7200 }), /401 .* token is expired/),
        refused([head, changed, signature].join("."), /401 .* signature is invalid/),
      ]);
      await caller.type("Which database does Parley use?");
      await caller.until(() => caller.said(agentOf(given), /SQLite/));
      await caller.leave();
    });

    // Another agent watches: rooms let them in beside the user.
    test("as a camera, and as the agent", async () => {
      const given = await server.session({ userId: "ada" });
      const agent = agentOf(given);
      const watcher = await join(media.sign({ sub: "watcher", kind: "agent", video: { ...claims(given.participantToken).video, agent: true, hidden: true } }), { url: media.url });
      const published = [];
      watcher.room.on(livekit.RoomEvent.TrackPublished, ({ source }, { identity }) => published.push([identity, source]));
      const caller = await join(given.participantToken);
      const me = caller.room.localParticipant;

      await me.setAttributes({ "lk.agent.state": "forged" });
      await me.updateName("forged");
      await me.updateMetadata("forged");
      const forged = await me.streamText({ topic: "lk.transcription", attributes: { "lk.segment_id": "1", "lk.transcription_final": "true" }, senderIdentity: agent });
      await forged.write("forged");
      await forged.close();
      await caller.publish(livekit.TrackSource.SOURCE_MICROPHONE);
      await caller.type("Which database does Parley use?");
      await watcher.until(() => published.length > 0 && watcher.said("ada", "forged"));
      await caller.until(() => caller.said(agent, /SQLite/));

      const camera = livekit.LocalVideoTrack.createVideoTrack("camera", new livekit.VideoSource(64, 64));
      const options = new livekit.TrackPublishOptions({ source: livekit.TrackSource.SOURCE_CAMERA });
      await assert.rejects(me.publishTrack(camera, options), "a camera");
      assert.deepEqual(published, [["ada", livekit.TrackSource.SOURCE_MICROPHONE]]);
      for (const { states, room } of [caller, watcher]) {
        assert.deepEqual(states.filter(([who, state]) => who !== agent || state === "forged"), []);
        assert.equal(room.remoteParticipants.get(agent).attributes["lk.agent.state"] === "forged", false);
      }
      const seen = watcher.room.remoteParticipants.get("ada");
      assert.deepEqual([seen.name, seen.metadata, seen.attributes], ["", "", {}]);
      assert.equal(watcher.said(agent, "forged"), undefined);
      await caller.leave();
      await watcher.left;
    });

    test("to speak where the server understands no speech, and is told so", async () => {
      const given = await server.session();
      const caller = await join(given.participantToken);
      await caller.until(() => caller.faults.length > 0);
      assert.match(caller.faults.join(), /^This server has no speech recognition/);
      await caller.leave();
    });
  });
});

/** What `look` returns once it returns something. A minute only guards against waiting without end. */
async function eventually(look, pause = 100) {
  for (let waited = 0; waited < 60_000; waited += pause) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`${look} did not come true`);
}

/** What is stored of a session once it has ended. Each look starts the program, beside a test that speaks: they are few. */
const untilEnded = (server, given) =>
  eventually(async () => {
    const session = await server.stored(given);
    return session.endedAt && session;
  }, 1_000);
