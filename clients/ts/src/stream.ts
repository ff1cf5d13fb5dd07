import { ParleyError } from "./error.js";
import { readEvents, type ChatEvent, type FinishMetadata, type StartMetadata } from "./events.js";

/** A tool that the agent has called. Without an output the client is to run it and to send the result. */
export interface ToolCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
  output?: unknown;
}

/** Where an answer belongs, known before its first word. */
export interface Beginning extends StartMetadata {
  messageId: string;
}

/** An answer that came to its end, or was cut short. */
export interface Answer {
  messageId: string;
  text: string;
  toolCalls: ToolCall[];
  /**
   * `stop`; `tool-calls` when the client is to run tools; `error` when the answer was cut short without a failure, because a person
   * took the conversation over, it was ended, or the server stopped. `text` is then what there is of it.
   */
  finishReason: string;
  metadata: FinishMetadata;
}

/**
 * An answer that is still being written. It is read once: iterate over it for the events, over `deltas()` for the text, or
 * await `final()` for the whole. `begun()` tells before that where the answer belongs; it takes nothing from the reading. Leaving a
 * loop early closes the connection; the server finishes the answer and keeps it.
 */
export class ChatStream implements AsyncIterable<ChatEvent> {
  readonly #response: Response;
  readonly #tools = new Map<string, ToolCall>();
  #beginning: Beginning | undefined;
  #text = "";
  #failure: string | undefined;
  #end: Extract<ChatEvent, { type: "finish" }> | undefined;
  #source: AsyncGenerator<ChatEvent, void, undefined> | undefined;
  #first: Promise<IteratorResult<ChatEvent, void>> | undefined;
  #events: AsyncGenerator<ChatEvent, void, undefined> | undefined;

  constructor(response: Response) {
    this.#response = response;
  }

  /** Names the request in the server's log. */
  get requestId(): string | undefined {
    return this.#response.headers.get("x-request-id") ?? undefined;
  }

  /** The conversation that the answer belongs to; nothing before the first event was read. */
  get conversationId(): string | undefined {
    return this.#beginning?.conversationId;
  }

  /** The message that is answered, which `retry` takes; nothing before the first event was read. */
  get userMessageId(): string | undefined {
    return this.#beginning?.userMessageId;
  }

  /** Waits for the first event and tells where the answer belongs. Fails with a ParleyError when the stream ended before it. */
  async begun(): Promise<Beginning> {
    await this.#begin();
    if (!this.#beginning) throw this.#failed("STREAM_ENDED_EARLY", "The stream ended before the answer began.");
    return this.#beginning;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  [Symbol.asyncIterator](): AsyncIterator<ChatEvent> {
    return (this.#events ??= this.#read());
  }

  async *#read(): AsyncGenerator<ChatEvent, void, undefined> {
    try {
      for (let read = await this.#begin(); !read.done; read = await this.#next()) yield read.value;
    } finally {
      await this.#source?.return();
    }
  }

  /** Reads the first event, once. */
  #begin(): Promise<IteratorResult<ChatEvent, void>> {
    return (this.#first ??= this.#next());
  }

  async #next(): Promise<IteratorResult<ChatEvent, void>> {
    if (!this.#response.body) return { done: true, value: undefined };
    const read = await (this.#source ??= readEvents(this.#response.body)).next();
    if (!read.done) this.#note(read.value);
    return read;
  }

  #note(event: ChatEvent): void {
    switch (event.type) {
      case "start":
        this.#beginning = { messageId: event.messageId, ...event.messageMetadata };
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

  /** The text, piece by piece. Fails like `final` when the answer fails; `final` says whether it was cut short. */
  async *deltas(): AsyncGenerator<string, void, undefined> {
    for await (const event of this) {
      if (event.type === "text-delta") yield event.delta;
    }
    this.#answer();
  }

  /**
   * The whole answer, or with `finishReason: "error"` what there is of one that was cut short. Fails with a ParleyError when the answer
   * failed, or when its stream ended before it; `details` then names the `conversationId` and the `userMessageId`.
   */
  async final(): Promise<Answer> {
    for await (const _ of this);
    return this.#answer();
  }

  #answer(): Answer {
    if (this.#failure !== undefined) throw this.#failed("CHAT_STREAMING_ERROR", this.#failure);
    if (!this.#end) throw this.#failed("STREAM_ENDED_EARLY", "The stream ended before the answer did.");
    const { finishReason, messageMetadata } = this.#end;
    const messageId = this.#beginning?.messageId ?? messageMetadata.messageId;
    return { messageId, text: this.#text, toolCalls: [...this.#tools.values()], finishReason, metadata: messageMetadata };
  }

  #failed(code: string, message: string): ParleyError {
    const { conversationId, userMessageId } = this.#beginning ?? {};
    const details = { ...(conversationId !== undefined && { conversationId }), ...(userMessageId !== undefined && { userMessageId }) };
    return new ParleyError({ code, message, status: 0, details, requestId: this.requestId });
  }
}
