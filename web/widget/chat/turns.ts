// A message's life: it is sent, answered, and found again after whatever breaks in between.
import { signal } from "@preact/signals";
import { AnswerReader, noAnswer, type Answer } from "./answer";
import { ApiError, type Api } from "./api";
import { isUnreachable, type Connection } from "./connection";
import { contentOf, filesOf, isOff, newQuestion, stoppedHere } from "./question";
import type { Message, Pending, UploadedFile } from "./state";
import { newMessage, type OpenAnswer, type Thread } from "./thread";
import type { Trouble, TurnEvents } from "./turn-events";

export class Turns {
  readonly phase = signal<"idle" | "sending" | "streaming" | "waiting">("idle");
  readonly trouble = signal<Trouble | null>(null);
  private running: AbortController | null = null;
  private turnId = "";
  private isStopped = false;
  /** This tab has asked for the answer that is being written. */
  isOwn = false;

  constructor(
    private readonly api: Api,
    private readonly thread: Thread,
    private readonly connection: Connection,
    private readonly events: TurnEvents,
  ) {}

  get isBusy() {
    return this.running !== null;
  }

  /** Ends when nothing is under way. */
  async whenIdle(): Promise<void> {
    let end = () => {};
    await new Promise<void>((done) => (end = this.phase.subscribe(() => void (this.isBusy || done()))));
    end();
  }

  /** Ends what is under way for this frame; the server goes on with it. */
  leave() {
    this.running?.abort();
    this.running = null;
    this.turnId = "";
    this.phase.value = "idle";
  }

  send(text: string, files: readonly UploadedFile[], isHidden: boolean) {
    const state = this.connection.isOnline.value ? "sending" : "queued";
    const message = { ...newQuestion(state, text, files), isHidden };
    this.thread.add(message);
    this.events.onSent(message);
    if (state === "sending") void this.deliver(message);
  }

  /** Sends what has waited for the network. */
  sendQueued() {
    const message = this.thread.messages.value.find(({ state }) => state === "queued");
    if (!message || this.isBusy) return;
    this.thread.change(message.key, { state: "sending" });
    void this.deliver(message);
  }

  async deliver(message: Message) {
    await this.run(async (signal) => {
      this.phase.value = "sending";
      await this.events.whenPlaced();
      const isPerson = this.thread.head.value?.status === "taken_over";
      if (!signal.aborted) await (isPerson ? this.tellPerson(message, signal) : this.ask(message, signal));
    });
  }

  /** Sends a message again whose reply was lost with the page that waited for it. */
  resend(pending: Pending): Promise<void> {
    const message = { ...newQuestion("sending", pending.body.message ?? "", pending.files), isHidden: pending.isHidden };
    this.thread.add(message);
    return this.run((signal) => this.post(message, pending, signal));
  }

  private ask(message: Message, signal: AbortSignal): Promise<void> {
    const body = { ...contentOf(message), ...this.conversation(), ...this.events.describe() };
    const { isHidden } = message;
    const files = filesOf(message);
    return this.post(message, { key: crypto.randomUUID(), body, files, isHidden, sentAt: Date.now() }, signal);
  }

  private async post(message: Message, pending: Pending, signal: AbortSignal) {
    this.phase.value = "sending";
    this.events.onPending(pending);
    try {
      await this.openAnswer("/messages", pending.body, message, signal, pending.key);
    } catch (error) {
      if (signal.aborted) return;
      this.events.onPending(null);
      await this.refuse(message, error, signal);
    }
  }

  private conversation() {
    const id = this.thread.head.value?.id;
    return id ? { conversationId: id } : {};
  }

  /** Goes on after the results of the page's tools. */
  proceed(): Promise<void> {
    return this.run((signal) => {
      this.phase.value = "streaming";
      const body = { ...this.conversation(), ...this.events.describe() };
      return this.openAnswer("/messages", body, newMessage("user", "complete"), signal);
    });
  }

