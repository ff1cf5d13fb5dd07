// Rows that stay where they are while others change: what is new waits until somebody wants to see it.
import { useState } from "react";

interface Kept<K> {
  /** What the list is about: that of another place starts again. */
  place: string;
  /** Where the part of the list begins that is read. */
  start: string;
  order: readonly K[];
}

/**
 * The keys of the rows in the order in which they are shown. Those that the next page adds follow at the end, those of the
 * page before come first where the part that is read has moved; if none is left of those that were shown, the list starts
 * again. It is the same object where nothing is to change.
 */
export function followRows<K>(kept: Kept<K>, place: string, start: string, keys: readonly K[]): Kept<K> {
  const known = new Set(kept.order);
  const last = keys.findLastIndex((key) => known.has(key));
  if (kept.place !== place || last < 0) {
    const isSame = kept.place === place && kept.order.length === 0 && keys.length === 0;
    return isSame ? kept : { place, start, order: keys };
  }
  const added = keys.slice(last + 1);
  if (kept.start === start) return added.length === 0 ? kept : { ...kept, order: [...kept.order, ...added] };
  const present = new Set(keys);
  const isPresent = (key: K) => present.has(key);
  const stayed = kept.order.slice(kept.order.findIndex(isPresent), kept.order.findLastIndex(isPresent) + 1);
  return { place, start, order: [...keys.slice(0, keys.findIndex((key) => known.has(key))), ...stayed, ...added] };
}

/** The rows as they are to be shown, how many wait, and what shows them. */
export function useSteadyRows<T>(place: string, start: string, rows: readonly T[], keyOf: (row: T) => string) {
  const [kept, setKept] = useState<Kept<string>>({ place, start, order: [] });
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const keys = [...byKey.keys()];
  const followed = followRows(kept, place, start, keys);
  if (followed !== kept) setKept(followed);
  const shown = followed.order.flatMap((key) => byKey.get(key) ?? []);
  const waiting = byKey.size - shown.length;
  return { shown, waiting, show: () => setKept({ place, start, order: keys }) };
}
