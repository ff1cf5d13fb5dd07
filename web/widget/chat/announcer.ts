// Tells what has come: a sentence to those who hear the chat, a number and a tone to those who look elsewhere.
import { signal } from "@preact/signals";
import { textOf } from "./answer";
import type { FrameChat } from "./chat";
import { personText, type PersonChange } from "./person/text";
import { whyInterrupted } from "./question";
import { readOut } from "./rich-text";
import type { Message, Person } from "./state";

const longestSpoken = 500; // characters

export class Announcer {
  /** The sentence that is spoken. */
  readonly spoken = signal("");
  private unread = 0;
  private spokenCount = 0;

  constructor(private readonly chat: Pick<FrameChat, "isOpen" | "store" | "thread" | "texts" | "options" | "post">) {}

  /** Speaks the words of a message, unless something newer is spoken by the time that they are read. */
  async speak(text: string) {
    const count = ++this.spokenCount;
    const words = await readOut(text);
    if (count === this.spokenCount) this.spoken.value = this.shorten(words);
  }

  private shorten(words: string): string {
    if (words.length <= longestSpoken) return words;
    const text = words.slice(0, longestSpoken).replace(/[\ud800-\udbff]$/, "");
    return this.chat.texts.t("a11y.more", { text });
  }

  private say(sentence: string) {
    this.spokenCount++;
    this.spoken.value = sentence;
  }

  /** An answer is being written. */
  speakOfWriting() {
    this.say(this.chat.texts.t("a11y.writing", { name: this.chat.options.value.displayName }));
  }

  /** An answer is not whole, or there is none. That it has failed is said beside it. */
  speakOfIncomplete(message?: Message) {
    this.say(message?.state === "interrupted" ? this.chat.texts.t(whyInterrupted(message)) : "");
  }

  /** Somebody else answers from here on. */
  readonly speakOfPerson = (change: PersonChange, person: Person | null) => {
    this.say(personText(this.chat.texts.t, change, person));
  };

  /** Tells of messages that somebody else has written. */
  tell(fresh: readonly Message[]) {
    this.count(fresh);
    const last = fresh.findLast(({ author }) => author !== "user");
    if (last) void this.speak(textOf(last.parts));
  }

  count(messages: readonly Message[]) {
    const { isOpen, store } = this.chat;
    if (isOpen.value && document.visibilityState === "visible") return this.noteSeen();
    const count = messages.filter(isTheirs).length;
    if (count > 0 && store.get().hasSound) void import("./sound").then(({ playTone }) => playTone());
    this.setUnread(this.unread + count);
  }

  /** Nothing is unread any more: the visitor looks at the chat. */
  look() {
    this.setUnread(0);
    this.noteSeen();
  }

  /** A conversation was loaded: of an open chat the visitor sees it, of a closed one what was not seen is counted. */
  noteLoaded() {
    this.countMissed();
    if (this.chat.isOpen.value) this.noteSeen();
  }

  /** Counts what was not seen, here or in another tab. Nothing is kept, or tabs would have each other look without an end. */
  countMissed() {
    const { isOpen, store, thread } = this.chat;
    if (isOpen.value && document.visibilityState === "visible") this.setUnread(0);
    if (isOpen.value) return;
    const all = thread.messages.value;
    const at = all.findIndex(({ id }) => id !== "" && id === store.get().seen);
    if (at >= 0) this.setUnread(all.slice(at + 1).filter(isTheirs).length);
  }

  /** Notes what there is: the visitor sees it, or has written it. */
  noteSeen() {
    const { store, thread } = this.chat;
    const last = thread.messages.value.findLast(({ id, state }) => id !== "" && state !== "streaming");
    if (last && last.id !== store.get().seen) store.set({ seen: last.id });
  }

  setUnread(count: number) {
    if (count === this.unread) return;
    this.unread = count;
    const { options, texts, post } = this.chat;
    post({ type: "unread", data: { count } });
    const { title, displayName } = options.value;
    if (title) post({ type: "title", data: { text: count > 0 ? texts.t("chat.unreadTitle", { count, name: displayName }) : "" } });
  }
}

const isTheirs = ({ author }: Message) => author === "assistant" || author === "human";