  /** Asks for another answer in place of those after a message of the visitor's. */
  again(message: Message): Promise<void> {
    const all = this.thread.messages.value;
    const at = all.findIndex(({ key }) => key === message.key);
    const later = new Set(all.slice(at + 1).map(({ key }) => key));
    if (!message.id) {
      this.thread.change(message.key, { state: "sending", code: "" });
      return this.deliver({ ...message, key: message.key });
    }
    this.thread.remove(({ key }) => !later.has(key));
    this.thread.change(message.key, { state: "complete", code: "" });
    return this.run((signal) => {
      this.phase.value = "sending";
      const body = { ...this.conversation(), messageId: message.id };
      return this.openAnswer("/retry", body, newMessage("user", "complete"), signal).catch((error: unknown) => {
        if (!signal.aborted) this.thread.change(message.key, { state: "failed" });
        throw error;
      });
    });
  }

  /** Follows an answer that another tab has asked for, or, if it is its own, this one before it was loaded again. */
  follow(open: OpenAnswer, isOwn: boolean): Promise<void> {
    if (this.isBusy) return Promise.resolve();
    return this.run((signal) => {
      this.isOwn = isOwn;
      this.phase.value = "streaming";
      const shown = this.thread.findById(open.messageId);
      const message = shown ?? { ...newMessage("assistant", "streaming"), id: open.messageId };
      if (!shown) this.thread.add(message);
      const reader = this.reader(message.key, undefined);
      reader.answer = { ...noAnswer, turnId: open.turnId, messageId: open.messageId };
      this.turnId = open.turnId;
      return this.readOn(reader, message.key, signal);
    });
  }

  /** Stops the answer; what there is of it stays. */
  stop() {
    if (!this.turnId) return;
    this.isStopped = true;
    void this.api.request("POST", `/turns/${this.turnId}/stop`).catch(() => (this.isStopped = false));
  }

  /** Runs one thing at a time. */
  private async run(work: (signal: AbortSignal) => Promise<void>) {
    this.running?.abort();
    const controller = (this.running = new AbortController());
    this.trouble.value = null;
    this.isStopped = false;
    this.isOwn = true;
    let failure: unknown;
    try {
      await work(controller.signal);
    } catch (error) {
      failure = error;
    }
    if (this.running !== controller) return;
    this.running = null;
    this.turnId = "";
    this.phase.value = "idle";
    if (failure) this.report(failure);
    else if (this.connection.isOnline.value) this.sendQueued();
  }

