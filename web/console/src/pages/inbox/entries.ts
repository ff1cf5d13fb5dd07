// What is shown of a conversation, out of what the server keeps of it.
import type { Exchange } from "../playground/conversation";
import { storedParts } from "../playground/conversation";
import type { Thread, ThreadEntry } from "../../api/inbox";

const statuses = { complete: "done", interrupted: "stopped", failed: "failed" } as const;

/** The text of a message, a note or a question. */
export const textOf = ({ parts }: Pick<ThreadEntry, "parts">): string =>
  parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("");

/** An answer of the agent as the playground shows them, with the question before it. */
export function exchangeOf(thread: Pick<Thread, "conversationId">, entry: ThreadEntry, question: ThreadEntry | undefined): Exchange {
  const { messageId, score, answerState, citations, finishReason = "" } = entry;
  const { conversationId } = thread;
  const userMessageId = question?.messageId ?? "";
  const metadata = {
    ...{ messageId, userMessageId, conversationId, finishReason, usage: { credits: 0 } },
    ...{ score: score ?? null, answerState: answerState as "sure" | "unsure" | "refused" | undefined, citations, explain: null },
  };
  return {
    id: entry.seq,
    question: question ? textOf(question) : "",
    answer: {
      ...{ status: statuses[entry.state], messageId, userMessageId, conversationId, error: "", metadata },
      parts: storedParts(entry),
    },
    failure: null,
    draft: undefined,
    isStored: true,
    feedback: entry.feedback || null,
  };
}

/** The question of an answer: what the customer wrote last before it. */
export const questionBefore = (entries: readonly ThreadEntry[], seq: number): ThreadEntry | undefined =>
  entries.findLast((entry) => entry.seq < seq && entry.type === "reply" && entry.author === "user");

/** The answer of the agent that a person's reply stands for: the last one that it refused to give before it, or else its last one. */
export function answerBefore(entries: readonly ThreadEntry[], seq: number): ThreadEntry | undefined {
  const answers = entries.filter((entry) => entry.seq < seq && entry.type === "reply" && entry.author === "assistant");
  return answers.findLast(({ answerState }) => answerState === "refused") ?? answers.at(-1);
}

/** The number of the newest entry; 0 without entries. */
export const lastSeq = ({ entries }: Pick<Thread, "entries">): number => entries.at(-1)?.seq ?? 0;

/** The event that says which status the ticket has got by what a person or the customer wrote right before it. */
export function changeBehind(entries: readonly ThreadEntry[], at: number): ThreadEntry | undefined {
  const [entry, next] = [entries[at], entries[at + 1]];
  if (entry?.type !== "reply" || next?.event?.eventType !== "status_change") return undefined;
  const isOwn = entry.author === "user" ? next.event.doneBy === "customer" : entry.author === "human" && next.name === entry.name;
  return isOwn && Date.parse(next.createdAt) - Date.parse(entry.createdAt) < 1000 ? next : undefined;
}
