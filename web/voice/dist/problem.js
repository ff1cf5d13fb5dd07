/** Makes an error with a sentence for people, and the browser's own as its cause. */
export function problem(name, message, cause) {
    const error = cause === undefined ? new Error(message) : new Error(message, { cause });
    error.name = name;
    return error;
}
const microphone = {
    NotAllowedError: "The microphone may not be used here",
    SecurityError: "The microphone may not be used here",
    NotFoundError: "There is no microphone",
    OverconstrainedError: "There is no microphone",
    NotReadableError: "The microphone cannot be read; another program may be using it",
};
/** Says why there is no microphone. The session goes on without it. */
export function microphoneProblem(cause) {
    const name = typeof cause === "object" && cause !== null && "name" in cause ? String(cause.name) : "";
    return problem("MicrophoneError", (microphone[name] ?? "The microphone could not be opened") + ". You can still type.", cause);
}
