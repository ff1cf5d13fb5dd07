// The state of an answer, out of the events of a UI message stream.
import { readEventLists } from "./sse";

export type AnswerState = "sure" | "unsure" | "refused";

export interface Citation {
  sourceId: string;
  name: string;
  url?: string | null;
  versionHash: string;
  start: number;
  end: number;
  answerStart: number;
  answerEnd: number;
}

/** What the last event says of an answer. */
export interface AnswerMetadata {
  messageId: string;
  userMessageId: string;
  conversationId: string;
  finishReason: string;
  usage: { credits: number };
  score: number | null;
  answerState?: AnswerState | null;
  citations: Citation[];
}

export interface ToolPart {
  kind: "tool";
  id: string;
  name: string;
  input?: unknown;
  output?: unknown;
  isDone: boolean;
}

export type Part = { kind: "text"; id: string; text: string } | ToolPart;

export interface Turn<Metadata extends AnswerMetadata = AnswerMetadata> {
  status: "sending" | "streaming" | "done" | "failed" | "stopped";
  messageId: string;
  userMessageId: string;
  conversationId: string;
  parts: readonly Part[];
  error: string;
  metadata: Metadata | null;
}

export const newTurn = <Metadata extends AnswerMetadata>(): Turn<Metadata> => ({
  status: "sending",
  messageId: "",
  userMessageId: "",
  conversationId: "",
  parts: [],
  error: "",
  metadata: null,
});

/** An event of the stream; its members depend on the type. */
export interface StreamEvent {
  type: string;
  lane?: string;
  id?: string;
  delta?: string;
  messageId?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
  messageMetadata?: unknown;
}

/** The state after an event. Unknown events change nothing. */
export function advance<M extends AnswerMetadata>(turn: Turn<M>, event: StreamEvent): Turn<M> {
  switch (event.type) {
    case "start": {
      const { userMessageId = "", conversationId = "" } = (event.messageMetadata ?? {}) as Partial<AnswerMetadata>;
      return { ...turn, status: "streaming", messageId: event.messageId ?? "", userMessageId, conversationId };
    }
    case "text-start":
      return { ...turn, parts: [...turn.parts, { kind: "text", id: event.id ?? "", text: "" }] };
    case "text-delta":
      return { ...turn, parts: addText(turn.parts, event.id ?? "", event.delta ?? "") };
    case "tool-input-available":
      return { ...turn, parts: [...turn.parts, newTool(event)] };
    case "tool-output-available":
      return { ...turn, parts: turn.parts.map((part) => (isToolOf(part, event) ? { ...part, output: event.output, isDone: true } : part)) };
    case "error":
      return { ...turn, status: "failed", error: event.errorText ?? "" };
    case "finish": {
      const metadata = (event.messageMetadata ?? null) as M | null;
      return { ...turn, status: turn.status === "failed" ? "failed" : "done", metadata };
    }
  }
  return turn;
}

const isToolOf = (part: Part, event: StreamEvent): part is ToolPart => part.kind === "tool" && part.id === event.toolCallId;

const newTool = ({ toolCallId = "", toolName = "", input }: StreamEvent): ToolPart => ({
  kind: "tool",
  id: toolCallId,
  name: toolName,
  input,
  isDone: false,
});

function addText(parts: readonly Part[], id: string, delta: string): Part[] {
  const last = parts.at(-1);
  if (last?.kind !== "text" || last.id !== id) return [...parts, { kind: "text", id, text: delta }];
  return [...parts.slice(0, -1), { ...last, text: last.text + delta }];
}

/** The text of an answer, as its citations count it. */
export const textOfTurn = (parts: readonly Part[]) => parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

/** The events of a streamed answer. A line that is no event is skipped. */
export async function* readTurn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  for await (const events of readTurnLists(body)) yield* events;
}

/** The same, in lists of those that came since the last look. */
export async function* readTurnLists(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent[]> {
  for await (const list of readEventLists(body)) {
    const end = list.findIndex(({ data }) => data === "[DONE]");
    const events = (end < 0 ? list : list.slice(0, end)).flatMap(({ data }) => parseEvent(data) ?? []);
    if (events.length > 0) yield events;
    if (end >= 0) return;
  }
}

/** Reads the data of an event; null for what is none. */
export function parseEvent(data: string): StreamEvent | null {
  try {
    const event: unknown = JSON.parse(data);
    return typeof (event as StreamEvent | null)?.type === "string" ? (event as StreamEvent) : null;
  } catch {
    return null;
  }
}
