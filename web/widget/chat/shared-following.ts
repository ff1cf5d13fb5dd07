// One tab follows a conversation for all tabs of a visitor: over HTTP/1.1 a browser has few connections to a server.
import type { ServerEvent } from "../../shared/stream/sse";

const answerTime = 2_000; // milliseconds, in which the tab that follows says what it knows

interface Following {
  /** Follows until the signal, or until there is nothing to follow any more. */
  lead(until: AbortSignal, relay: (event: ServerEvent) => void): Promise<void>;
  /** Takes what the tab that follows has got. */
  take(event: ServerEvent): void;
  /** Reads what may have come before this tab listened. */
  catchUp(): void;
}

/** Follows, or listens to the tab that does. Ends with the signal, or when this tab has followed to the end. */
export async function shareFollowing(name: string, signal: AbortSignal, following: Following): Promise<void> {
  const channel = new BroadcastChannel(name);
  const done = new AbortController();
  const known = new Map<string, ServerEvent>(); // the last of each kind but messages, for tabs that come later
  let leading: AbortController | null = null;
  let waiting = new AbortController();
  let isAnswered = true;

  const relay = (event: ServerEvent) => {
    if (event.event !== "message") known.set(event.event, event);
    channel.postMessage([event]);
  };
  const lead = async () => {
    leading = new AbortController();
    await following.lead(AbortSignal.any([signal, leading.signal]), relay);
  };
  // A browser may have stopped the tab that follows without ending it: then it does not answer.
  const ask = () => {
    if (leading) return;
    isAnswered = false;
    channel.postMessage("hello");
    setTimeout(() => !isAnswered && !leading && waiting.abort(), answerTime);
  };
  channel.onmessage = ({ data }: MessageEvent<"hello" | ServerEvent[]>) => {
    if (data === "hello") {
      if (leading) channel.postMessage([...known.values()]);
      return;
    }
    if (leading) return;
    if (!isAnswered) following.catchUp();
    isAnswered = true;
    data.forEach(following.take);
  };
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && ask(), { signal: done.signal });

  try {
    for (let isLost = false; !signal.aborted; ) {
      waiting = new AbortController();
      const options = isLost ? { steal: true } : { signal: AbortSignal.any([signal, waiting.signal]) };
      const request = navigator.locks.request(name, options, lead);
      if (!isLost) ask();
      try {
        return await request;
      } catch (error) {
        if ((error as DOMException).name !== "AbortError") throw error;
        isLost = waiting.signal.aborted;
        (leading as AbortController | null)?.abort(); // another tab follows now
        leading = null;
      }
    }
  } finally {
    done.abort();
    channel.close();
  }
}