  /** Posts until there is a reply, and reads the answer until its end. */
  private async openAnswer(path: string, body: unknown, message: Message, signal: AbortSignal, key: string = crypto.randomUUID()) {
    const answer = newMessage("assistant", "streaming");
    const reader = this.reader(answer.key, message);
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const stream = await this.api.stream("POST", path, body, { key, signal });
        this.connection.ok();
        if (await reader.read(stream)) return await this.finish(reader.answer, answer.key, signal);
      } catch (error) {
        if (signal.aborted) return;
        const isBegun = reader.answer.turnId !== "" && isUnreachable(error);
        if (!isBegun && !(await this.mayRepeat(error, attempt, signal))) throw error;
        if (!isBegun) continue;
      }
      if (signal.aborted) return;
      await this.connection.pause(attempt, signal);
      if (reader.answer.turnId) return this.readOn(reader, answer.key, signal);
    }
  }

  /** Waits, and says whether a request that has failed is sent again. */
  private async mayRepeat(error: unknown, attempt: number, signal: AbortSignal): Promise<boolean> {
    const { code, retryAfter } = error instanceof ApiError ? error : { code: "", retryAfter: 0 };
    if (code === "CHAT_CONVERSATION_BUSY" || code === "IDEMPOTENCY_KEY_IN_USE") {
      const before = this.phase.value;
      if (code === "CHAT_CONVERSATION_BUSY") this.phase.value = "waiting";
      await this.connection.wait(Math.max(500, retryAfter * 1000), signal);
      this.phase.value = before;
      return true;
    }
    if (!isUnreachable(error)) return false;
    if (!this.connection.isOnline.value) this.phase.value = "sending";
    await this.connection.pause(attempt, signal);
    return true;
  }

  /** Reads the turn's own events until its end, however often the network or the server go away. */
  private async readOn(reader: AnswerReader, key: string, signal: AbortSignal) {
    for (let attempt = 0; !signal.aborted; attempt++) {
      const path = `/turns/${reader.answer.turnId || this.turnId}/events`;
      try {
        const stream = await this.api.stream("GET", path, undefined, { signal, lastEventId: reader.lastEventId });
        this.connection.ok();
        attempt = 0;
        if (await reader.read(stream)) return await this.finish(reader.answer, key, signal, true);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && !isUnreachable(error) && error.status !== 429) {
          return this.takeStored(key, error.code, signal);
        }
      }
      await this.connection.pause(attempt, signal);
    }
  }

  private reader(key: string, question: Message | undefined): AnswerReader {
    let isAccepted = false;
    let hasText = false;
    return new AnswerReader((answer) => {
      if (!isAccepted && answer.messageId) {
        isAccepted = true;
        this.accept(answer, key, question);
      }
      if (answer.finishReason) return; // finish says how it is shown
      this.thread.change(key, { parts: answer.parts });
      if (!hasText && answer.parts.length > 0) {
        hasText = true;
        this.events.onText();
      }
    });
  }

  /** The server has the message and has begun to answer it. */
  private accept(answer: Answer, key: string, question: Message | undefined) {
    const { thread } = this;
    this.turnId = answer.turnId;
    this.phase.value = "streaming";
    const isNew = thread.head.value?.id !== answer.conversationId && answer.conversationId !== "";
    if (isNew) thread.begin(answer.conversationId);
    const isShown = (id: string, own: string) => thread.messages.value.some((one) => one.id === id && one.key !== own);
    if (question && thread.find(question.key)) {
      if (isShown(answer.userMessageId, question.key)) thread.remove((one) => one.key !== question.key);
      else thread.change(question.key, { id: answer.userMessageId, state: "complete", code: "" });
    }
    if (isShown(answer.messageId, key)) thread.remove((one) => one.id !== answer.messageId || one.key === key);
    if (thread.find(key)) thread.change(key, { id: answer.messageId });
    else thread.add({ ...newMessage("assistant", "streaming"), key, id: answer.messageId });
    if (question) this.events.onAccepted(question, isNew);
  }

  /** Shows the end of an answer. What did not end by itself is as the server has stored it. */
  private async finish(answer: Answer, key: string, signal: AbortSignal, isResumed = false) {
    if (answer.finishReason === "error" || answer.error || !answer.finishReason) {
      return this.takeStored(key, answer.error ? "CHAT_STREAMING_ERROR" : "", signal, answer);
    }
    const { parts, citations } = answer;
    this.thread.change(key, { parts, citations, state: "complete" });
    if (isResumed) await this.refresh(signal);
    this.end(answer, key);
  }

  private end(answer: Answer, key: string) {
    const message = this.thread.find(key);
    this.running = null;
    this.turnId = "";
    this.phase.value = "idle";
    if (message) this.events.onAnswered(answer, message);
  }

  /** Shows an answer as the server has stored it. */
  private async takeStored(key: string, code: string, signal: AbortSignal, answer: Answer = noAnswer) {
    const { thread } = this;
    const isStopped = this.isStopped;
    if (answer.messageId) thread.change(key, { parts: answer.parts, citations: answer.citations });
    await this.refresh(signal);
    if (signal.aborted) return;
    const shown = thread.find(key);
    if (shown?.state === "streaming") {
      if (isStopped && shown.parts.length === 0) thread.remove((one) => one.key !== key);
      else thread.change(key, { state: isStopped ? "interrupted" : "failed", code: code || "CHAT_STREAMING_ERROR" });
    }
    if (isStopped) thread.change(key, { code: stoppedHere });
    const message = thread.find(key);
    const isBroken = message?.state === "failed" || (message?.state === "interrupted" && code !== "" && !isStopped);
    if (isBroken) this.events.onFailed(code || message.code, "");
    this.end(answer, key);
  }

  /** Loads what is stored, as often as it takes. */
  private async refresh(signal: AbortSignal) {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await this.thread.refresh(signal);
        return this.connection.ok();
      } catch (error) {
        if (signal.aborted || !isUnreachable(error)) return;
        await this.connection.pause(attempt, signal);
      }
    }
  }

  private async tellPerson(message: Message, signal: AbortSignal) {
    this.phase.value = "sending";
    const key = crypto.randomUUID();
    const body = contentOf(message);
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const path = `/conversation/${this.thread.head.value!.id}/messages`;
        const stored = await this.api.request<{ id: string; seq: number }>("POST", path, body, { key, signal });
        this.connection.ok();
        const isShown = this.thread.findById(stored.id);
        if (isShown) this.thread.remove((one) => one.key !== message.key);
        else this.thread.change(message.key, { id: stored.id, seq: stored.seq, state: "complete" });
        return this.events.onAccepted(message, false);
      } catch (error) {
        if (signal.aborted) return;
        if (!(await this.mayRepeat(error, attempt, signal))) return this.refuse(message, error, signal);
      }
    }
  }

  /** Shows why a message was not taken. Its words stay, to be sent again or changed. */
  private async refuse(message: Message, error: unknown, signal: AbortSignal): Promise<void> {
    const fault = error instanceof ApiError ? error : new ApiError(0, "", "", 0);
    const { code, message: words } = fault;
    if (error instanceof ApiError && error.details.userMessageId) return this.noteUnanswered(message, error);
    const unsent = () => this.thread.change(message.key, { state: "unsent", code: code || "NO_ANSWER" });
    if (code === "CONVERSATION_NOT_FOUND") {
      this.thread.head.value = null;
      return this.ask(message, signal);
    }
    if (code === "CHAT_CONVERSATION_NOT_ONGOING" || code === "CONVERSATION_NOT_TAKEN_OVER") {
      await this.refresh(signal);
      const now = this.thread.head.value?.status;
      if (now === "taken_over" && code === "CHAT_CONVERSATION_NOT_ONGOING") return this.tellPerson(message, signal);
      if (now === "ongoing" && code === "CONVERSATION_NOT_TAKEN_OVER") return this.ask(message, signal);
    }
    unsent();
    this.noteTrouble(fault);
    this.events.onFailed(code || "NO_ANSWER", words);
  }

  /** The server has the message, and could not begin to answer it: only the answer is asked for again. */
  private noteUnanswered(message: Message, { code, message: words, details }: ApiError) {
    const { thread } = this;
    const { conversationId = "", userMessageId: id = "" } = details;
    const isNew = thread.head.value?.id !== conversationId;
    if (isNew) thread.begin(conversationId);
    const shown = thread.findById(id) ?? message;
    if (shown.key !== message.key) thread.remove((one) => one.key !== message.key);
    thread.change(shown.key, { id, state: "failed", code });
    this.events.onAccepted(message, isNew);
    this.events.onFailed(code, words);
  }

  private report(error: unknown) {
    const fault = error instanceof ApiError ? error : new ApiError(0, "NO_ANSWER", "", 0);
    this.noteTrouble(fault);
    this.events.onFailed(fault.code, fault.message);
  }

  /** Shows that nothing is answered, for a while or for now: in the company's words where it has chosen some. */
  private noteTrouble({ status, code, message, retryAfter, details }: ApiError) {
    if (status === 429) {
      const words = details.reason === "own_words" ? message : "";
      this.trouble.value = { kind: "limited", message: words, until: Date.now() + Math.max(1, retryAfter) * 1000, code };
    } else if (isOff(status, code)) {
      this.trouble.value = { kind: "off", message: "", until: 0, code };
    }
  }
}
