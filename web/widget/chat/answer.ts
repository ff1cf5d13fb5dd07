// Reads an answer as it is written: events of a UI message stream, shown 25 times a second at most.
import { readEvents } from "../../shared/stream/sse";
import { parseEvent, type StreamEvent } from "../../shared/stream/turn";
import type { Citation, Part } from "./state";

export interface Answer {
  turnId: string;
  messageId: string;
  userMessageId: string;
  conversationId: string;
  parts: readonly Part[];
  citations: readonly Citation[];
  /** How it ended: stop, tool-calls or error; empty while it is written. */
  finishReason: string;
  error: string;
}

export const noAnswer: Answer = {
  turnId: "",
  messageId: "",
  userMessageId: "",
  conversationId: "",
  parts: [],
  citations: [],
  finishReason: "",
  error: "",
};

interface Metadata {
  turnId?: string;
  userMessageId?: string;
  conversationId?: string;
  finishReason?: string;
  citations?: Citation[];
}

/** The answer after an event. The start of one that is read again begins it again. */
export function advance(answer: Answer, event: StreamEvent & { finishReason?: string }): Answer {
  const metadata = (event.messageMetadata ?? {}) as Metadata;
  switch (event.type) {
    case "start": {
      const { turnId = answer.turnId, userMessageId = "", conversationId = "" } = metadata;
      return { ...noAnswer, turnId, userMessageId, conversationId, messageId: event.messageId ?? "" };
    }
    case "text-start":
      return { ...answer, parts: [...answer.parts, { kind: "text", id: event.id ?? "", text: "" }] };
    case "text-delta":
      return { ...answer, parts: addText(answer.parts, event.id ?? "", event.delta ?? "") };
    case "tool-input-available":
      return { ...answer, parts: [...answer.parts, newTool(event)] };
    case "tool-output-available":
      return { ...answer, parts: answer.parts.map((part) => withOutput(part, event)) };
    case "error":
      return { ...answer, error: event.errorText || "error" };
    case "finish":
      return {
        ...answer,
        finishReason: metadata.finishReason ?? event.finishReason ?? "stop",
        citations: metadata.citations ?? [],
      };
  }
  return answer;
}

const newTool = ({ toolCallId = "", toolName = "", input }: StreamEvent): Part => ({
  kind: "tool",
  id: toolCallId,
  name: toolName,
  input,
  isDone: false,
  isFailed: false,
});

/** Whether a tool's output says that it has failed. */
export const isFailure = (output: unknown) => (output as { status?: unknown } | null | undefined)?.status === "error";

const withOutput = (part: Part, { toolCallId, output }: StreamEvent): Part =>
  part.kind === "tool" && part.id === toolCallId ? { ...part, output, isDone: true, isFailed: isFailure(output) } : part;

function addText(parts: readonly Part[], id: string, delta: string): Part[] {
  const last = parts.at(-1);
  if (last?.kind !== "text" || last.id !== id) return [...parts, { kind: "text", id, text: delta }];
  return [...parts.slice(0, -1), { ...last, text: last.text + delta }];
}

export const textOf = (parts: readonly Part[]): string => parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

/** An answer that comes as a stream, or several times because streams break. */
export class AnswerReader {
  private pending: StreamEvent[] = [];
  private readonly steps = new Steps(() => this.flush());
  private isReplay = false;
  answer = noAnswer;
  /** The number of the last event; empty where events have none. */
  lastEventId = "";

  constructor(private readonly show: (answer: Answer) => void) {}

  /** Reads a stream to its end. Returns false if it broke off before the end of the answer. */
  async read(body: ReadableStream<Uint8Array>): Promise<boolean> {
    try {
      for await (const { id, data } of readEvents(body)) {
        if (data === "[DONE]") return true;
        const event = parseEvent(data);
        if (!event) continue;
        if (id) this.lastEventId = id;
        this.push(event);
      }
      return this.answer.finishReason !== "" || this.pending.some(({ type }) => type === "finish");
    } finally {
      this.steps.flush();
    }
  }

  private push(event: StreamEvent) {
    this.pending.push(event);
    if (event.type === "start") this.steps.flush();
    else this.steps.ask();
  }

  private flush() {
    if (this.pending.length === 0) return;
    const shown = textOf(this.answer.parts);
    const isAgain = this.answer.messageId !== "" && this.pending[0]!.type === "start";
    this.answer = this.pending.splice(0).reduce(advance, this.answer);
    this.isReplay = (this.isReplay || isAgain) && this.answer.finishReason === "";
    // What is read again is shown when it has come as far as before: nothing that was read disappears.
    if (this.isReplay && textOf(this.answer.parts).length < this.longest(shown)) return;
    this.isReplay = false;
    this.shownLength = 0;
    this.show(this.answer);
  }

  private shownLength = 0;

  private longest(shown: string): number {
    return (this.shownLength = Math.max(this.shownLength, shown.length));
  }
}

const shortestStep = 40; // milliseconds: nobody reads faster, and each step draws the end of the answer again
const longestStep = 120; // in which a frame that is not drawn takes what has come

/** Has something done in a frame of the screen, not in each one. A page that is not drawn has none. */
class Steps {
  private frame = 0;
  private pause = 0;
  private timer = 0;
  private last = 0;

  constructor(private readonly step: () => void) {}

  ask() {
    if (this.timer) return;
    const draw = () => void (this.frame = requestAnimationFrame(() => this.flush()));
    const left = shortestStep - (performance.now() - this.last);
    if (left > 0) this.pause = window.setTimeout(draw, left);
    else draw();
    this.timer = window.setTimeout(() => this.flush(), longestStep);
  }

  flush() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.pause);
    clearTimeout(this.timer);
    this.timer = 0;
    this.last = performance.now();
    this.step();
  }
}
