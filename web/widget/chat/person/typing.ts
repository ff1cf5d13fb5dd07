// Tells a person that the customer types: at most once in three seconds, and only while they do.

export const typingInterval = 3_000;

/** Returns what to call at each key press. `now` is milliseconds of any clock. */
export function limitTyping(send: () => void, now: () => number = () => performance.now()): () => void {
  let last = -Infinity;
  return () => {
    if (now() - last < typingInterval) return;
    last = now();
    send();
  };
}
