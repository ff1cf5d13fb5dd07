// What is typed and not sent yet.
import { signal } from "@preact/signals";
import type { Store } from "./store";

const pauseBeforeKeeping = 300; // milliseconds

export class Draft {
  readonly text = signal("");
  private timer = 0;

  constructor(private readonly store: Store) {}

  /** Shows what was kept, unless something has been typed meanwhile. */
  restore() {
    this.text.value ||= this.store.get().draft;
  }

  set(text: string) {
    this.text.value = text;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.store.set({ draft: this.text.value }), pauseBeforeKeeping);
  }

  /** Empties the field. The words are kept until the server has them. */
  leave(words: string) {
    clearTimeout(this.timer);
    this.store.set({ draft: words });
    this.text.value = "";
  }

  /** The server has the words: only what was typed since is kept. */
  drop(words: string) {
    clearTimeout(this.timer);
    const text = this.text.value;
    this.store.set({ draft: text === words ? "" : text });
  }
}
