import { readServerSent } from "./sse.js";
import type { Schemas } from "./types.js";

/** What the first event of a stream says of the answer: where it belongs. */
export interface StartMetadata {
  userMessageId: string;
  conversationId: string;
  userId: string | null;
}

/** What the last event of a stream says of the answer. */
export type FinishMetadata = Schemas["ChatMetadata"] & { messageId: string };

/** The events of an answer, in the UI message stream of the AI SDK. */
export type ChatEvent =
  | { type: "start"; messageId: string; messageMetadata: StartMetadata }
  | { type: "start-step" }
  | { type: "text-start"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "text-end"; id: string }
  | { type: "tool-input-start"; toolCallId: string; toolName: string }
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: unknown }
  | { type: "tool-output-available"; toolCallId: string; output: unknown }
  | { type: "finish-step" }
  | { type: "error"; errorText: string }
  | { type: "finish"; finishReason: string; messageMetadata: FinishMetadata };

const known: ReadonlySet<string> = new Set<ChatEvent["type"]>([
  "start", "start-step", "text-start", "text-delta", "text-end", "tool-input-start", "tool-input-available",
  "tool-output-available", "finish-step", "error", "finish",
]);

/** Returns the events of an answer whose type is known, up to `[DONE]`. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ChatEvent, void, undefined> {
  for await (const { data } of readServerSent(body)) {
    if (data === "[DONE]") return;
    const event = JSON.parse(data) as ChatEvent;
    if (known.has(event.type)) yield event;
  }
}
