// Which sources are chosen: those that were there when somebody chose them, and none that comes later.
import { useState } from "react";
import type { Selection } from "react-aria-components";
import { readAllSources, type SourceFilter, type SourceRow } from "../../api/sources";

const mostChosen = 5000; // at a time

type Chosen = ReadonlyMap<string, SourceRow>;
const none: Chosen = new Map();
const mapOf = (rows: readonly SourceRow[]): Chosen => new Map(rows.map((row) => [row.sourceId, row]));

/** What is chosen of a list whose first `rows` are read, of `total`. Another filter begins with nothing chosen. */
export function useChosen(agentId: string, filter: SourceFilter, rows: readonly SourceRow[], total: number) {
  const place = JSON.stringify([agentId, filter]);
  const [kept, setKept] = useState({ place, chosen: none });
  const [reading, setReading] = useState({ isPending: false, error: null as unknown });
  const chosen = kept.place === place ? kept.chosen : none;
  const set = (chosen: Chosen) => setKept({ place, chosen });
  const choose = (selection: Selection) => {
    const known = new Map([...chosen, ...mapOf(rows)]);
    const ids = selection === "all" ? rows.map(({ sourceId }) => sourceId) : [...selection].map(String);
    set(new Map(ids.flatMap((id) => (known.has(id) ? [[id, known.get(id)!] as const] : []))));
  };
  const chooseAll = async () => {
    setReading({ isPending: true, error: null });
    try {
      set(mapOf(await readAllSources(agentId, filter)));
      setReading({ isPending: false, error: null });
    } catch (error) {
      setReading({ isPending: false, error });
    }
  };
  const isShownChosen = rows.length > 0 && rows.every(({ sourceId }) => chosen.has(sourceId));
  const mayChooseAll = isShownChosen && total > chosen.size && total <= mostChosen;
  return { chosen, picked: [...chosen.values()], choose, clear: () => set(none), mayChooseAll, chooseAll, reading };
}
