// What is typed and not sent: in a conversation and in its ticket it is the same.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { saveDraft, useDrafts, type ReplyDraft } from "../../api/inbox";

export type Kind = "reply" | "note";

/** The name of a text in the tab, by its conversation or by what else it is written to. */
export const draftKey = (place: string, kind: Kind) => `parley.inbox.${kind} ${place}`;

const saveDelay = 1_000; // milliseconds without a key before what is typed is kept in the server

type Kept = "" | "tab" | "server";

/** What a text is written to. */
export interface TextPlace {
  /** The conversation, by its id; if it is empty, the tab alone keeps the text. */
  conversation: string;
  /** Names the text in the tab where there is no conversation. */
  other?: string;
}

/**
 * A text that is kept until it is sent: in the tab at once, and a moment later in the server, where the person finds it
 * in any browser.
 */
export function useKeptText({ conversation: id, other = "" }: TextPlace, kind: Kind, seen: { current: number }) {
  const key = draftKey(id || other, kind);
  const client = useQueryClient();
  const stored = useDrafts(id).data?.find((draft) => draft.kind === kind)?.text;
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [kept, setKept] = useState<Kept>("");
  const waiting = useRef<Waiting>(null);
  const text = texts[key] ?? sessionStorage.getItem(key) ?? stored ?? "";
  useEffect(() => () => flush(waiting), []);
  const write = (next: string) => {
    setTexts((before) => ({ ...before, [key]: next }));
    setKept(next ? "tab" : "");
    if (next) sessionStorage.setItem(key, next);
    else sessionStorage.removeItem(key);
    if (!id) return;
    const draft = { kind, text: next, seen: seen.current };
    const save = async () => {
      waiting.current = null;
      const result = await saveDraft(id, draft).catch(() => null);
      if (!result) return; // the tab has it
      client.setQueryData<ReplyDraft[]>(["drafts", id], (before = []) => {
        const others = before.filter((one) => one.kind !== kind);
        return result.kept ? [...others, { ...draft, updatedAt: new Date().toISOString() }] : others;
      });
      if (result.kept && sessionStorage.getItem(key) === next) setKept("server");
    };
    if (waiting.current?.key === key) clearTimeout(waiting.current.timer);
    else flush(waiting);
    waiting.current = { key, timer: window.setTimeout(() => void save(), saveDelay), save: () => void save() };
  };
  return [text, write, kept] as const;
}

/** A text that is sent to be kept in a moment. */
interface Waiting {
  key: string;
  timer: number;
  save: () => void;
}

/** Sends at once what waits to be kept. */
function flush(waiting: { current: Waiting | null }) {
  if (!waiting.current) return;
  clearTimeout(waiting.current.timer);
  waiting.current.save();
}
