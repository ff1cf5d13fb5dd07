// The messages of a conversation: those of the server and those on their way to it.
import { signal } from "@preact/signals";
import type { Api } from "./api";
import type { Citation, ConversationHead, Message, MessageState, Part, Person, Rating, UploadedFile } from "./state";

/** A message as the server stores it. */
export interface StoredMessage {
  id: string;
  seq: number;
  author: Message["author"];
  state: "complete" | "interrupted" | "failed";
  parts: StoredPart[];
  /** Of messages of the visitor and of people. */
  files?: UploadedFile[];
  createdAt: number;
  feedback?: Rating;
  metadata?: { answerState?: string | null; citations: Citation[] } | null;
  person?: Person | null;
}

interface StoredPart {
  type: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  output?: unknown;
  isFailed?: boolean;
  file?: UploadedFile;
}

/** An answer that is being written. */
export interface OpenAnswer {
  turnId: string;
  messageId: string;
  userMessageId: string;
}

export interface History extends ConversationHead {
  answer: OpenAnswer | null;
  messages: StoredMessage[];
  hasMore: boolean;
}

export class Thread {
  readonly messages = signal<readonly Message[]>([]);
  readonly head = signal<ConversationHead | null>(null);
  readonly hasEarlier = signal(false);
  private earlier: Promise<void> | null = null;
  /** Whether a page has sent a message without showing it. */
  isHidden: (id: string) => boolean = () => false;

  constructor(private readonly api: Api) {}

  /** The number of the last message that has come from the server. */
  get lastSeq(): number {
    return this.messages.value.reduce((last, { seq }) => Math.max(last, seq), 0);
  }

  clear() {
    this.messages.value = [];
    this.head.value = null;
    this.hasEarlier.value = false;
  }

  /** Loads the end of a conversation. */
  async load(id: string, signal?: AbortSignal): Promise<History> {
    const history = await this.api.request<History>("GET", `/conversation/${id}`, undefined, { signal });
    this.setHead(history);
    this.hasEarlier.value = history.hasMore;
    this.merge(history.messages);
    return history;
  }

  /** Loads what has come since. Returns the last reply. */
  async refresh(signal?: AbortSignal): Promise<History | null> {
    const id = this.head.value?.id;
    if (!id) return null;
    if (this.lastSeq === 0) return this.load(id, signal);
    for (;;) {
      const path = `/conversation/${id}?after=${this.lastSeq}`;
      const history = await this.api.request<History>("GET", path, undefined, { signal });
      if (this.head.value?.id !== id) return null;
      this.setHead(history);
      this.merge(history.messages);
      if (!history.hasMore) return history;
    }
  }

  /** Loads a page of what was before the first message, once at a time. */
  loadEarlier(): Promise<void> {
    this.earlier ??= this.readEarlier().finally(() => (this.earlier = null));
    return this.earlier;
  }

  private async readEarlier() {
    const id = this.head.value?.id;
    const first = this.messages.value.find(({ seq }) => seq > 0)?.seq;
    if (!id || !first || !this.hasEarlier.value) return;
    const history = await this.api.request<History>("GET", `/conversation/${id}?before=${first}`);
    if (this.head.value?.id !== id) return;
    this.hasEarlier.value = history.hasMore;
    this.merge(history.messages);
  }

  private setHead({ id, title, status, createdAt, updatedAt }: History) {
    const head = this.head.value;
    if (head?.id === id && head.status === status && head.title === title) return;
    this.head.value = { id, title, status, createdAt, updatedAt };
  }

  setStatus(status: ConversationHead["status"]) {
    const head = this.head.value;
    if (head && head.status !== status) this.head.value = { ...head, status };
  }

  begin(id: string) {
    const now = Date.now();
    this.head.value = { id, title: null, status: "ongoing", createdAt: now, updatedAt: now };
  }

  /** Takes over messages of the server. Those that are shown already keep their places. */
  merge(stored: readonly StoredMessage[]): Message[] {
    if (stored.length === 0) return [];
    const list = [...this.messages.value];
    const fresh: Message[] = [];
    for (const one of stored) {
      const at = list.findIndex(({ id }) => id === one.id);
      if (at >= 0) list[at] = update(list[at]!, one);
      else list.push(fresh[fresh.push({ ...readMessage(one), isHidden: this.isHidden(one.id) }) - 1]!);
    }
    this.messages.value = sortMessages(list);
    return fresh;
  }

  add(message: Message) {
    this.messages.value = [...this.messages.value, message];
  }

