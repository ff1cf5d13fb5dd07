import { ConnectionError, ConnectionErrorReason, DisconnectReason, isBrowserSupported, Room, RoomEvent, type Participant } from "livekit-client";
import { Emitter } from "./emitter.js";
import type { AgentState, ConnectionState, VoiceEvents } from "./events.js";
import { silence } from "./log.js";
import { Microphone } from "./microphone.js";
import { play } from "./playback.js";
import { problem } from "./problem.js";
import { Segments } from "./segments.js";
import { addressIn, tokenOf, type VoiceSession } from "./session.js";
import { settled } from "./settled.js";
import { agentState, connectionState } from "./state.js";
import * as words from "./words.js";

export interface ServiceVoiceOptions {
  /** The voice server's address, `wss://…`. Only needed for tokens that do not name it; overrides those that do. */
  serverUrl?: string | undefined;
}

const loggerName = "service-voice";
const promptPatience = 5000; // ms that connect waits for the customer's word about the microphone, once connected
const byePatience = 1000; // ms that disconnect waits for its good-bye to leave

/** One voice session with an agent. Create a new instance for the next session. */
export class ServiceVoice {
  private readonly events = new Emitter<VoiceEvents>();
  private readonly microphone = new Microphone((error) => this.events.emit("error", error));
  private readonly serverUrl: string | undefined;
  private room: Room | null = null;
  private phase: "new" | "connecting" | "live" | "over" = "new";
  private connection: ConnectionState | null = null;
  private agent: AgentState | null = null;
  private reason: string | undefined;

  constructor(options: ServiceVoiceOptions = {}) {
    this.serverUrl = options.serverUrl;
  }

  /**
   * Joins a session that a backend has created, by the `data` of the reply or the participantToken alone. Resolves once
   * connected; the microphone is then open, unless it was refused (event `error`, the session continues in text) or the browser
   * still asks for it after five seconds. Rejects, after the event `error`, when there is no connection.
   */
  async connect(session: VoiceSession | string): Promise<void> {
    if (this.phase !== "new") throw new Error("A ServiceVoice is for one session: make a new one.");
    this.phase = "connecting";
    this.turn("connecting");
    try {
      const where = this.where(session);
      void this.microphone.open(); // while the connection is made, and as near to the customer's click as can be
      await this.join(where);
    } catch (cause) {
      throw this.failed(cause);
    }
    await soon(this.microphone.publish(this.room!), promptPatience);
  }

  /** Ends the session. Does nothing if it has ended already. */
  async disconnect(): Promise<void> {
    if (this.phase === "live") {
      this.reason ??= words.clientLeft;
      await soon(this.bye(this.room!).catch(() => {}), byePatience); // without it the agent waits a while for the customer to come back
    } else if (this.phase === "connecting") {
      this.phase = "over";
      this.microphone.close();
    }
    await this.room?.disconnect();
  }

  /** Sends a typed message. The agent answers with speech. */
  async sendText(message: string): Promise<void> {
    if (typeof message !== "string" || message.trim() === "") throw new TypeError("sendText needs a text");
    if (this.phase !== "live") throw new Error("There is no session to send the text to.");
    const room = this.room!;
    await settled(room);
    if (room.state === "disconnected") throw new Error("The session ended before the text was sent.");
    await room.localParticipant.sendText(message, { topic: words.topicText });
  }

  /** Mutes the microphone. The session continues. */
  mute(): Promise<void> {
    return this.microphone.mute();
  }

  /** Unmutes the microphone. One that was refused or absent is requested again. */
  unmute(): Promise<void> {
    return this.microphone.unmute(this.phase === "live" ? this.room : null);
  }

  /** Whether the customer is muted or has no microphone. */
  get isMuted(): boolean {
    return this.microphone.muted;
  }

  /** The stream of the microphone, for example for a level meter; null before connecting, without a microphone, and after the session. */
  get localAudioStream(): MediaStream | null {
    return this.microphone.stream;
  }

  /** Calls `callback` on an event; the returned function unsubscribes it. */
  on<K extends keyof VoiceEvents>(event: K, callback: VoiceEvents[K]): () => void {
    return this.events.on(event, callback);
  }

  /** Unsubscribes a callback. */
  off<K extends keyof VoiceEvents>(event: K, callback: VoiceEvents[K]): void {
    this.events.off(event, callback);
  }

  private async bye(room: Room): Promise<void> {
    await settled(room);
    await room.localParticipant.publishData(new Uint8Array(), { reliable: true, topic: words.topicBye });
  }

  private where(session: VoiceSession | string): { address: string; token: string } {
    const token = tokenOf(session);
    const address = this.serverUrl ?? addressIn(token);
    if (!address) throw new TypeError("The token does not name the voice server: give its address as serverUrl.");
    if (!isBrowserSupported()) throw new Error("Voice sessions need a browser with WebRTC.");
    return { address, token };
  }

