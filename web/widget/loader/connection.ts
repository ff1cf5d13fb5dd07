// The chat frame of an agent, and what is said to it and by it. What the page has set is kept here, and told to the
// frame whenever it comes up: the page may set it long before, and may remove the frame and have it back.
import type { FrameMessage, Identity, PageOptions, ToFrame, ToPage } from "../channel";
import { describeForm, runTool, type Handlers } from "./calls";
import type { Commands } from "./global";
import { checkOptions, cutMessages } from "./options";
import { isPageDark } from "./scheme";
import { globals } from "./script";
import type { Shell } from "./shell";
import { forget, keep, read, readKept, write } from "./storage";

/** What a loader does when the frame asks for it. */
export interface Hooks {
  /** The frame is up. */
  onReady(): void;
  onClose(): void;
  onReveal(): void;
  onUnread(count: number): void;
  onTitle(text: string): void;
  onFocusLauncher(): void;
  onOptions(): void;
}

type Listener = (event: object) => void;
type Actions = { [Type in keyof ToPage]: (data: ToPage[Type]) => void };

/** What of the page's values can be sent: data alone, without functions and the wrappers of frameworks. */
const plain = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

// What the frame says that is an event for the page as it is.
const passedOn = ["user-message", "assistant-message", "tool-result", "conversation-started", "handover"] as const;

export class Connection {
  options: PageOptions = {};
  readonly ready: Promise<void>;

  private declareReady!: () => void;
  private readonly listeners: Record<string, Set<Listener>> = {};
  private readonly waiting: (() => void)[] = [];
  private locale = "";
  private identity: Identity | undefined;
  private tools: Handlers = {};
  private forms: Handlers = {};
  private readonly actions: Actions;

  constructor(private readonly shell: Shell, private readonly hooks: Hooks) {
    this.ready = new Promise((done) => (this.declareReady = done));
    this.identity = plain(globals.chatbaseUserConfig as Identity | undefined);
    this.actions = this.createActions();
    const receive = (event: MessageEvent) => this.receive(event);
    addEventListener("message", receive);
    shell.endings.push(() => removeEventListener("message", receive), this.followPage());
  }

  /**
   * Tells the frame where the page is, and whether it is dark, again when that has changed: pages of one document change
   * without being loaded.
   * Browsers that do not tell of it are asked when somebody goes into the chat, which takes the focus from the page.
   */
  private followPage(): () => void {
    let told = "";
    const tell = () => {
      const now = [location.href, document.title, document.documentElement.lang, isPageDark()].join();
      if (now !== told) this.tellPage();
      told = now;
    };
    const { navigation } = window as { navigation?: EventTarget };
    const scheme: EventTarget = matchMedia("(prefers-color-scheme:dark)");
    const places = [[window, "blur"], [window, "popstate"], [navigation, "currententrychange"], [scheme, "change"]] as const;
    places.forEach(([target, type]) => target?.addEventListener(type, tell));
    return () => places.forEach(([target, type]) => target?.removeEventListener(type, tell));
  }

  /** Reads what the frame has said before. */
  readInbox(): void {
    this.shell.inbox.splice(0).forEach((event) => this.receive(event));
  }

  private receive({ origin, source, data: message }: MessageEvent<FrameMessage>): void {
    const { frame, script } = this.shell;
    if (origin !== script.base || !source || source !== frame.contentWindow) return;
    const { type, data } = message ?? {};
    if (Object.keys(this.actions).includes(type)) (this.actions[type] as (data: unknown) => void)(data);
  }

  private createActions(): Actions {
    const { hooks, shell } = this;
    const isOwn = (key: string) => key === shell.key || key.startsWith(`${shell.key}:`);
    const events = passedOn.map((type) => [type, (data: object) => this.emit(type, data)]);
    return {
      ...(Object.fromEntries(events) as Pick<Actions, (typeof passedOn)[number]>),
      iframeReady: () => {
        if (!shell.agent.config) this.post("page", this.describePage()); // it brings what the module waits for
        // What the page said before the module was there comes first: who the visitor is, before anything is shown.
        void shell.loading!.then(() => this.begin());
      },
      config: (config) => shell.agent.boot(config),
      close: () => hooks.onClose(),
      reveal: () => hooks.onReveal(),
      "focus-launcher": () => hooks.onFocusLauncher(),
      title: ({ text }) => hooks.onTitle(text),
      unread: (data) => {
        hooks.onUnread(data.count);
        this.emit("unread", data);
      },
      error: (data) => {
        if (data.reason) console.warn(`Parley: the visitor's identity was refused: ${data.reason}`);
        this.emit("error", data);
      },
      "storage-get": ({ key }) => isOwn(key) && this.tell("storage-value", { key, value: readKept(key) }),
      "storage-set": ({ key, value }) => isOwn(key) && keep(key, value),
      "tool-run": async (call) => this.tell("tool-result", { id: call.id, result: await runTool(this.tools, call) }),
      "form-run": async (call) => this.tell("form-schema", { id: call.id, ...(await describeForm(this.forms, call)) }),
      "tool-call": (data) => this.emit("tool-call", { ...data, toolCallId: data.id }),
    };
  }

