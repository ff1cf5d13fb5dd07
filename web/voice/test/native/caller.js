// Somebody who talks to the agent with LiveKit's native library, as an app or a server does: nothing here is ours.
import { once } from "node:events";
import { createRequire } from "node:module";
import { claims } from "./media.js";
import { loudness, purity } from "./sounds.js";

process.env.NODE_ENV ??= "production"; // else the library prints what it does

/** The library; undefined where it has no binding for this machine. */
export const livekit = load();

// load asks for the package's other form: the one for imports leaves a promise behind that nobody can catch.
function load() {
  try {
    return createRequire(import.meta.url)("@livekit/rtc-node");
  } catch (error) {
    if (process.env.CI) throw error;
    return undefined;
  }
}

/** Why the tests with a native client are left out: false if they are not. Where the build installs the library, its absence is a failure. */
export const skip = livekit ? false : "SKIP: @livekit/rtc-node does not load here: no native client is tested";
if (skip) console.error(skip);

const rate = 48_000;
const patience = 60_000; // milliseconds; only guards against waiting without end

/** Joins with a token alone, which says where. */
export async function join(token, { url = claims(token).url } = {}) {
  const caller = new Caller();
  await caller.room.connect(url, token);
  return caller;
}

class Caller {
  room = new livekit.Room();
  states = []; // [identity, state]
  segments = []; // {from, id, final, text}, in the order in which they came
  faults = [];
  reason; // of the end, as the agent told it
  loud = 0; // seconds in which the agent was heard
  pure = 0; // seconds of those in which it was the tone that was sent
  #waiting = new Set();

  constructor() {
    const { RoomEvent, DisconnectReason } = livekit;
    this.room.on(RoomEvent.ParticipantAttributesChanged, (changed, who) => this.#attributes(changed, who.identity));
    this.room.on(RoomEvent.DataReceived, (data, _, __, topic) => topic === "parley.error" && this.#fault(data));
    this.room.on(RoomEvent.TrackSubscribed, (track) => this.#listen(track));
    this.room.registerTextStreamHandler("lk.transcription", (reader, { identity }) => this.#read(reader, identity));
    this.left = once(this.room, RoomEvent.Disconnected).then(([reason]) => DisconnectReason[reason]);
  }

  #attributes(changed, from) {
    if (changed["lk.agent.state"]) this.states.push([from, changed["lk.agent.state"]]);
    this.reason = changed["session.end_reason"] ?? this.reason;
    this.#look();
  }

  #fault(data) {
    this.faults.push(Buffer.from(data).toString());
    this.#look();
  }

  async #read(reader, from) {
    const { "lk.segment_id": id, "lk.transcription_final": final } = reader.info.attributes;
    const segment = { from, id, final: final === "true" };
    this.segments.push(segment);
    segment.text = await reader.readAll().catch(() => undefined); // the end may come in between
    this.#look();
  }

  async #listen(track) {
    for await (const { data } of new livekit.AudioStream(track, rate, 1)) {
      if (loudness(data) < 0.01) continue;
      this.loud += data.length / rate;
      if (purity(data, rate) > 0.9) this.pure += data.length / rate;
      this.#look();
    }
  }

  #look() {
    for (const check of this.#waiting) check();
  }

  /** Waits until something has come true, and returns it. */
  until(holds) {
    return new Promise((resolve, reject) => {
      const done = (settle, value) => {
        clearTimeout(late);
        this.#waiting.delete(check);
        settle(value);
      };
      const check = () => {
        const found = holds();
        if (found) done(resolve, found);
      };
      const late = setTimeout(() => done(reject, new Error(`${holds} did not come true: ${this.told()}`)), patience);
      this.#waiting.add(check);
      check();
    });
  }

  /** All that was heard and read, for failures. */
  told() {
    return JSON.stringify({ ...this, room: undefined, left: undefined });
  }

  /** The newest segment from somebody with such a text. */
  said(from, text) {
    return this.segments.findLast((s) => s.from === from && s.text?.match(text));
  }

  type(text) {
    return this.room.localParticipant.sendText(text, { topic: "lk.chat" });
  }

  /** Publishes a track of sound, and returns a function that takes samples at 48 kHz to say. */
  async publish(source) {
    const { AudioFrame, AudioSource, LocalAudioTrack, TrackPublishOptions } = livekit;
    const sound = new AudioSource(rate, 1);
    await this.room.localParticipant.publishTrack(LocalAudioTrack.createAudioTrack("sound", sound), new TrackPublishOptions({ source }));
    return async (samples) => {
      for (let at = 0; at < samples.length; at += rate / 50) {
        const part = samples.slice(at, at + rate / 50);
        await sound.captureFrame(new AudioFrame(part, rate, 1, part.length));
      }
    };
  }

  /** Leaves, for good: or without saying so, and then the agent waits whether somebody comes back. */
  async leave({ bye = true } = {}) {
    if (bye) await this.room.localParticipant.publishData(new Uint8Array(), { reliable: true, topic: "parley.bye" });
    await this.room.disconnect();
  }
}
