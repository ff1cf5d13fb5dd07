// What of the inbox is in its address: loading it again shows the same.
import { useAddressParams } from "../../address-params";

export const views = ["waiting", "mine", "unassigned", "live", "ended", "all"] as const;
export type View = (typeof views)[number];

/** What a search narrows, by the names of the search of REST v2. */
export const filterNames = ["query", "source", "sentiment", "feedback", "topic", "escalated", "startDate", "endDate"] as const;
export type FilterName = (typeof filterNames)[number];

export interface Place {
  view: View;
  /** The only agent; empty for all of them. */
  agent: string;
  /** By the names above; what narrows nothing is left out. */
  filter: Readonly<Record<string, string>>;
}

export type Change = Partial<Record<"view" | "agent" | FilterName, string>>;

/** Where the inbox is, what moves it, and the query of the address for links that stay in it. */
export function useInboxPlace() {
  const [query, setQuery] = useAddressParams();
  const given = filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name)!] as const] : []));
  const place: Place = {
    view: views.find((view) => view === query.get("view")) ?? "waiting",
    agent: query.get("agent") ?? "",
    filter: Object.fromEntries(given),
  };
  const move = (change: Change) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(change)) value ? next.set(name, value) : next.delete(name);
        return next;
      },
      { replace: true },
    );
  return { place, move, search: query.size > 0 ? `?${query}` : "" };
}
