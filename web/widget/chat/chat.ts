// The chat of a frame: puts together what sends, what follows, what is kept, and what the page says.
import { computed, signal } from "@preact/signals";
import type { FrameMessage, Identity, Page, PageOptions } from "../channel";
import { Announcer } from "./announcer";
import { textOf, type Answer } from "./answer";
import { Api } from "./api";
import type { Channel } from "./channel";
import type { Config } from "./config";
import { Connection } from "./connection";
import { Conversations } from "./conversations";
import { Draft } from "./draft";
import { Follower } from "./follower";
import { Language } from "./i18n";
import { mergeOptions } from "./options";
import { filesOf } from "./question";
import { People } from "./people";
import type { ComposerState, Message, Mode, Options, Rating, UploadedFile } from "./state";
import { Store } from "./store";
import { Tabs } from "./tabs";
import { Thread } from "./thread";
import { ToolRounds } from "./tool-rounds";
import { PageTools } from "./tools";
import type { TurnEvents } from "./turn-events";
import { Turns } from "./turns";
import { Visitor } from "./visitor";

const longestMessage = 10_000; // characters
// A frame that no loader has made, and the help page, are light or dark as the browser says.
const colorScheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const noPage: Page = { url: "", title: "", locale: "", colorScheme };

export class FrameChat {
  readonly post = (message: FrameMessage) => this.channel.post(message);
  readonly texts = new Language();
  readonly network = new Connection();
  readonly page = signal<Page>(noPage);
  readonly pageOptions = signal<PageOptions>({});
  readonly isSmall = signal(false);
  /** A chat that a loader has on its page is closed until the page says that it is open. */
  readonly isOpen = signal(true);
  /** Counts how often the page has said what it can do. */
  readonly handlersCount = signal(0);
  /** Counts what asks for the focus to go to the composer. */
  readonly focusCount = signal(0);
  readonly store: Store;
  readonly api: Api;
  readonly thread: Thread;
  readonly turns: Turns;
  readonly follower: Follower;
  readonly tools: PageTools;
  readonly tabs: Tabs;
  readonly people: People;
  readonly draft: Draft;
  readonly announcer = new Announcer(this);
  readonly rounds = new ToolRounds(this);
  readonly conversations = new Conversations(this);
  private readonly who = new Visitor(this);
  private isRevealWanted = false;
  private sentForPage = Promise.resolve();

  readonly options = computed<Options>(() => mergeOptions(this.config, this.mode, this.pageOptions.value, this.isSmall.value));
  readonly composer = computed(() => this.composerState());

  constructor(
    readonly config: Config,
    readonly mode: Mode,
    readonly channel: Channel,
  ) {
    this.isOpen.value = !["bubble", "stage"].includes(mode) || !channel.hasPage;
    this.store = new Store(config.agentId, channel);
    this.draft = new Draft(this.store);
    this.api = new Api(config.agentId, this.store, () => ({ page: this.page.value.url, locale: this.texts.locale.value }));
    this.api.onVisitorLost = () => this.conversations.forget();
    this.thread = new Thread(this.api);
    this.thread.isHidden = (id) => this.store.isHidden(id);
    this.turns = new Turns(this.api, this.thread, this.network, this.turnEvents());
    const { api, thread, network, turns } = this;
    const look = () => this.conversations.lookSoon();
    this.follower = new Follower(api, thread, network, turns, (fresh) => this.announcer.tell(fresh), look);
    this.tools = new PageTools({
      post: (type, data) => channel.post({ type, data }),
      complain: (message) => channel.post({ type: "error", data: { code: "INVALID_FORM", message } }),
    });
    const beginning = { describe: () => this.describeBeginning(), note: (id: string) => this.noteBegun(id) };
    this.people = new People(api, thread, this.follower, turns, this.post, this.announcer.speakOfPerson, beginning);
    this.tabs = new Tabs(config.agentId, look);
  }

  // What is shown

  get messages() {
    return this.thread.messages;
  }
  get conversation() {
    return this.thread.head;
  }
  get connection() {
    return this.network.state;
  }
  get isOnline() {
    return this.network.isOnline;
  }
  get typingUntil() {
    return this.follower.typingUntil;
  }
  get personShown() {
    return this.people.shown;
  }
  get hasEarlier() {
    return this.thread.hasEarlier;
  }
  get isKept() {
    return this.store.isKept;
  }
  get isLoading() {
    return this.conversations.isLoading;
  }
  get visitor() {
    return this.who.shown;
  }
  get spoken() {
    return this.announcer.spoken;
  }

