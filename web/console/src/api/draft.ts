// What is being changed on a screen, and saving it while others change the same.
import { useEffect, useState } from "react";
import { forgetOnLeave } from "./session";

export type Values = Readonly<Record<string, unknown>>;

/** Values as the server has them. */
export interface Stored<V> {
  version: V;
  settings: Values;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What differs from what somebody began with. */
export const findChanges = (before: Values, after: Values): Values =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSame(before[name], value)));

/** A setting that two people have changed. */
export interface Dispute {
  name: string;
  mine: unknown;
  theirs: unknown;
}

/** What both have changed: settings that are no longer as they were, and not as they were changed here. */
export const findDisputes = (before: Values, mine: Values, theirs: Values): Dispute[] =>
  Object.keys(mine)
    .filter((name) => !isSame(before[name], theirs[name]) && !isSame(mine[name], theirs[name]))
    .map((name) => ({ name, mine: mine[name], theirs: theirs[name] }));

/** What of a draft was typed after some changes of it were sent: it rests on them. */
export function findLater(base: Values, sent: Values, latest: Values): Values {
  const names = [...new Set([...Object.keys(sent), ...Object.keys(latest)])];
  const value = (name: string) => (name in latest ? latest[name] : base[name]);
  return Object.fromEntries(
    names.filter((name) => !(name in sent) || !isSame(value(name), sent[name])).map((name) => [name, value(name)]),
  );
}

interface Draft {
  base: Stored<unknown>; // what the person saw when they began
  changes: Values;
}

// Drafts outlive their screens: going back in the browser asks nobody.
const drafts = new Map<string, Draft>();
forgetOnLeave(() => drafts.clear());

interface Server<V> {
  /** Sends changes that rest on what was stored, has the page know what is stored then, and returns it. */
  save: (base: Stored<V>, changes: Values) => Promise<Stored<V>>;
  /** What is stored now, if the refusal is because somebody else has changed it. */
  readPresent: (refusal: unknown) => Promise<Stored<V> | null>;
  /** Has what is stored read again. */
  readAgain: () => Promise<unknown>;
}

/** What a person changes of what is stored. Only what was changed is saved. */
export function useDraft<V>(key: string, stored: Stored<V> | undefined, server: Server<V>) {
  const [draft, setState] = useState(() => (drafts.get(key) as { base: Stored<V>; changes: Values } | undefined) ?? null);
  const [conflict, setConflict] = useState<{ present: Stored<V>; disputes: Dispute[] } | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    if (error !== null) document.querySelector<HTMLElement>("main [aria-invalid=true]")?.focus();
  }, [error]);
  const setDraft = (next: typeof draft) => {
    const kept = next && Object.keys(next.changes).length > 0 ? next : null;
    if (kept) drafts.set(key, kept);
    else drafts.delete(key);
    setState(kept);
  };
  const change = (name: string, value: unknown) => {
    const latest = drafts.get(key) as typeof draft | undefined; // which several changes at once have made
    const base = latest?.base ?? stored;
    if (!base) return;
    const { [name]: _, ...others } = latest?.changes ?? {};
    setSaved(false);
    setDraft({ base, changes: isSame(base.settings[name], value) ? others : { ...others, [name]: value } });
  };
  // save sends the changes. What others have changed meanwhile is kept, unless it is the same setting: then it asks.
  const save = async (base: Stored<V>, changes: Values): Promise<void> => {
    setSaving(true);
    setError(null);
    setConflict(null);
    try {
      const now = await server.save(base, changes);
      const latest = drafts.get(key)?.changes; // undefined where the person has given it up meanwhile
      const later = latest ? findLater(base.settings, changes, latest) : {};
      setDraft({ base: now, changes: later });
      setSaved(Object.keys(later).length === 0);
    } catch (refusal) {
      await answer(refusal, base, changes).catch(setError);
    } finally {
      setSaving(false);
    }
  };
  const answer = async (refusal: unknown, base: Stored<V>, changes: Values) => {
    const present = await server.readPresent(refusal);
    if (!present) throw refusal;
    const disputes = findDisputes(base.settings, changes, present.settings);
    if (disputes.length === 0) return save(present, changes);
    setConflict({ present, disputes });
  };
  const keepMine = () => conflict && draft && save(conflict.present, draft.changes);
  const takeTheirs = async () => {
    if (!conflict || !draft) return;
    const disputed = conflict.disputes.map(({ name }) => name);
    const rest = Object.fromEntries(Object.entries(draft.changes).filter(([name]) => !disputed.includes(name)));
    setConflict(null);
    setDraft({ base: conflict.present, changes: rest });
    if (Object.keys(rest).length > 0) return save(conflict.present, rest);
    await server.readAgain();
  };
  const discard = () => {
    setError(null);
    setDraft(null);
  };
  return {
    values: { ...stored?.settings, ...draft?.changes } as Values,
    count: Object.keys(draft?.changes ?? {}).length,
    disputes: conflict?.disputes ?? [],
    error,
    isSaving,
    isSaved,
    change,
    discard,
    keepMine: () => void keepMine(),
    takeTheirs: () => void takeTheirs(),
    closeConflict: () => setConflict(null),
    save: () => void (draft && save(draft.base, draft.changes)),
  };
}
