import type { Period, Search } from "../../api/report";

/** Where the conversations of a period are that a search finds. */
export const addressOfFound = (agentId: string, { from, to }: Period, search: Search) =>
  `/agents/${agentId}/insights/conversations?${new URLSearchParams({ startDate: from, endDate: to, ...search })}`;
