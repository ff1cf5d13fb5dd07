import { ParleyError } from "./error.js";
import { readEvents, type ChatEvent, type FinishMetadata } from "./events.js";

/** A tool that the agent has called. Without an output the client is to run it and to send the result. */
export interface ToolCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
  output?: unknown;
}

/** A whole answer. */
export interface Answer {
  messageId: string;
  text: string;
  toolCalls: ToolCall[];
  finishReason: string;
  metadata: FinishMetadata;
}

/**
 * An answer that is still being written. It is read once: iterate over it for the events, over `deltas()` for the text, or
 * await `final()` for the whole. Leaving a loop early closes the connection; the server finishes the answer and keeps it.
 */
export class ChatStream implements AsyncIterable<ChatEvent> {
  readonly #response: Response;
  readonly #tools = new Map<string, ToolCall>();
  #messageId = "";
  #text = "";
  #failure: string | undefined;
  #end: Extract<ChatEvent, { type: "finish" }> | undefined;
  #events: AsyncGenerator<ChatEvent, void, undefined> | undefined;

  constructor(response: Response) {
    this.#response = response;
  }

  /** Names the request in the server's log. */
  get requestId(): string | undefined {
    return this.#response.headers.get("x-request-id") ?? undefined;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  [Symbol.asyncIterator](): AsyncIterator<ChatEvent> {
    return (this.#events ??= this.#read());
  }

  async *#read(): AsyncGenerator<ChatEvent, void, undefined> {
    if (!this.#response.body) return;
    for await (const event of readEvents(this.#response.body)) {
      this.#note(event);
      yield event;
    }
  }

  #note(event: ChatEvent): void {
    switch (event.type) {
      case "start":
        this.#messageId = event.messageId;
        break;
      case "text-delta":
        this.#text += event.delta;
        break;
      case "tool-input-available":
        this.#tools.set(event.toolCallId, { toolCallId: event.toolCallId, toolName: event.toolName, input: event.input });
        break;
      case "tool-output-available":
        this.#ran(event.toolCallId, event.output);
        break;
      case "error":
        this.#failure = event.errorText;
        break;
      case "finish":
        this.#end = event;
    }
  }

  #ran(id: string, output: unknown): void {
    const call = this.#tools.get(id);
    if (call) call.output = output;
  }

  /** The text, piece by piece. Fails like `final` when the answer fails. */
  async *deltas(): AsyncGenerator<string, void, undefined> {
    for await (const event of this) {
      if (event.type === "text-delta") yield event.delta;
    }
    this.#answer();
  }

  /** The whole answer. Fails with a ParleyError when the answer failed, or when its stream ended before it. */
  async final(): Promise<Answer> {
    for await (const _ of this);
    return this.#answer();
  }

  #answer(): Answer {
    const problem = this.#failure ?? (this.#end ? undefined : "The stream ended before the answer did.");
    if (problem !== undefined || !this.#end) {
      throw new ParleyError({ code: this.#failure === undefined ? "STREAM_ENDED_EARLY" : "CHAT_STREAMING_ERROR", message: problem ?? "", status: 0, requestId: this.requestId });
    }
    const { finishReason, messageMetadata } = this.#end;
    return { messageId: this.#messageId, text: this.#text, toolCalls: [...this.#tools.values()], finishReason, metadata: messageMetadata };
  }
}
