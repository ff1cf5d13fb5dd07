/** What went wrong, for `error.name`. */
export type Problem = "ConnectError" | "ConnectionLost" | "MicrophoneError" | "PlaybackError" | "AgentError";
/** Makes an error with a sentence for people, and the browser's own as its cause. */
export declare function problem(name: Problem, message: string, cause?: unknown): Error;
/** Says why there is no microphone. The session goes on without it. */
export declare function microphoneProblem(cause: unknown): Error;
