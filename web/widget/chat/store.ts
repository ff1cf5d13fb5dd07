// What the browser keeps of a visitor: in the frame's own storage, else in the page's, which it lends, else in memory.
import { signal } from "@preact/signals";
import type { Channel } from "./channel";

/** What is kept. A page of the site's may read it where the frame has no storage of its own. */
export interface Kept {
  token: string;
  conversationId: string;
  /** Who the page has shown the visitor to be; empty for nobody. */
  userId: string;
  /** Names the browser for functions of the page, as long as nobody is known. */
  anonymousId: string;
  /** The text of the notice that was closed. */
  dismissedNotice: string;
  draft: string;
  /** The request of a message whose reply has not come: JSON of Pending; empty for none. */
  pending: string;
  /** Ids of messages that a page has sent without showing them, with spaces between. */
  hidden: string;
  /** The id of the last message that was there when the visitor looked. */
  seen: string;
  hasSound: boolean;
  locale: string;
}

const nothing: Kept = {
  token: "",
  conversationId: "",
  userId: "",
  anonymousId: "",
  dismissedNotice: "",
  draft: "",
  pending: "",
  hidden: "",
  seen: "",
  hasSound: false,
  locale: "",
};

const longestHidden = 2_000; // characters: of some fifty messages

interface Place {
  read(): Promise<string | null>;
  put(text: string | null): void;
}

export class Store {
  /** What is kept, for what is drawn of it. */
  readonly kept = signal(nothing);
  private place: Place | null = null;
  private opening: Promise<void> | undefined;
  readonly isKept = signal(true);
  /** Called when another tab has changed what is kept. */
  onChange: () => void = () => {};

  constructor(
    private readonly agentId: string,
    private readonly channel: Channel,
  ) {}

  private get name() {
    return `parley:${this.agentId}`;
  }

  /** Finds where things are kept, and reads them, once. */
  open(): Promise<void> {
    return (this.opening ??= this.find());
  }

  private async find(): Promise<void> {
    this.place = ownStorage(this.name) ?? (await this.lentStorage());
    this.isKept.value = this.place !== null;
    const { locale } = this.get(); // a page may have set it meanwhile
    await this.reload();
    if (locale) this.set({ locale });
    if (!this.get().anonymousId) this.set({ anonymousId: crypto.randomUUID() });
    addEventListener("storage", (event) => {
      if (event.key === this.name) void this.reload().then(() => this.onChange());
    });
  }

  async reload(): Promise<void> {
    const text = await this.place?.read();
    if (text) this.kept.value = parse(text);
  }

  get(): Kept {
    return this.kept.peek();
  }

  set(change: Partial<Kept>) {
    this.kept.value = { ...this.get(), ...change };
    this.place?.put(JSON.stringify(this.get()));
  }

  /** Forgets who the visitor is. */
  clear() {
    this.set({ ...nothing, anonymousId: crypto.randomUUID(), locale: this.get().locale });
  }

  hide(messageId: string) {
    this.set({ hidden: `${this.get().hidden} ${messageId}`.slice(-longestHidden) });
  }

  isHidden(messageId: string): boolean {
    return this.get().hidden.includes(messageId);
  }

  token() {
    return this.get().token;
  }

  keepToken(token: string) {
    if (token !== this.get().token) this.set({ token });
  }

  private async lentStorage(): Promise<Place | null> {
    const { channel, name } = this;
    if (!channel.hasPage) return null;
    const first = await channel.readLent(name);
    if (first === undefined) return null;
    return {
      read: async () => (await channel.readLent(name)) ?? null,
      put: (value) => channel.post({ type: "storage-set", data: { key: name, value } }),
    };
  }
}

/** The frame's own storage, if the browser lets it have one. */
function ownStorage(name: string): Place | null {
  try {
    const probe = `${name}:probe`;
    localStorage.setItem(probe, "1");
    localStorage.removeItem(probe);
  } catch {
    return null;
  }
  return {
    read: async () => localStorage.getItem(name),
    put: (text) => {
      try {
        if (text === null) localStorage.removeItem(name);
        else localStorage.setItem(name, text);
      } catch {
        // it is full: the chat goes on without
      }
    },
  };
}

/** Reads what was kept. Anybody may have written it: what has another form is left out. */
function parse(text: string): Kept {
  const kept: Kept = { ...nothing };
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    for (const [name, value] of Object.entries(nothing)) {
      if (typeof read[name] === typeof value) Object.assign(kept, { [name]: read[name] });
    }
  } catch {
    // nothing is kept
  }
  return kept;
}
