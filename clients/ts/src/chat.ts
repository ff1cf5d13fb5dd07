import { Group, type ConversationRef } from "./group.js";
import { ChatStream } from "./stream.js";
import type { BodyOf, CallOptions, ReplyOf } from "./types.js";

type Unstreamed<Body> = Omit<Body, "stream">;

/** A message to an agent. Without `message` the agent continues after the results of its tool calls. */
export type ChatInput = Unstreamed<BodyOf<"chat">>;

/** Messages in, answers out. */
export class Chat extends Group {
  /** Sends a message and waits for the whole answer. */
  async send(agentId: string, input: ChatInput, options: CallOptions = {}): Promise<ReplyOf<"chat">["data"]> {
    const reply = await this.transport.call("chat", { path: { agentId }, body: { ...input, stream: false }, ...options });
    return reply.data;
  }

  /** Sends a message and returns the answer as it is generated. */
  async stream(agentId: string, input: ChatInput, options: CallOptions = {}): Promise<ChatStream> {
    return new ChatStream(await this.transport.send("chat", { path: { agentId }, body: { ...input, stream: true }, ...options }));
  }

  /** Answers a message again: the named answer and everything behind it give way to the new one. */
  async retry(path: ConversationRef, input: Unstreamed<BodyOf<"retry">>, options: CallOptions = {}): Promise<ReplyOf<"retry">["data"]> {
    const reply = await this.transport.call("retry", { path, body: { ...input, stream: false }, ...options });
    return reply.data;
  }

  /** Like `retry`, but returns the answer as it is generated. */
  async retryStream(path: ConversationRef, input: Unstreamed<BodyOf<"retry">>, options: CallOptions = {}): Promise<ChatStream> {
    return new ChatStream(await this.transport.send("retry", { path, body: { ...input, stream: true }, ...options }));
  }

  /** Sends the result of a tool call that ran here. Afterwards chat continues without a message. */
  toolResult(path: ConversationRef, body: BodyOf<"sendToolResult">, options: CallOptions = {}): Promise<ReplyOf<"sendToolResult">> {
    return this.transport.call("sendToolResult", { path, body, ...options });
  }
}
