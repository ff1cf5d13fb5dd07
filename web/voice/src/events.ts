/** The states of the connection. `error` is a connection that was never established. */
export type ConnectionState = "connecting" | "connected" | "reconnecting" | "disconnected" | "error";

/** What the agent is doing. */
export type AgentState = "initializing" | "listening" | "thinking" | "speaking";

/** The speaker of a segment: `user` is the customer, `assistant` the agent. */
export type Speaker = "user" | "assistant";

/** A segment of the transcript. It grows while it is spoken: what was shown under the same `segmentId` is replaced by `text`. */
export interface Transcript {
  /** The whole segment so far. It may become shorter: of an interrupted agent only what was heard remains. */
  text: string;
  speaker: Speaker;
  segmentId: string;
}

/** The arguments of each event's callback. */
export interface VoiceEvents {
  connectionState: (state: ConnectionState) => void;
  agentState: (state: AgentState) => void;
  transcript: (segment: Transcript) => void;
  /** Fires once. Without a reason, the connection was lost. */
  sessionEnd: (reason?: string) => void;
  /** A problem that does not end the session, or the failure to connect. Its `name` says which. */
  error: (error: Error) => void;
}
