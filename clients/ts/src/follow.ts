import { readServerSent } from "./sse.js";
import type { Schemas } from "./types.js";

/** What happens in a conversation. */
export type ConversationEvent =
  | { type: "status"; status: Schemas["Conversation"]["status"] }
  | { type: "message"; id: string; message: Schemas["Message"] };

/** Reads the events of a conversation; other kinds than those known are passed over. */
export async function* readNews(body: ReadableStream<Uint8Array>): AsyncGenerator<ConversationEvent, void, undefined> {
  for await (const { event, id, data } of readServerSent(body)) {
    if (event === "status") yield { type: "status", ...JSON.parse(data) };
    if (event === "message" && id !== undefined) yield { type: "message", id, message: JSON.parse(data) };
  }
}
