/** The kinds of problems, for `error.name`. */
export type Problem =
  | "ConnectError" // the connection could not be made
  | "ConnectionLost" // it broke, and could not be restored
  | "MicrophoneError" // there is no microphone, or it may not be used: the session continues in text
  | "PlaybackError" // the browser holds the sound back until somebody clicks or types
  | "AgentError"; // the server tells of a problem

/** Returns an error with a message for people and the browser's own error as its cause. */
export function problem(name: Problem, message: string, cause?: unknown): Error {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  error.name = name;
  return error;
}

const microphone: Record<string, string> = {
  NotAllowedError: "The microphone may not be used here",
  SecurityError: "The microphone may not be used here",
  NotFoundError: "There is no microphone",
  OverconstrainedError: "There is no microphone",
  InvalidStateError: "The microphone has gone",
  NotReadableError: "The microphone cannot be read; another program may be using it",
};

/** Explains why there is no microphone. The session continues without it. */
export function microphoneProblem(cause: unknown): Error {
  const name = typeof cause === "object" && cause !== null && "name" in cause ? String(cause.name) : "";
  return problem("MicrophoneError", (microphone[name] ?? "The microphone could not be opened") + ". You can still type.", cause);
}
