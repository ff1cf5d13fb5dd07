// The frame's end of the channel to the page that shows it, and to the program around a web view.
import type { FrameMessage, PageMessage, ToFrame } from "../channel";
import { readMode } from "./config";

const answerLimit = 1_500; // milliseconds for a page without a loader to say that it lends its storage

const longestEarly = 100; // messages that nothing takes yet

type Handler<Type extends keyof ToFrame> = (data: ToFrame[Type], id: string | undefined) => void;

interface Bridges {
  ReactNativeWebView?: { postMessage(text: string): void };
  webkit?: { messageHandlers?: Record<string, { postMessage(message: unknown): void } | undefined> };
  flutter_inappwebview?: { callHandler(name: string, message: unknown): void };
}

/** What is between the frame and its page. The origin of the first valid message holds for the life of the frame. */
export class Channel {
  private readonly handlers = new Map<string, Handler<never>>();
  private readonly early: { type: string; data: unknown; id: string | undefined }[] = [];
  private readonly waiting = new Map<string, (value: string | null | undefined) => void>();
  private origin = "";
  private lends: boolean | undefined;

  constructor(private readonly page: Window | null = window.parent === window ? null : window.parent) {
    addEventListener("message", (event) => this.receive(event));
  }

  get hasPage(): boolean {
    return this.page !== null;
  }

  on<Type extends keyof ToFrame>(type: Type, handler: Handler<Type>) {
    this.handlers.set(type, handler as Handler<never>);
    const own = this.early.filter((message) => message.type === type);
    for (const { data, id } of own) handler(data as ToFrame[Type], id);
    for (const message of own) this.early.splice(this.early.indexOf(message), 1);
  }

  /** Says that the frame is there. Where the page is cannot always be known before it has said something. */
  ready() {
    this.post({ type: "iframeReady", data: { v: 1 } });
  }

  post(message: FrameMessage) {
    const target = this.origin || expectedOrigin();
    // Only the first message may go to an unknown origin, and one without a name has no exact address.
    const address = target === "null" ? "*" : target || (message.type === "iframeReady" || isPublic(message) ? "*" : "");
    if (address) this.page?.postMessage(message, address);
    postToWebView(message);
  }

  /** Reads what the page keeps under a name; undefined if it lends nothing. */
  readLent(key: string): Promise<string | null | undefined> {
    if (this.lends === false) return Promise.resolve(undefined);
    const hasLoader = ["bubble", "stage"].includes(readMode()); // it answers as soon as it has come
    return new Promise((resolve) => {
      const timer = hasLoader ? 0 : setTimeout(() => this.answer(key, undefined), answerLimit);
      this.waiting.set(key, (value) => {
        clearTimeout(timer);
        this.lends ??= value !== undefined;
        resolve(value);
      });
      this.post({ type: "storage-get", data: { key } });
    });
  }

  private answer(key: string, value: string | null | undefined) {
    const resolve = this.waiting.get(key);
    this.waiting.delete(key);
    resolve?.(value);
  }

  private receive(event: MessageEvent) {
    if (event.source !== (this.page ?? window) || !this.isExpected(event.origin)) return;
    const message = readMessage(event.data);
    if (!message || (!this.page && message.type.startsWith("storage"))) return;
    this.origin ||= event.origin;
    if (message.type === "storage-value") {
      const { key, value } = (message.data ?? {}) as { key?: unknown; value?: unknown };
      return this.answer(String(key), typeof value === "string" || value === undefined ? value : null);
    }
    const handler = this.handlers.get(message.type) as ((data: unknown, id: string | undefined) => void) | undefined;
    if (handler) handler(message.data, message.id);
    else if (this.early.length < longestEarly) this.early.push(message);
  }

  private isExpected(origin: string): boolean {
    const expected = this.origin || (this.page ? expectedOrigin() : location.origin);
    return !expected || origin === expected;
  }
}

/** Messages that hold nothing of the visitor's, so that a page that has not said anything yet may get them. */
const isPublic = ({ type }: FrameMessage) => type === "storage-get" || type === "close";

/** The origin of the page around, where the browser tells it. */
function expectedOrigin(): string {
  const [parent] = location.ancestorOrigins ?? [];
  if (parent) return parent;
  try {
    return window.parent === window || !document.referrer ? "" : new URL(document.referrer).origin;
  } catch {
    return "";
  }
}

/** Reads {type, data}, {type, payload} and members beside the type: pages send all of them. */
export function readMessage(data: unknown): { type: PageMessage["type"]; data: unknown; id: string | undefined } | null {
  if (typeof data === "string") {
    try {
      data = JSON.parse(data);
    } catch {
      return null;
    }
  }
  const { type, id, ...rest } = (data ?? {}) as Record<string, unknown>;
  if (typeof type !== "string") return null;
  const content = "data" in rest ? rest.data : "payload" in rest ? rest.payload : Object.keys(rest).length > 0 ? rest : undefined;
  return { type: type as PageMessage["type"], data: content, id: typeof id === "string" ? id : undefined };
}

function postToWebView(message: FrameMessage) {
  const { ReactNativeWebView, webkit, flutter_inappwebview } = window as unknown as Bridges;
  ReactNativeWebView?.postMessage(JSON.stringify(message));
  webkit?.messageHandlers?.parley?.postMessage(message);
  flutter_inappwebview?.callHandler("parley", message);
}