  private async join({ address, token }: { address: string; token: string }): Promise<void> {
    silence(loggerName);
    // With one connection for both directions, a busy browser's first offers may cross, and joining fails
    // ("Transceiver not found based on m-line index"); with one for each they cannot.
    const room = (this.room = new Room({ loggerName, singlePeerConnection: false, dataStream: { maxPayloadByteLength: 1 << 20 }, disconnectOnPageLeave: false }));
    play(room, (error) => this.events.emit("error", error));
    this.follow(room);
    await room.connect(address, token);
    leaveWithPage(room);
    if (this.phase !== "connecting") throw new Error("disconnect was called first"); // it was just too late to keep us from connecting
    this.phase = "live";
    this.turn("connected");
    this.show("initializing");
    this.lookAround(room);
  }

  private failed(cause: unknown): Error {
    const over = this.phase === "over";
    void this.room?.disconnect();
    this.room = null;
    this.microphone.close();
    if (over) {
      this.turn("disconnected");
      return problem("ConnectError", "The session was left before it was connected.", cause);
    }
    this.phase = "new";
    const error = connectProblem(cause);
    this.turn("error");
    this.events.emit("error", error);
    return error;
  }

  private follow(room: Room): void {
    const segments = new Map([true, false].map((ours) => [ours, new Segments((segmentId, text) =>
      this.events.emit("transcript", { text, speaker: ours ? "user" : "assistant", segmentId }))]));
    room.registerTextStreamHandler(words.topicTranscript, async (reader, { identity }) => {
      const stream = segments.get(identity === room.localParticipant.identity)!.begin(reader.info.attributes?.[words.attributeSegment] ?? reader.info.id);
      try {
        for await (const chunk of reader) stream.add(chunk);
        stream.end();
      } catch {
        // The stream ended with the connection; what has come of it stays.
      }
    });
    room
      .on(RoomEvent.ConnectionStateChanged, (state) => this.phase === "live" && this.turn(connectionState(state)))
      .on(RoomEvent.Reconnected, () => void settled(room).then(() => this.lookAround(room)))
      .on(RoomEvent.ParticipantConnected, (p) => this.look(p))
      .on(RoomEvent.ParticipantAttributesChanged, (_, p) => this.look(p))
      .on(RoomEvent.DataReceived, (payload, from, _, topic) => {
        if (topic === words.topicFault && from?.isAgent) this.events.emit("error", problem("AgentError", new TextDecoder().decode(payload)));
      })
      .on(RoomEvent.Disconnected, (why) => this.phase === "live" && this.ended(why));
  }

  private lookAround(room: Room): void {
    room.remoteParticipants.forEach((p) => this.look(p));
  }

  /** Reads the agent's attributes. */
  private look(p: Participant): void {
    if (this.phase !== "live" || !p.isAgent) return;
    this.show(agentState(p.attributes[words.attributeState]));
    this.reason ??= p.attributes[words.attributeReason] || undefined;
  }

  private turn(state: ConnectionState | undefined): void {
    if (state && state !== this.connection) this.events.emit("connectionState", (this.connection = state));
  }

  private show(state: AgentState | undefined): void {
    if (state && state !== this.agent) this.events.emit("agentState", (this.agent = state));
  }

  private ended(why: DisconnectReason | undefined): void {
    this.phase = "over";
    this.microphone.close();
    this.reason ??= reasons.get(why);
    if (!this.reason && why !== DisconnectReason.ROOM_DELETED) this.events.emit("error", lost(why));
    this.turn("disconnected");
    this.events.emit("sessionEnd", ...(this.reason ? [this.reason] : []));
  }
}

const reasons = new Map<DisconnectReason | undefined, string>([
  [DisconnectReason.CLIENT_INITIATED, words.clientLeft], // the page was left
  [DisconnectReason.SERVER_SHUTDOWN, words.serverStopped],
]);

function lost(why: DisconnectReason | undefined): Error {
  const elsewhere = why === DisconnectReason.DUPLICATE_IDENTITY;
  return problem("ConnectionLost", elsewhere ? "The session was joined again from elsewhere." : "The connection was lost and could not be restored.");
}

function connectProblem(cause: unknown): Error {
  if (!(cause instanceof ConnectionError)) return problem("ConnectError", cause instanceof Error ? cause.message : "The session cannot be joined.", cause);
  const refused = cause.reason === ConnectionErrorReason.NotAllowed;
  return problem("ConnectError", refused ? "The token was refused: it is wrong, or its session is over." : "The voice server cannot be reached.", cause);
}

/**
 * Leaves when the page is closed, without a farewell: a page that is reloaded may come back with its token. Livekit-client would
 * leave already when the page might go away: then a link to a file, or a page that asks whether to leave, ended the call.
 */
function leaveWithPage(room: Room): void {
  const leave = () => void room.disconnect();
  window.addEventListener("pagehide", leave);
  room.on(RoomEvent.Disconnected, () => window.removeEventListener("pagehide", leave));
}

/** Waits for a promise, but not longer than so many milliseconds. */
function soon(promise: Promise<unknown>, patience: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise((done) => (timer = setTimeout(done, patience)));
  return Promise.race([promise, enough]).finally(() => clearTimeout(timer));
}