  private composerState(): ComposerState {
    const none = { message: "", until: 0, code: "" };
    const trouble = this.turns.trouble.value;
    const phase = this.turns.phase.value;
    const status = this.thread.head.value?.status;
    if (trouble) return trouble;
    if (phase !== "idle") return { kind: phase, ...none };
    if (status === "ended") return { kind: "closed", ...none };
    if (!this.network.isOnline.value) return { kind: "offline", ...none };
    return { kind: status === "taken_over" ? "person" : "idle", ...none };
  }

  // What visitors do

  /** Finds what is kept, and goes on where the visitor was. */
  open(): Promise<void> {
    return this.conversations.resume(async () => {
      const { locale, userId } = this.store.get();
      if (locale && locale !== this.texts.locale.peek()) void this.chooseLanguage(); // what is kept came late
      this.who.noteKnown();
      if (userId) await this.who.whenNamed(); // another user of the browser sees nothing of this one
    });
  }

  send(text: string, files: readonly UploadedFile[] = [], isHidden = false) {
    const words = text.trim();
    const isRefused = ["off", "closed"].includes(this.turns.trouble.value?.kind ?? "");
    if ((!words && files.length === 0) || this.turns.isBusy || isRefused) return;
    this.rounds.begin();
    if (words === this.draft.text.value.trim()) this.draft.leave(words);
    this.turns.send(words, files, isHidden);
  }

  takeBack(key: string) {
    const message = this.thread.find(key);
    if (!message || (message.state !== "queued" && message.state !== "unsent")) return;
    this.thread.remove((one) => one.key !== key);
    this.draft.set(textOf(message.parts));
    this.focusCount.value++;
  }

  stop() {
    this.turns.stop();
  }

  /** Asks for an answer again: in place of the last one, or at the end, so that nothing goes of what was said meanwhile. */
  retry(key: string) {
    const question = this.questionOf(key);
    if (!question || this.turns.isBusy) return;
    const shown = this.thread.messages.value.filter(({ isHidden }) => !isHidden);
    const isLast = shown.at(-1)?.key === key || question.state === "unsent";
    if (isLast) void this.turns.again(question);
    else this.send(textOf(question.parts), [], question.isHidden);
  }

  /** Whether the question of a message that has gone wrong can be asked once more: files go with a message only once. */
  mayAskAnew(key: string): boolean {
    const message = this.thread.find(key);
    if (message?.state !== "failed" && message?.state !== "interrupted") return false;
    const question = this.questionOf(key);
    return !!question && textOf(question.parts) !== "" && filesOf(question).length === 0;
  }

  /** The visitor's message that a message answers, or is. */
  private questionOf(key: string): Message | undefined {
    const all = this.thread.messages.value;
    const at = all.findIndex((one) => one.key === key);
    return all.slice(0, at + 1).findLast(({ author }) => author === "user");
  }

  async rate(messageId: string, rating: Rating | null): Promise<void> {
    const message = this.thread.findById(messageId);
    if (!message) return;
    const before = message.feedback;
    this.thread.change(message.key, { feedback: rating });
    await this.sendRating(messageId, rating).catch(() => this.thread.change(message.key, { feedback: before }));
  }

  async comment(messageId: string, rating: Rating, comment: string): Promise<void> {
    await this.sendRating(messageId, rating, comment);
  }

  private async sendRating(messageId: string, feedback: Rating | null, comment = "") {
    const conversationId = this.thread.head.value?.id;
    await this.api.request("PATCH", `/messages/${messageId}/feedback`, { conversationId, feedback, ...(comment && { comment }) });
    this.tabs.tell();
  }

  reset() {
    this.turns.leave();
    this.conversations.forget();
    this.tabs.tell();
  }

  openConversation(id: string) {
    this.conversations.open(id);
  }

  loadEarlier(): Promise<void> {
    return this.thread.loadEarlier().catch(() => {});
  }

  /** Messages may be sent again. */
  endLimit() {
    if (this.turns.trouble.value?.kind === "limited") this.turns.trouble.value = null;
  }

  reconnect() {
    this.network.wake();
  }

  close() {
    this.post({ type: "close", data: undefined });
  }

  setLocale(locale: string) {
    this.store.set({ locale });
    void this.chooseLanguage();
  }

