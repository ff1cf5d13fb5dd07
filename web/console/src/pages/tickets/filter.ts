// What the address narrows the list of tickets to.
import { useAddressParams } from "../../address-params";
import { nobody, openCategories, type Category, type TicketQuery } from "../../api/tickets";

export const views = ["open", "mine", "unassigned", "overdue", "waiting", "done", "all"] as const;
export type View = (typeof views)[number];
export const sorts = ["updated", "waiting", "newest"] as const;
export type Sort = (typeof sorts)[number];

export interface TicketFilter {
  view: View;
  sort: Sort;
  /** The id of a team, "none", or empty for all. */
  team: string;
  /** The words of a search, beside which nothing else counts. */
  words: string;
}

const categoriesOf: Record<View, readonly Category[]> = {
  open: openCategories,
  mine: openCategories,
  unassigned: openCategories,
  overdue: openCategories,
  waiting: ["on_customer", "on_hold"],
  done: ["closed", "cancelled"],
  all: [],
};

const sortings: Record<Sort, Pick<TicketQuery, "sortBy" | "order">> = {
  updated: { sortBy: "updatedAt", order: "desc" },
  waiting: { sortBy: "lastMessageAt", order: "asc" },
  newest: { sortBy: "createdAt", order: "desc" },
};

/** The query that a filter stands for, of the person with the id. */
export function queryOf({ view, sort, team }: TicketFilter, personId: string): TicketQuery {
  const assigneeId = view === "mine" ? personId : view === "unassigned" ? nobody : "";
  return { status: categoriesOf[view], assigneeId, teamId: team, isOverdue: view === "overdue", ...sortings[sort] };
}

/** Takes over parts of a filter into the parameters of an address; what is as it mostly is has none. */
export function applyFilter(before: URLSearchParams, part: Partial<TicketFilter>): URLSearchParams {
  const next = new URLSearchParams(before);
  const usual: Partial<TicketFilter> = { view: "open", sort: "updated" };
  for (const [name, value] of Object.entries(part)) {
    if (value && value !== usual[name as keyof TicketFilter]) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

export function useTicketFilter(): [TicketFilter, (part: Partial<TicketFilter>) => void] {
  const [query, setQuery] = useAddressParams();
  const filter: TicketFilter = {
    view: views.find((view) => view === query.get("view")) ?? "open",
    sort: sorts.find((sort) => sort === query.get("sort")) ?? "updated",
    team: query.get("team") ?? "",
    words: query.get("words") ?? "",
  };
  return [filter, (part) => setQuery((before) => applyFilter(before, part), { replace: true })];
}
