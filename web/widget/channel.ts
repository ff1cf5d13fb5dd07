// What a page and the chat frame in it say to each other: messages {type, data, id?} by postMessage, each sent to an
// exact origin, and read only from the window and the origin that is expected.
import type { Config } from "./chat/config";

/** Who the site says its visitor is. Members beside these are public: the agent is told them as not verified. */
export interface Identity {
  token?: string | null;
  user_id?: string;
  user_hash?: string;
  user_metadata?: Record<string, unknown>;
  [name: string]: unknown;
}

/** What a page may change of the looks and texts, for as long as it is loaded. */
export interface PageOptions {
  displayName?: string;
  bubbleText?: string;
  footer?: string;
  messagePlaceholder?: string;
  dismissableNotice?: string;
  initialMessages?: string[];
  suggestedMessages?: unknown[];
  dictationOnly?: boolean;
  dictationSilenceTimeout?: number;
  dictationWaveformColor?: string;
  hideActionsMenu?: boolean;
  /** The number of unread messages stands in the title of the page. */
  title?: boolean;
}

export interface Page {
  url: string;
  title: string;
  /** The language of the page, or the one that it has set. */
  locale: string;
  colorScheme: "light" | "dark";
  /** True if the page has no configuration: the frame sends its own. */
  needsConfig?: boolean;
}

/** A call of a function of the page's, a tool or what describes a form. */
export interface PageCall {
  id: string;
  name: string;
  args: unknown;
  user: Record<string, unknown>;
}

export interface ToolCall {
  id: string;
  toolCallId: string;
  name: string;
  type: string;
  args: unknown;
}

export interface ToolResult {
  toolCallId: string;
  name: string;
  type: string;
  result: unknown;
}

/** The data of each message of the page. */
export interface ToFrame {
  page: Page;
  identify: Identity;
  resetChat: undefined;
  setInitialMessages: string[];
  setOptions: PageOptions;
  resetOptions: undefined;
  registerTools: { names: string[] };
  registerFormSchema: { names: string[] };
  opened: { focus: boolean };
  closed: undefined;
  send: { message: string; hideMessage?: boolean };
  open: { message?: string; hideMessage?: boolean } | undefined;
  /** The frame takes the whole screen if it is small; height is what a keyboard on the screen leaves of it. */
  size: { isSmall: boolean; height: number };
  /** Without a value where the page has no storage to lend. */
  "storage-value": { key: string; value?: string | null | undefined };
  "tool-result": { id: string; result: unknown };
  "form-schema": { id: string; schema: unknown } | { id: string; error: string };
  setLocale: string;
  logout: undefined;
}

/** The data of each message of the frame. */
export interface ToPage {
  iframeReady: { v: 1 };
  config: Config;
  close: undefined;
  /** The agent has begun to reply to a message that is not shown: the window may open. */
  reveal: undefined;
  unread: { count: number };
  title: { text: string };
  "storage-get": { key: string };
  "storage-set": { key: string; value: string | null };
  "tool-run": PageCall;
  "form-run": PageCall;
  "user-message": { content: string };
  "assistant-message": { content: string };
  "tool-call": ToolCall;
  "tool-result": ToolResult;
  "conversation-started": { conversationId: string };
  handover: { conversationId: string };
  /** Of an identity that was refused, `reason` says what is wrong with it. */
  error: { code: string; message: string; reason?: string };
  "focus-launcher": undefined;
}

type MessageOf<Data> = { [Type in keyof Data]: { type: Type; data: Data[Type]; id?: string } }[keyof Data];

/** A message of the page for the frame. */
export type PageMessage = MessageOf<ToFrame>;
/** A message of the frame for the page. */
export type FrameMessage = MessageOf<ToPage>;