  change(key: string, change: Partial<Message>) {
    this.messages.value = this.messages.value.map((one) => (one.key === key ? { ...one, ...change } : one));
  }

  remove(keep: (message: Message) => boolean) {
    this.messages.value = this.messages.value.filter(keep);
  }

  /** Marks a last message of the visitor's to which no answer came. */
  noteUnanswered() {
    const last = this.messages.value.at(-1);
    const isOpen = this.head.value?.status === "ongoing" && last?.author === "user" && last.state === "complete";
    if (isOpen) this.change(last.key, { state: "failed" });
  }

  find(key: string): Message | undefined {
    return this.messages.value.find((one) => one.key === key);
  }

  findById(id: string): Message | undefined {
    return id ? this.messages.value.find((one) => one.id === id) : undefined;
  }
}

/** A message that is not the server's yet. */
export function newMessage(author: Message["author"], state: MessageState, parts: readonly Part[] = []): Message {
  const key = crypto.randomUUID();
  return {
    key,
    id: "",
    seq: 0,
    author,
    state,
    parts,
    createdAt: Date.now(),
    feedback: null,
    citations: [],
    code: "",
    isHidden: false,
    person: null,
    change: null,
  };
}

/**
 * Puts messages in the order of their numbers. What will never have one stays behind what it was behind: lines of people, and
 * what the server has not stored.
 */
function sortMessages(list: readonly Message[]): Message[] {
  const place = ({ seq }: Message) => seq || Infinity;
  const sorted = list.filter((one) => !keepsPlace(one));
  // Equal infinities must not become NaN, which no order is defined for.
  sorted.sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
  list.forEach((line, i) => {
    if (!keepsPlace(line)) return;
    const at = i > 0 ? sorted.indexOf(list[i - 1]!) + 1 : Math.max(0, sorted.indexOf(list[1]!));
    sorted.splice(at, 0, line);
  });
  return sorted;
}

const keepsPlace = ({ change, seq, state }: Message) => change !== null || (seq === 0 && isUnstored(state));
const isUnstored = (state: MessageState) => state === "failed" || state === "interrupted" || state === "unsent";

function update(shown: Message, stored: StoredMessage): Message {
  if (shown.state === "streaming" && stored.state === "complete" && shown.seq > 0) return shown;
  const read = readMessage(stored);
  if (shown.author === "user" && shown.state === "failed") return { ...read, key: shown.key, state: "failed", code: shown.code };
  const { key, isHidden, code } = shown;
  return { ...read, key, isHidden, code, parts: sameParts(shown.parts, read.parts) };
}

/** Keeps the parts that are shown where they say the same, so that nothing is drawn again. */
function sameParts(shown: readonly Part[], read: readonly Part[]): readonly Part[] {
  const text = (parts: readonly Part[]) => parts.map((part) => (part.kind === "text" ? part.text : part.kind + part.id)).join("\0");
  const ends = (parts: readonly Part[]) => parts.map((part) => part.kind === "tool" && [part.isDone, part.isFailed]).join();
  return text(shown) === text(read) && ends(shown) === ends(read) ? shown : read;
}

export function readMessage(stored: StoredMessage): Message {
  const { id, seq, author, state, parts, files = [], createdAt, feedback, metadata, person } = stored;
  return {
    key: id,
    id,
    seq,
    author,
    state,
    parts: readParts(parts, files, author === "user"),
    createdAt,
    feedback: feedback ?? null,
    citations: metadata?.citations ?? [],
    code: "",
    isHidden: false,
    person: person ?? null,
    change: null,
  };
}

// Of a visitor's own message, the names of its files stand for the text that was not written.
function readParts(stored: readonly StoredPart[], files: readonly UploadedFile[], isOwn: boolean): Part[] {
  const names = isOwn ? files.map(({ name }) => name).join(", ") : "";
  const list: Part[] = [];
  const all = [...stored, ...files.map((file) => ({ file }) as StoredPart)];
  for (const { type, text = "", toolCallId = "", toolName = "", input, output, isFailed = false, file } of all) {
    if (type === "text" && text && text !== names) list.push({ kind: "text", id: `t${list.length}`, text });
    if (file) list.push({ kind: "file", id: file.id, file });
    if (type === "tool-call") list.push({ kind: "tool", id: toolCallId, name: toolName, input, isDone: false, isFailed });
    const call = list.findIndex((part) => part.kind === "tool" && part.id === toolCallId);
    if (type === "tool-result" && call >= 0) list[call] = { ...list[call]!, output, isDone: true, isFailed } as Part;
  }
  return list;
}
