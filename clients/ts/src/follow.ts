import { ParleyError } from "./error.js";
import { readServerSent } from "./sse.js";
import { pause } from "./transport.js";
import type { Schemas } from "./types.js";

/** What happens in a conversation. */
export type ConversationEvent =
  | { type: "status"; status: Schemas["Conversation"]["status"] }
  | { type: "message"; id: string; message: Schemas["Message"] };

/** How a conversation is reached. */
interface Way {
  /** The id of the message event to begin behind; without it only new messages come. */
  after: string | undefined;
  signal: AbortSignal | undefined;
  open(after: string | undefined): Promise<Response>;
  /** The id of the newest message, if there is any. */
  newest(): Promise<string | undefined>;
}

/** Seconds before a broken connection is opened again: at first, and at most. */
const soon = 0.25;
const longest = 10;

/** Reads the events of a conversation until it has ended, over as many connections as it takes. No event is yielded twice. */
export async function* follow({ after, signal, open, newest }: Way): AsyncGenerator<ConversationEvent, void, undefined> {
  let response = await open(after);
  // Only messages have a number to go on behind. Until one has come, what is new is what is newer than the newest message now.
  const last = after === undefined ? await orClose(newest(), response) : undefined;
  let old: string | undefined;
  let status: string | undefined;
  for (let wait = soon; ; ) {
    const opened = Date.now();
    for await (const event of readUntilCut(response, signal)) {
      if (event.type === "message") {
        after = event.id;
        if (old !== undefined && event.message.id <= old) continue; // ids of messages sort by time
      } else {
        if (event.status === status) continue; // each connection begins with it
        status = event.status;
      }
      yield event;
      if (status === "ended") return;
    }
    if (Date.now() - opened > longest * 1000) wait = soon;
    if (after === undefined) old = last;
    [response, wait] = await reopen(() => open(after ?? "0"), wait, signal);
  }
}

/** Closes a connection that is of no use when something else fails. */
async function orClose<T>(other: Promise<T>, response: Response): Promise<T> {
  try {
    return await other;
  } catch (failure) {
    await response.body?.cancel().catch(() => undefined);
    throw failure;
  }
}

/** Opens a connection again, trying for as long as the server may come back; returns it with the delay before the next time. */
async function reopen(open: () => Promise<Response>, wait: number, signal: AbortSignal | undefined): Promise<[Response, number]> {
  for (let asked = 0; ; wait = Math.min(2 * wait, longest)) {
    await pause(Math.max(wait * (0.5 + Math.random() / 2), asked), signal); // a crowd of followers does not come back at once
    try {
      return [await open(), Math.min(2 * wait, longest)];
    } catch (failure) {
      signal?.throwIfAborted();
      if (failure instanceof ParleyError && failure.status !== 429 && failure.status < 500) throw failure;
      asked = failure instanceof ParleyError ? Math.min(failure.retryAfter ?? 0, 60) : 0;
    }
  }
}

/** Reads events until the connection ends, in whatever way. Fails when the signal ended it. */
async function* readUntilCut(response: Response, signal: AbortSignal | undefined): AsyncGenerator<ConversationEvent, void, undefined> {
  if (!response.body) return;
  const events = readNews(response.body);
  try {
    for (let read = await events.next(); !read.done; read = await events.next()) yield read.value;
  } catch (failure) {
    signal?.throwIfAborted();
    if (failure instanceof SyntaxError) throw failure; // that is no connection's fault
  } finally {
    await events.return();
  }
}

/** Reads the events of one connection; other kinds than those known are passed over. */
async function* readNews(body: ReadableStream<Uint8Array>): AsyncGenerator<ConversationEvent, void, undefined> {
  for await (const { event, id, data } of readServerSent(body)) {
    if (event === "status") yield { type: "status", ...JSON.parse(data) };
    if (event === "message" && id !== undefined) yield { type: "message", id, message: JSON.parse(data) };
  }
}