  /** The visitor's choice, that of the frame's address, the page's language, the browser's, the agent's. */
  chooseLanguage(): Promise<void> {
    const { locale } = this.store.get();
    const asked = new URLSearchParams(location.search).get("lang") ?? "";
    const wanted = [locale, asked, this.page.value.locale, ...navigator.languages, this.config.locale];
    return this.texts.choose(wanted.filter(Boolean));
  }

  // What the page does

  /** Sends for the page: after what is under way, and opens the window when the agent begins to reply. */
  sendForPage(message: string, isHidden: boolean): Promise<void> {
    return (this.sentForPage = this.sentForPage.then(async () => {
      await this.conversations.isFound;
      await this.who.identified; // another user begins a conversation, before the message
      while (this.turns.isBusy) await this.turns.whenIdle().then(() => this.rounds.running);
      if (this.conversation.value?.status === "ended") this.reset(); // nobody would read it there
      this.isRevealWanted = isHidden;
      this.send(message.slice(0, longestMessage), [], isHidden);
    }));
  }

  /** Does something once it is known who wrote here before, and what is kept of them. */
  onceKnown(run: () => void) {
    void this.who.isKnown.then(run);
  }

  identify(identity: Identity): Promise<void> {
    return this.who.identify(identity);
  }

  /** The page has said all that it says as soon as the chat is there. */
  noteIntroduced() {
    this.who.noteIntroduced();
  }

  logout() {
    this.who.logout();
  }

  readonly describeUser = () => this.who.describe();

  // What happens to messages

  private turnEvents(): TurnEvents {
    return {
      onSent: (message) => {
        if (!message.isHidden) this.post({ type: "user-message", data: { content: textOf(message.parts) } });
      },
      whenPlaced: () => this.conversations.isFound.then(() => this.who.identified),
      onPending: (pending) => this.store.set({ pending: pending ? JSON.stringify(pending) : "" }),
      onAccepted: (message, isNew) => this.noteAccepted(message, isNew),
      onText: () => this.reveal(),
      onAnswered: (answer, message) => this.noteAnswered(answer, message),
      onFailed: this.noteFailed,
      describe: () => this.describeMessage(),
    };
  }

  /** Where the chat is: what begins a conversation takes it. */
  describePlace(): Record<string, unknown> {
    const { url } = this.page.value;
    return { mode: this.mode === "preview" ? "iframe" : this.mode, ...(url && { page: url.slice(0, 2_000) }) };
  }

  /** Where a conversation begins, and in which language. */
  private describeBeginning(): Record<string, unknown> {
    const { title } = this.page.value;
    return { ...this.describePlace(), ...(title && { title: title.slice(0, 200) }), locale: this.texts.locale.value };
  }

  /** What is sent with each message. */
  private describeMessage(): Record<string, unknown> {
    const { metadata } = this.who;
    return { ...this.describeBeginning(), ...(metadata !== "" && { metadata }) };
  }

  /** A wish for a person has begun a conversation. */
  private noteBegun(conversationId: string) {
    this.store.set({ conversationId });
    this.post({ type: "conversation-started", data: { conversationId } });
    this.tabs.tell();
  }

  private noteAccepted(message: Message, isNew: boolean) {
    const conversationId = this.thread.head.value?.id ?? "";
    this.store.set({ conversationId, pending: "" });
    if (message.isHidden) this.store.hide(this.thread.find(message.key)?.id ?? "");
    this.draft.drop(textOf(message.parts));
    this.announcer.noteSeen();
    if (isNew) this.post({ type: "conversation-started", data: { conversationId } });
    this.announcer.speakOfWriting();
    this.tabs.tell();
  }

  private noteAnswered(answer: Answer, message: Message) {
    const content = textOf(message.parts);
    if (message.state !== "complete") this.announcer.speakOfIncomplete(message);
    else if (content) {
      if (this.turns.isOwn) this.post({ type: "assistant-message", data: { content } });
      void this.announcer.speak(content);
    }
    if (!this.isRevealWanted) this.announcer.count([message]); // else the window opens for it
    if (!this.turns.isOwn) return;
    this.tabs.tell();
    this.reveal();
    if (answer.finishReason === "tool-calls") void this.rounds.run(message);
    else void this.people.checkAnswer(message);
  }

  private reveal() {
    if (this.isRevealWanted) this.post({ type: "reveal", data: undefined });
    this.isRevealWanted = false;
  }

  readonly noteFailed = (code: string, message: string) => {
    this.isRevealWanted = false;
    this.announcer.speakOfIncomplete();
    this.post({ type: "error", data: { code, message } });
  };
}
