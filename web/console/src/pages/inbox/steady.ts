// Rows that stay where they are while somebody is about to press one of them.

export interface Row {
  conversationId: string;
  lastActivity: string;
}

export interface Steady<R extends Row> {
  /** The rows in their former order, each as it is now. */
  rows: readonly R[];
  /** Those that are in the list no more. */
  gone: ReadonlySet<string>;
  /** How many would come before others if the order was the present one. */
  waiting: number;
}

/** The rows in their former order once the part of the list that is read has moved: without those that it has left. */
export function followWindow<R extends Row>(before: readonly R[], now: readonly R[]): readonly R[] {
  const present = new Set(now.map(({ conversationId }) => conversationId));
  const former = new Set(before.map(({ conversationId }) => conversationId));
  const isPresent = ({ conversationId }: R) => present.has(conversationId);
  const first = now.findIndex(({ conversationId }) => former.has(conversationId));
  if (first < 0) return now;
  return [...now.slice(0, first), ...before.slice(before.findIndex(isPresent), before.findLastIndex(isPresent) + 1)];
}

/** Keeps the order of rows. What was read behind their end is added; what is new above waits. */
export function keepOrder<R extends Row>(before: readonly R[], now: readonly R[]): Steady<R> {
  const present = new Map(now.map((row) => [row.conversationId, row]));
  const former = new Map(before.map((row, i) => [row.conversationId, i]));
  const last = now.findLastIndex(({ conversationId }) => former.has(conversationId));
  const later = now.filter(({ conversationId }, i) => i > last && !former.has(conversationId));
  const hasMoved = ({ conversationId, lastActivity }: R, i: number) => {
    const place = former.get(conversationId);
    if (place === undefined) return i < last;
    return before[place]!.lastActivity !== lastActivity && i < place;
  };
  return {
    rows: [...before.map((row) => present.get(row.conversationId) ?? row), ...(before.length > 0 && last < 0 ? [] : later)],
    gone: new Set(before.map(({ conversationId }) => conversationId).filter((id) => !present.has(id))),
    waiting: last < 0 && before.length > 0 ? now.length : now.filter(hasMoved).length,
  };
}
