// Opening and closing the chat, which is the same beside its button and over the middle of the page.
import { Connection, type Hooks } from "./connection";
import type { Commands } from "./global";
import { registry } from "./registry";
import type { Shell } from "./shell";
import { read, write } from "./storage";

export interface OpenOptions {
  message?: string;
  hideMessage?: boolean;
  /** It was open when the page was loaded again, and is shown unless it has been closed since. */
  again?: boolean;
  /** Whether the chat takes the focus. Otherwise it does if the visitor has just done something. */
  focus?: boolean;
}

/** How a loader shows the chat. */
interface Place {
  /** Puts the window in its place. Returns what ends that. */
  show(): () => void;
  /** It is open again on the next page. */
  isKept?: boolean;
  /** There is something unread that nobody sees. */
  announce?(label: string): void;
  /** What the agent is called. */
  displayName(): string;
  isDark(): boolean;
}

/** The color of a window in which nothing is to be seen yet: that of the chat behind its messages. */
const emptyColor = (isDark: boolean) => (isDark ? "#151617" : "#fff");

/** Closes the chats of other agents: one would lie upon another. */
function closeOthers(shell: Shell): void {
  for (const { loaders } of registry().values()) {
    for (const other of Object.values(loaders)) if (other !== shell && other.isOpen) other.commands.close!();
  }
}

const isActive = () => navigator.userActivation?.isActive ?? true;

export class Opening implements Hooks {
  readonly connection: Connection;
  private takesFocus = false;
  private focused: Element | null = null;
  private unread = 0;
  /** The title of the page, and what it is while it counts. */
  private title: { page: string; counted: string } | undefined;
  private leave = () => {};

  constructor(private readonly shell: Shell, private readonly place: Place) {
    this.connection = new Connection(shell, this);
    shell.launcher.button.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  onReady(): void {
    this.shell.frame.style.background = "";
    if (this.shell.isOpen) this.enter();
  }
  onClose(): void {
    this.close();
  }
  onReveal(): void {
    this.show(false);
  }
  onUnread(count: number): void {
    const { launcher, isOpen } = this.shell;
    this.unread = isOpen ? 0 : count;
    launcher.setUnread(this.unread);
    if (this.unread) this.place.announce?.(launcher.button.getAttribute("aria-label")!);
    this.markTitle();
  }
  onTitle(text: string): void {
    this.shell.frame.title = text || this.label;
  }
  onFocusLauncher(): void {
    this.shell.launcher.button.focus();
  }
  onOptions(): void {
    const { label } = this;
    this.shell.launcher.setLabel(label, this.connection.options.bubbleText);
    this.shell.frame.title = label;
    this.markTitle();
  }

  /** What the chat is called. */
  private get label(): string {
    return this.connection.options.displayName || this.place.displayName();
  }

  /** Shows the number of unread messages in the title of the page, if the page wants it. */
  private markTitle(): void {
    const { title } = this;
    // A page that has given itself another title meanwhile keeps it.
    if (title && document.title === title.counted) document.title = title.page;
    this.title = undefined;
    if (!this.unread || !this.connection.options.title) return;
    const page = document.title;
    document.title = `(${this.unread}) ${page}`;
    this.title = { page, counted: document.title };
  }

  private get openKey(): string {
    return `${this.shell.key}:open`;
  }

  private keepOpen(value: string | null): void {
    if (this.place.isKept) write("sessionStorage", this.openKey, value);
  }

  private enter(): void {
    this.connection.tell("opened", { focus: this.takesFocus });
    this.leave();
    this.leave = this.place.show();
  }

  show(takesFocus: boolean): void {
    const { shell } = this;
    const { frame, isOpen: wasOpen } = shell;
    if (!wasOpen) closeOthers(shell);
    shell.load();
    shell.attach();
    if (document.activeElement !== frame) this.focused = document.activeElement;
    this.takesFocus = takesFocus;
    frame.style.display = "block";
    if (!shell.isReady) frame.style.background = emptyColor(this.place.isDark());
    this.connection.tellPage();
    shell.isOpen = true;
    if (!wasOpen || takesFocus) this.enter();
    if (takesFocus) frame.focus();
    if (wasOpen) return;
    shell.launcher.setOpen(true);
    this.keepOpen("1");
    write("localStorage", `${shell.key}:opened`, new Date().toDateString()); // it does not open by itself that day
    this.connection.emit("open");
  }

  close(): void {
    const { shell } = this;
    const { frame, launcher: { button } } = shell;
    this.keepOpen(null);
    if (!shell.isOpen) return;
    const hadFocus = document.activeElement === frame;
    shell.isOpen = false;
    frame.style.display = "none";
    shell.launcher.setOpen(false);
    this.leave();
    this.leave = () => {};
    this.connection.tell("closed", undefined);
    const { focused } = this;
    if (hadFocus) (focused instanceof HTMLElement && focused.isConnected && focused !== document.body ? focused : button).focus();
    this.connection.emit("close");
  }

  open(wanted?: OpenOptions | null): Promise<void> | undefined {
    const { message, hideMessage, again, focus = isActive() } = wanted ?? {};
    if (again && !read("sessionStorage", this.openKey)) return;
    if (message && hideMessage) this.shell.load();
    else this.show(focus);
    if (message) this.connection.send("send", { message: String(message), hideMessage: !!hideMessage });
    return this.connection.ready;
  }

  get commands(): Commands {
    const others = this.connection.commands;
    const open = (wanted?: OpenOptions | null) => this.open(wanted);
    const close = () => this.close();
    const toggle = (wanted?: OpenOptions) => (this.shell.isOpen ? this.close() : this.open(wanted));
    return { ...others, open, show: open, close, hide: close, toggle, reset: others.resetChat!, newConversation: others.resetChat! };
  }
}
