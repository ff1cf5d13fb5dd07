// What the chat is made of, for everything that shows it.
import type { ChatStyles, StageStyles } from "./config";
import type { PersonChange } from "./person/text";

export type Mode = "bubble" | "iframe" | "stage" | "help" | "preview";

/** A stretch of an answer and the source that it rests on. Positions are bytes of the answer in UTF-8. */
export interface Citation {
  sourceId: string;
  name: string;
  url?: string | null;
  quote?: string | null;
  answerStart: number;
  answerEnd: number;
}

export interface TextPart {
  kind: "text";
  id: string;
  text: string;
}

export interface ToolPart {
  kind: "tool";
  id: string;
  name: string;
  input?: unknown;
  output?: unknown;
  isDone: boolean;
  /** It did not do what it was called for; or the form that it asked for was closed. */
  isFailed: boolean;
}

export interface UploadedFile {
  id: string;
  name: string;
  type: string;
  size: number;
  url: string;
}

export interface FilePart {
  kind: "file";
  id: string;
  file: UploadedFile;
}

export type Part = TextPart | ToolPart | FilePart;

export type Author = "user" | "assistant" | "human" | "system";
export type Rating = "positive" | "negative";

/** Those of queued and sending are not with the server yet; unsent ones were refused. */
export type MessageState = "queued" | "sending" | "unsent" | "streaming" | "complete" | "interrupted" | "failed";

export interface Message {
  /** Names it for as long as the chat is open. */
  key: string;
  /** Empty until the server has it. */
  id: string;
  /** Its number in the conversation; 0 until that is known. */
  seq: number;
  author: Author;
  state: MessageState;
  parts: readonly Part[];
  /** Epoch milliseconds. */
  createdAt: number;
  feedback: Rating | null;
  citations: readonly Citation[];
  /** Why it failed, or is not whole. */
  code: string;
  /** Not shown: the page has sent it. */
  isHidden: boolean;
  /** The person who has written it. */
  person: Person | null;
  /** Of a line that says who answers from here on. */
  change: PersonChange | null;
}

/** A person of the company. */
export interface Person {
  name: string | null;
  picture: string | null;
}

export interface ConversationHead {
  id: string;
  title: string | null;
  status: "ongoing" | "ended" | "taken_over";
  createdAt: number;
  updatedAt: number;
}

export type ComposerKind =
  | "idle"
  | "sending"
  | "streaming"
  | "offline"
  | "waiting"
  | "closed"
  | "person"
  | "limited"
  | "off";

export interface ComposerState {
  kind: ComposerKind;
  /** The server's words for the state, in the agent's language; empty for none. */
  message: string;
  /** When a limited composer may send again: epoch milliseconds. */
  until: number;
  code: string;
}

/** lost after 2 s without the server, stuck after 30. */
export type ConnectionState = "ok" | "lost" | "stuck";

/** The looks and texts: the agent's, with what the page has changed of them. */
export interface Options extends ChatStyles {
  displayName: string;
  initialMessages: readonly string[];
  suggestedMessages: readonly unknown[];
  hideActionsMenu: boolean;
  showDataSource: boolean;
  title: boolean;
  dictationOnly: boolean;
  dictationSilenceTimeout?: number | undefined;
  dictationWaveformColor?: string | undefined;
  /** Of center stage. */
  typography?: StageStyles["typography"];
}

/** A message on its way. It is sent again with the same key and the same words, so that it arrives once. */
export interface Pending {
  key: string;
  body: Record<string, unknown> & { message?: string };
  files: readonly UploadedFile[];
  isHidden: boolean;
  sentAt: number;
}
