/** The connection's life. `error` is a connection that was never made. */
export type ConnectionState = "connecting" | "connected" | "reconnecting" | "disconnected" | "error";

/** What the agent is doing. */
export type AgentState = "initializing" | "listening" | "thinking" | "speaking";

/** Who said a segment: `user` is the customer, `assistant` the agent. */
export type Speaker = "user" | "assistant";

/** A segment of the transcript. It grows while it is spoken: what was shown under the same `segmentId` is replaced by `text`. */
export interface Transcript {
  /** The whole segment so far. It may become shorter: an agent that is interrupted has said only what was heard. */
  text: string;
  speaker: Speaker;
  segmentId: string;
}

/** What each event's callback is given. */
export interface VoiceEvents {
  connectionState: (state: ConnectionState) => void;
  agentState: (state: AgentState) => void;
  transcript: (segment: Transcript) => void;
  /** Comes once. Without a reason, the connection was lost. */
  sessionEnd: (reason?: string) => void;
  /** A problem that does not end the session, or the failure to connect. Its `name` tells which. */
  error: (error: Error) => void;
}
