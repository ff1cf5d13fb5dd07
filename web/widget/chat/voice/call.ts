// A voice call with the agent, as the chat shows it.
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Key } from "../i18n";
import type { AgentState, Segment, ServiceVoice } from "./library";

/** What the call is doing. */
export type CallState = "connecting" | "listening" | "thinking" | "speaking" | "ended";

/** A session of the server's. */
export interface VoiceSession {
  participantToken: string;
  conversationId?: string;
}

const states: Record<AgentState, CallState> = {
  initializing: "connecting",
  listening: "listening",
  thinking: "thinking",
  speaking: "speaking",
};

const ends: Record<string, Key> = {
  client_left: "voice.ended",
  max_duration: "voice.endedDuration",
  silence: "voice.endedSilence",
  credits: "voice.endedCredits",
  escalated: "voice.endedPerson",
  operator: "voice.ended",
  error: "voice.endedError",
  server_stopped: "voice.endedError",
};

const problems: Record<string, Key> = {
  MicrophoneError: "voice.microphoneRefused",
  PlaybackError: "voice.playbackFailed",
  AgentError: "voice.agentFailed",
};

interface CallOptions {
  load(): Promise<ServiceVoice>;
  begin(): Promise<VoiceSession>;
  /** Why no session was made. */
  explain(error: unknown): Key;
}

export class Call {
  private readonly shown = {
    state: signal<CallState>("connecting"),
    segments: signal<readonly Segment[]>([]),
    problem: signal<Key | "">(""),
    end: signal<Key | "">(""),
    isMuted: signal(false),
    hasMicrophone: signal(true),
  };
  readonly state: ReadonlySignal<CallState> = this.shown.state;
  /** What was said, in its order. */
  readonly segments: ReadonlySignal<readonly Segment[]> = this.shown.segments;
  /** What is wrong with a call that goes on. */
  readonly problem: ReadonlySignal<Key | ""> = this.shown.problem;
  /** Why it is over. */
  readonly end: ReadonlySignal<Key | ""> = this.shown.end;
  readonly isMuted: ReadonlySignal<boolean> = this.shown.isMuted;
  /** False where the microphone was refused: one can write, and the agent answers aloud. */
  readonly hasMicrophone: ReadonlySignal<boolean> = this.shown.hasMicrophone;
  private voice: ServiceVoice | null = null;
  conversationId: string | null = null;

  constructor(private readonly options: CallOptions) {}

  /** Loads the library, has a session made and joins it. Never fails: `end` says why it did not work. */
  async start(): Promise<void> {
    try {
      const [voice, session] = await Promise.all([this.options.load(), this.options.begin()]);
      if (this.state.value === "ended") return;
      this.conversationId = session.conversationId ?? null;
      this.voice = voice;
      this.follow(voice);
      await voice.connect(session);
      this.readMicrophone();
    } catch (error) {
      this.finish(this.voice ? "voice.connectFailed" : this.options.explain(error));
    }
  }

  private follow(voice: ServiceVoice): void {
    voice.on("agentState", (state) => this.state.value !== "ended" && (this.shown.state.value = states[state] ?? "listening"));
    voice.on(
      "connectionState",
      (state) => (this.shown.problem.value = state === "reconnecting" ? "voice.reconnecting" : this.withoutReconnecting()),
    );
    voice.on("transcript", (segment) => (this.shown.segments.value = putSegment(this.segments.value, segment)));
    voice.on("sessionEnd", (reason) => this.finish(reason === undefined ? "voice.lost" : (ends[reason] ?? "voice.ended")));
    voice.on("error", (error) => {
      if (problems[error.name]) this.shown.problem.value = problems[error.name]!;
      this.readMicrophone();
    });
  }

  private withoutReconnecting(): Key | "" {
    return this.problem.value === "voice.reconnecting" ? "" : this.problem.value;
  }

  private readMicrophone(): void {
    this.shown.isMuted.value = this.voice?.isMuted ?? false;
    this.shown.hasMicrophone.value = this.voice?.localAudioStream !== null;
  }

  private finish(end: Key): void {
    if (this.state.value === "ended") return;
    this.shown.end.value = end;
    this.shown.state.value = "ended";
  }

  /** What the microphone records, for the ring; null without one. */
  get stream(): MediaStream | null {
    return this.isMuted.value ? null : (this.voice?.localAudioStream ?? null);
  }

  /** Mutes the customer, or lets them be heard again; asks again for a microphone that was refused. */
  async toggleMicrophone(): Promise<void> {
    if (!this.voice) return;
    this.shown.problem.value = "";
    await (this.voice.isMuted ? this.voice.unmute() : this.voice.mute()).catch(
      () => (this.shown.problem.value = "voice.microphoneRefused"),
    );
    this.readMicrophone();
  }

  /** Sends a typed message, which is answered aloud. Returns whether it was sent. */
  async write(text: string): Promise<boolean> {
    try {
      await this.voice?.sendText(text);
      return this.voice !== null;
    } catch {
      this.shown.problem.value = "voice.writeFailed";
      return false;
    }
  }

  hangUp(): void {
    const { voice } = this;
    this.finish("voice.ended");
    void voice?.disconnect().catch(() => {});
  }
}

/** Puts a segment where it was, or at the end. One that nothing is left of goes. */
export function putSegment(segments: readonly Segment[], segment: Segment): readonly Segment[] {
  const isSame = (s: Segment) => s.segmentId === segment.segmentId && s.speaker === segment.speaker;
  if (!segment.text) return segments.filter((s) => !isSame(s));
  return segments.some(isSame) ? segments.map((s) => (isSame(s) ? segment : s)) : [...segments, segment];
}
