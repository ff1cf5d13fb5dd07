// What of the inbox is in its address: loading it again shows the same.
import { useAddressParams } from "../../address-params";
import type { InboxOrder } from "../../api/inbox";
import type { SavedFilter, SavedView } from "../../api/saved";

export const views = ["waiting", "mine", "unassigned", "unread", "snoozed", "live", "ended", "all"] as const;
export type View = (typeof views)[number];

/** What a search narrows, by the names of the search of REST v2. */
export const filterNames = [
  ...(["query", "source", "sentiment", "feedback", "topic", "escalated", "tool", "toolOutcome", "procedure"] as const),
  ...(["procedureOutcome", "hasVoice", "startDate", "endDate"] as const),
] as const;
export type FilterName = (typeof filterNames)[number];

export interface Place {
  view: View;
  /** The only agent; empty for all of them. */
  agent: string;
  /** The only member who answers; empty for all of them. A search has none. */
  member: string;
  /** Of the view of those who wait; the others have the last active first. */
  order: InboxOrder;
  /** By the names above; what narrows nothing is left out. */
  filter: Readonly<Record<string, string>>;
  /** The saved view by its id; empty for none. */
  saved: string;
  /** What is shown differs from what is saved. */
  isChanged: boolean;
}

export type Change = Partial<Record<"view" | "agent" | "member" | "order" | FilterName, string>>;

const partNames = ["view", "agent", "member", "order", ...filterNames] as const;

/**
 * Where the inbox is, what moves it, and the query of the address for links that stay in it. An address that names a
 * saved view alone shows it as it is saved; one with a view as well shows what differs from it.
 */
export function useInboxPlace(savedViews: readonly SavedView[]) {
  const [query, setQuery] = useAddressParams();
  const saved = query.get("saved") ?? "";
  const isChanged = saved !== "" && query.has("view");
  const found = savedViews.find(({ savedViewId }) => savedViewId === saved);
  const shown = saved && !isChanged ? paramsOf(found?.filter ?? {}) : query;
  const move = (change: Change) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(saved && !isChanged ? shown : before);
        for (const [name, value] of Object.entries(change)) value ? next.set(name, value) : next.delete(name);
        if (saved) next.set("saved", saved);
        if (saved && !next.has("view")) next.set("view", "waiting");
        return next;
      },
      { replace: true },
    );
  return { place: { ...placeOf(shown), saved, isChanged }, move, search: query.size > 0 ? `?${query}` : "" };
}

function placeOf(query: URLSearchParams): Omit<Place, "saved" | "isChanged"> {
  const given = filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name)!] as const] : []));
  const view = views.find((view) => view === query.get("view")) ?? "waiting";
  return {
    view,
    order: view === "waiting" && query.get("order") !== "active" ? "longest" : "active",
    agent: query.get("agent") ?? "",
    member: query.get("member") ?? "",
    filter: Object.fromEntries(given),
  };
}

/** What of a place is saved under a name. */
export const filterOf = ({ view, agent, member, order, filter }: Place): SavedFilter => ({
  view,
  ...(view === "waiting" && order === "active" && { order }),
  ...(agent && { agentId: agent }),
  ...(member && Object.keys(filter).length === 0 && { memberId: member }),
  ...filter,
});

function paramsOf({ agentId, memberId, ...filter }: SavedFilter): URLSearchParams {
  const values: Record<string, string | undefined> = { ...filter, agent: agentId, member: memberId };
  return new URLSearchParams(partNames.flatMap((name) => (values[name] ? [[name, values[name]!]] : [])));
}

/** Whether a place is narrowed by more than its view. */
export const isNarrowed = ({ agent, member, filter }: Place): boolean => Boolean(agent || member || Object.keys(filter).length > 0);
