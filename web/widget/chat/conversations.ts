// Which conversation is shown: the one that the visitor was in, another of theirs, or none yet.
import { batch, signal } from "@preact/signals";
import { ApiError } from "./api";
import type { FrameChat } from "./chat";
import { isUnreachable } from "./connection";
import { preloadAnswers } from "./rich-text";
import type { Pending } from "./state";

const pendingLifetime = 10 * 60_000; // milliseconds
const pauseOfTabs = 150;
const longestSearch = 300; // for what is kept, before the chat is shown without

type ChatOfConversations = Pick<
  FrameChat,
  "store" | "thread" | "turns" | "network" | "follower" | "people" | "rounds" | "draft" | "tabs" | "announcer"
>;

export class Conversations {
  /** It is not known yet whether there is something to show. */
  readonly isLoading = signal(true);
  private noteFound: () => void = () => {};
  /** Ends when it is clear whether there is a conversation to go on with. */
  readonly isFound = new Promise<void>((resolve) => (this.noteFound = resolve));
  private load: AbortController | null = null;
  private timer = 0;

  constructor(private readonly chat: ChatOfConversations) {}

  /** Finds what is kept, and goes on where the visitor was. `onKnown` is awaited when it is read who that is. */
  async resume(onKnown: () => Promise<void>): Promise<void> {
    const { store, turns } = this.chat;
    const timer = setTimeout(() => (this.isLoading.value = false), longestSearch);
    await store.open();
    clearTimeout(timer);
    store.onChange = () => this.lookSoon();
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.lookAgain());
    addEventListener("online", () => turns.sendQueued());
    await onKnown();
    this.chat.draft.restore();
    const { conversationId } = store.get();
    if (conversationId) await this.show(conversationId);
    else this.isLoading.value = false;
    this.noteFound();
    await this.resendPending();
  }

  private async resendPending() {
    const { store, turns, draft } = this.chat;
    const pending = readPending(store.get().pending);
    if (!turns.isBusy && !pending) this.chat.thread.noteUnanswered();
    if (!pending || turns.isBusy) return;
    if (Date.now() - pending.sentAt > pendingLifetime) return store.set({ pending: "" });
    draft.text.value = "";
    await turns.resend(pending);
  }

  /** Loads a conversation, as often as it takes. */
  private async show(id: string, isOwn = true) {
    const { thread, network } = this.chat;
    this.load?.abort();
    const { signal: isLeft } = (this.load = new AbortController());
    this.isLoading.value = thread.messages.value.length === 0;
    preloadAnswers();
    for (let attempt = 0; !isLeft.aborted; attempt++) {
      try {
        const history = await thread.load(id, isLeft);
        network.ok();
        this.isLoading.value = false;
        this.chat.announcer.noteLoaded();
        if (history.answer) void this.chat.turns.follow(history.answer, isOwn);
        else if (isOwn) this.chat.rounds.resume();
        return this.chat.people.follow();
      } catch (error) {
        if (isLeft.aborted) return;
        if (!mayRepeat(error)) return this.giveUp(error);
        await network.pause(attempt, isLeft);
      }
    }
  }

  private giveUp(error: unknown) {
    this.isLoading.value = false;
    if (error instanceof ApiError && error.status === 404) this.forget();
  }

  /** Another tab tells what it does in several ways at once: they are one reason to look. */
  lookSoon() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.lookAgain(), pauseOfTabs);
  }

  /** Looks what has changed while this tab did not look: another one may have gone on. */
  private async lookAgain(): Promise<void> {
    const { store, thread, turns, people, announcer } = this.chat;
    await store.reload();
    const { conversationId } = store.get();
    const shown = thread.head.value?.id ?? "";
    if (turns.isBusy || this.isLoading.value) return;
    if (conversationId !== shown) {
      this.clear();
      return conversationId ? this.show(conversationId, false) : undefined;
    }
    if (!shown) return;
    try {
      const history = await thread.refresh();
      if (history?.answer) void turns.follow(history.answer, false);
      announcer.countMissed();
      people.follow();
    } catch {
      // it is asked again when something happens
    }
  }

  open(id: string) {
    if (id === this.chat.thread.head.value?.id) return;
    this.clear();
    this.chat.store.set({ conversationId: id });
    void this.show(id);
    this.chat.tabs.tell();
  }

  private clear() {
    const { turns, follower, thread, rounds } = this.chat;
    turns.leave();
    turns.trouble.value = null;
    follower.reset();
    thread.clear();
    rounds.clear();
  }

  /** The next message begins a conversation. What is under way goes on, unless the turns are left as well. */
  forget() {
    const { turns, follower, thread, rounds, store } = this.chat;
    batch(() => {
      this.load?.abort();
      this.isLoading.value = false;
      follower.reset();
      thread.clear();
      turns.trouble.value = null;
      rounds.clear();
    });
    store.set({ conversationId: "", pending: "" });
  }
}

const mayRepeat = (error: unknown) => isUnreachable(error) || (error instanceof ApiError && error.status === 429);

function readPending(text: string): Pending | null {
  try {
    const pending = JSON.parse(text) as Pending;
    if (typeof pending.key !== "string" || !pending.body) return null;
    return { ...pending, files: Array.isArray(pending.files) ? pending.files : [] };
  } catch {
    return null;
  }
}
