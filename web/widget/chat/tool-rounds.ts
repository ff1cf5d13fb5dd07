// Rounds of tools: the agent calls what runs in the page or is filled in by the visitor, and goes on with the results.
import { ApiError } from "./api";
import type { FrameChat } from "./chat";
import { isFailure } from "./answer";
import { isUnreachable } from "./connection";
import type { FormSchema } from "./form/schema";
import type { Message, Part, ToolPart } from "./state";

const maxRounds = 10; // of tools between two messages of the visitor's

type ChatOfTools = Pick<
  FrameChat,
  "config" | "tools" | "thread" | "turns" | "api" | "network" | "post" | "noteFailed" | "describeUser"
>;

export class ToolRounds {
  private rounds = 0;
  private readonly pending = new Set<string>();
  /** Ends when the functions of the page that were called have returned, and what came of it is answered. */
  running: Promise<void> = Promise.resolve();

  constructor(private readonly chat: ChatOfTools) {}

  /** The visitor has written: the rounds are counted from here on. */
  begin() {
    this.rounds = 0;
  }

  /** Forgets the calls of a conversation that was left. */
  clear() {
    this.pending.clear();
  }

  /** Whether a call is answered by somebody who fills in a form. */
  isForm(name: string): boolean {
    return name === this.chat.config.leads?.toolName || this.chat.tools.hasForm(name);
  }

  describeForm(toolCallId: string, name: string, args: unknown): Promise<FormSchema> {
    return this.chat.tools.describeForm({ toolCallId, name, args }, this.chat.describeUser());
  }

  /** Runs the tools that an answer has called. Forms wait for the visitor. */
  async run(message: Message) {
    const { tools, post, describeUser, noteFailed } = this.chat;
    const calls = message.parts.filter(isOpenCall);
    for (const { id, name, input } of calls) {
      this.pending.add(id);
      post({ type: "tool-call", data: { id, toolCallId: id, name, type: "tool-call", args: input } });
    }
    const own = calls.filter(({ name }) => !this.isForm(name));
    this.running = Promise.all(
      own.map(async ({ id, name, input }) => {
        await this.sendResult(id, await tools.run({ toolCallId: id, name, args: input }, describeUser()));
      }),
    ).then(
      () => {},
      (error: unknown) => noteFailed(error instanceof ApiError ? error.code : "NO_ANSWER", ""),
    );
    await this.running;
  }

  /** Runs the tools that an answer waited for when the page was left. */
  resume() {
    const last = this.chat.thread.messages.value.at(-1);
    if (last?.author !== "assistant" || this.chat.turns.isBusy) return;
    const open = last.parts.filter(isOpenCall);
    const isOurs = open.every(({ name }) => this.isForm(name) || this.chat.tools.hasTool(name));
    if (isOurs && open.some(({ id }) => !this.pending.has(id))) void this.run(last);
  }

  /** Stores the result of a call, unless the server has it, and goes on after the last one. */
  async sendResult(callId: string, output: unknown, isStored = false): Promise<void> {
    const { thread, turns, post } = this.chat;
    const conversationId = thread.head.value?.id;
    const isIt = (part: Part): part is ToolPart => part.kind === "tool" && part.id === callId;
    const message = thread.messages.value.find(({ parts }) => parts.some(isIt));
    const call = message?.parts.find(isIt);
    if (!conversationId || !message || !call) return;
    if (!isStored) await this.store(conversationId, callId, output);
    const parts = (thread.find(message.key) ?? message).parts;
    const done = { output, isDone: true, isFailed: isFailure(output) };
    thread.change(message.key, { parts: parts.map((part) => (isIt(part) ? { ...part, ...done } : part)) });
    post({ type: "tool-result", data: { toolCallId: callId, name: call.name, type: "tool-result", result: output } });
    this.pending.delete(callId);
    if (this.pending.size > 0 || turns.isBusy) return; // the visitor has written meanwhile, and is being answered
    if (++this.rounds > maxRounds) return this.giveUp(message);
    await turns.proceed();
  }

  /** Says that there is no answer. The visitor may ask for another one. */
  private giveUp({ key }: Message) {
    const code = "TOO_MANY_ROUNDS";
    this.begin();
    this.chat.thread.change(key, { state: "failed", code });
    this.chat.noteFailed(code, "");
  }

  private async store(conversationId: string, toolCallId: string, output: unknown) {
    const { api, network } = this.chat;
    const left = new AbortController().signal;
    for (let attempt = 0; ; attempt++) {
      try {
        return await api.request("POST", "/tool-result", { conversationId, toolCallId, output });
      } catch (error) {
        if (error instanceof ApiError && error.code === "RESOURCE_TOOL_CALL_NOT_FOUND") return;
        if (!isUnreachable(error)) throw error;
        await network.pause(attempt, left);
      }
    }
  }
}

const isOpenCall = (part: Part): part is ToolPart => part.kind === "tool" && !part.isDone;
