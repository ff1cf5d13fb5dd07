// Rows that stay where they are while others change: what is new waits until somebody wants to see it.
import { useState } from "react";

interface Kept {
  /** What the list is about: that of another place starts again. */
  place: string;
  /** Where the part of the list begins that is read. */
  start: string;
  order: readonly number[];
}

/**
 * The numbers of the rows in the order in which they are shown. Those that the next page adds follow at the end, those of the
 * page before come first where the part that is read has moved; if none is left of those that were shown, the list starts
 * again. It is the same object where nothing is to change.
 */
export function followRows(kept: Kept, place: string, start: string, numbers: readonly number[]): Kept {
  const known = new Set(kept.order);
  const last = numbers.findLastIndex((number) => known.has(number));
  if (kept.place !== place || last < 0) {
    const isSame = kept.place === place && kept.order.length === 0 && numbers.length === 0;
    return isSame ? kept : { place, start, order: numbers };
  }
  const added = numbers.slice(last + 1);
  if (kept.start === start) return added.length === 0 ? kept : { ...kept, order: [...kept.order, ...added] };
  const present = new Set(numbers);
  const isPresent = (number: number) => present.has(number);
  const stayed = kept.order.slice(kept.order.findIndex(isPresent), kept.order.findLastIndex(isPresent) + 1);
  return { place, start, order: [...numbers.slice(0, numbers.findIndex((number) => known.has(number))), ...stayed, ...added] };
}

/** The rows as they are to be shown, how many wait, and what shows them. */
export function useSteadyRows<T extends { ticketNumber: number }>(place: string, start: string, rows: readonly T[]) {
  const [kept, setKept] = useState<Kept>({ place, start, order: [] });
  const byNumber = new Map(rows.map((row) => [row.ticketNumber, row]));
  const numbers = [...byNumber.keys()];
  const followed = followRows(kept, place, start, numbers);
  if (followed !== kept) setKept(followed);
  const shown = followed.order.flatMap((number) => byNumber.get(number) ?? []);
  const waiting = byNumber.size - shown.length;
  return { shown, waiting, show: () => setKept({ place, start, order: numbers }) };
}
