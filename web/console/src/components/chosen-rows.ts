// Which rows of a list are chosen, while others come and go.
import { useState } from "react";

interface Chosen<T> {
  /** What the list is about: that of another place begins with nothing chosen. */
  place: string;
  /** Where the part of the list begins that is read. */
  start: string;
  rows: ReadonlyMap<string, T>;
  /** The keys of those whose page is not read at present. */
  away: ReadonlySet<string>;
}

/**
 * What of the chosen rows is left, as they are now: those that go are not chosen any more, those that are out of the part of
 * the list that is read stay. It is the same object where nothing is to change.
 */
function followChosen<T>(chosen: Chosen<T>, place: string, start: string, shown: ReadonlyMap<string, T>): Chosen<T> {
  if (chosen.place !== place) return { place, start, rows: new Map(), away: new Set() };
  const hasMoved = chosen.start !== start;
  const stays = (key: string) => shown.has(key) || hasMoved || chosen.away.has(key);
  const rows = new Map([...chosen.rows].flatMap(([key, row]) => (stays(key) ? [[key, shown.get(key) ?? row] as const] : [])));
  const away = new Set([...rows.keys()].filter((key) => !shown.has(key)));
  const isSame = !hasMoved && rows.size === chosen.rows.size && [...rows].every(([key, row]) => chosen.rows.get(key) === row);
  return isSame ? chosen : { place, start, rows, away };
}

/** What is chosen, and what chooses. */
export function useChosenRows<T>(place: string, start: string, rows: readonly T[], keyOf: (row: T) => string) {
  const [kept, setKept] = useState<Chosen<T>>({ place, start, rows: new Map(), away: new Set() });
  const shown = new Map(rows.map((row) => [keyOf(row), row]));
  const chosen = followChosen(kept, place, start, shown);
  if (chosen !== kept) setKept(chosen);
  const choose = (keys: Iterable<string>) =>
    setKept({ ...chosen, rows: new Map([...keys].flatMap((key) => {
      const row = shown.get(key) ?? chosen.rows.get(key);
      return row ? [[key, row] as const] : [];
    })) });
  return { chosen: chosen.rows, picked: [...chosen.rows.values()], choose, chooseShown: () => choose([...chosen.rows.keys(), ...shown.keys()]), clear: () => choose([]) };
}
