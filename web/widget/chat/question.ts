// A visitor's message as it is shown and sent, and what says that nobody is answered.
import { textOf } from "./answer";
import type { Message, MessageState, UploadedFile } from "./state";
import { newMessage } from "./thread";

export function newQuestion(state: MessageState, text: string, files: readonly UploadedFile[]): Message {
  const words = text ? [{ kind: "text" as const, id: "t0", text }] : [];
  return newMessage("user", state, [...words, ...files.map((file) => ({ kind: "file" as const, id: file.id, file }))]);
}

export const filesOf = (message: Message) => message.parts.flatMap((part) => (part.kind === "file" ? [part.file] : []));

/** What a message says, as it is sent. One of files alone has no text. */
export function contentOf(message: Message): { message?: string; fileIds?: string[] } {
  const text = textOf(message.parts);
  const fileIds = filesOf(message).map(({ id }) => id);
  return { ...(text && { message: text }), ...(fileIds.length > 0 && { fileIds }) };
}

/** Why an answer is not whole that the visitor has stopped. */
export const stoppedHere = "STOPPED";

/** The text that says of an answer that it is not whole. */
export const whyInterrupted = ({ code }: Message) => (code === stoppedHere ? "chat.stopped" : "chat.interrupted");

/** Whether the agent answers nobody for now. */
export const isOff = (status: number, code: string) =>
  status === 402 ||
  ["CHAT_CREDITS_EXHAUSTED", "CHAT_AGENT_CREDITS_EXHAUSTED", "AGENT_NOT_FOUND", "AUTH_DOMAIN_NOT_ALLOWED"].includes(code) ||
  code === "CHAT_MODEL_NOT_ALLOWED" || code === addressBlocked;

/** The agent answers nobody at this address, and takes nothing from there. */
export const addressBlocked = "AUTH_ADDRESS_BLOCKED";