  /** Tells a frame that has come up all that it has to know. */
  private begin(): void {
    this.shell.isReady = true;
    this.tellPage();
    this.tellLate();
    if (this.locale) this.tell("setLocale", this.locale);
    if (this.identity) this.tell("identify", this.identity);
    this.tell("setOptions", this.options);
    this.tell("registerTools", { names: Object.keys(this.tools) });
    this.tell("registerFormSchema", { names: Object.keys(this.forms) });
    this.hooks.onReady();
    this.waiting.splice(0).forEach((run) => run());
    this.declareReady();
  }

  /** Tells the frame, if it is up. */
  tell<T extends keyof ToFrame>(type: T, data: ToFrame[T]): void {
    if (this.shell.isReady) this.post(type, data);
  }

  private post<T extends keyof ToFrame>(type: T, data: ToFrame[T]): void {
    const { frame, script } = this.shell;
    frame.contentWindow?.postMessage({ type, data: plain(data) }, script.base);
  }

  /** Tells the frame now, or when it is up. */
  send<T extends keyof ToFrame>(type: T, data: ToFrame[T]): void {
    if (this.shell.isReady) this.tell(type, data);
    else this.waiting.push(() => this.tell(type, data));
  }

  tellPage(): void {
    this.tell("page", this.describePage());
  }

  private describePage(): ToFrame["page"] {
    const { title, documentElement: root } = document;
    const colorScheme = isPageDark() ? "dark" : "light";
    const needsConfig = !this.shell.agent.config;
    return { url: location.href, title, locale: this.locale || root.lang, colorScheme, needsConfig };
  }

  /** Tells the page's listeners. Older pages read members of data beside it. */
  emit(type: string, data: object = {}): void {
    const event = { ...data, type, data };
    for (const listener of [...(this.listeners[type] ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        console.error(error);
      }
    }
    dispatchEvent(new CustomEvent(`chatbase:${type}`, { detail: event }));
  }

  private setOptions(given: PageOptions): void {
    const taken = plain(checkOptions(given));
    this.options = { ...this.options, ...taken };
    this.tell("setOptions", taken);
    this.hooks.onOptions();
  }

  private setInitialMessages(texts: unknown): void {
    this.options.initialMessages = cutMessages(texts);
    this.tell("setInitialMessages", this.options.initialMessages);
  }

  private resetOptions(): void {
    this.options = {};
    this.tell("resetOptions", undefined);
    this.hooks.onOptions();
  }

  private logout(): void {
    const { frame, key } = this.shell;
    this.identity = undefined;
    if (!frame.isConnected) forget(key);
    this.endChat("logout");
  }

  /** A chat that is not on the page is told when it comes, on whichever page of the site. */
  private endChat(type: "logout" | "resetChat"): void {
    const { frame, key } = this.shell;
    const lateKey = `${key}:late`;
    const isKept = () => read("localStorage", lateKey) === "logout" || write("localStorage", lateKey, type);
    if (frame.isConnected || !isKept()) this.send(type, undefined);
  }

  private tellLate(): void {
    const lateKey = `${this.shell.key}:late`;
    const late = read("localStorage", lateKey);
    if (late) write("localStorage", lateKey, null);
    if (late) this.tell(late === "logout" ? "logout" : "resetChat", undefined);
  }

  /** The commands of the page that concern the chat and not its window. */
  get commands(): Commands {
    return {
      identify: (given: Identity) => {
        this.identity = plain({ ...given });
        this.tell("identify", this.identity);
      },
      registerTools: (given: Handlers) => {
        this.tools = { ...given };
        this.tell("registerTools", { names: Object.keys(this.tools) });
      },
      registerFormSchema: (given: Handlers) => {
        this.forms = { ...given };
        this.tell("registerFormSchema", { names: Object.keys(this.forms) });
      },
      setLocale: (tag: string) => {
        this.locale = String(tag);
        this.tell("setLocale", this.locale);
      },
      addEventListener: (type: string, listener: Listener) => {
        if (typeof listener === "function") (this.listeners[type] ??= new Set()).add(listener);
      },
      removeEventListener: (type: string, listener: Listener) => void this.listeners[type]?.delete(listener),
      resetChat: () => this.endChat("resetChat"),
      setInitialMessages: (texts: unknown) => this.setInitialMessages(texts),
      setOptions: (given: PageOptions) => this.setOptions(given),
      resetOptions: () => this.resetOptions(),
      logout: () => this.logout(),
    };
  }
}
