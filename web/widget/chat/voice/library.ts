// The voice library, which is large: it is loaded when somebody presses the button.

export type AgentState = "initializing" | "listening" | "thinking" | "speaking";
export type ConnectionState = "connecting" | "connected" | "reconnecting" | "disconnected" | "error";

export interface Segment {
  text: string;
  speaker: "user" | "assistant";
  segmentId: string;
}

interface VoiceEvents {
  connectionState: (state: ConnectionState) => void;
  agentState: (state: AgentState) => void;
  transcript: (segment: Segment) => void;
  sessionEnd: (reason?: string) => void;
  error: (error: Error) => void;
}

export interface ServiceVoice {
  readonly isMuted: boolean;
  readonly localAudioStream: MediaStream | null;
  connect(session: unknown): Promise<void>;
  disconnect(): Promise<void>;
  sendText(text: string): Promise<void>;
  mute(): Promise<void>;
  unmute(): Promise<void>;
  on<Name extends keyof VoiceEvents>(name: Name, callback: VoiceEvents[Name]): () => void;
}

/** Loads the library and makes a session of it. */
export async function loadVoice(): Promise<ServiceVoice> {
  const { default: ServiceVoice } = await import("../../../built/service-voice.js");
  return new ServiceVoice();
}
