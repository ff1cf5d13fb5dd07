// What can come of a visitor's message, for those who want to know.
import type { Answer } from "./answer";
import type { ComposerKind, Message, Pending } from "./state";

/** What keeps a message from being sent, until something else happens. */
export interface Trouble {
  kind: Extract<ComposerKind, "limited" | "off" | "closed">;
  message: string;
  until: number;
  code: string;
}

/** What happens to messages, for those who want to know. */
export interface TurnEvents {
  onSent(message: Message): void;
  /** Ends when it is clear whose message it is and in which conversation: whom the page has named, what is kept. */
  whenPlaced(): Promise<void>;
  /** A message is on its way, or is not any more. */
  onPending(pending: Pending | null): void;
  /** The server has the message, and what is kept of its text may go. */
  onAccepted(message: Message, isNewConversation: boolean): void;
  onText(): void;
  onAnswered(answer: Answer, message: Message): void;
  onFailed(code: string, message: string): void;
  /** What is sent with each message. */
  describe(): Record<string, unknown>;
}
