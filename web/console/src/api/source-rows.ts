// Rows of lists of sources that are read one by one: the progress of a source is not worth reading whole lists.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { APIError, request } from "./client";
import type { components } from "./operator";

type Details = components["schemas"]["SourceDetails"];
type Pages = InfiniteData<{ data: { sourceId: string }[] }>;

/** What is read about the sources of an agent: lists in pages, and what is found by a name, which has no progress. */
type Lists = Pages | readonly unknown[];

const mostRows = 8; // that are read one by one; of more the lists are read

export const readSource = (agentId: string, id: string, signal?: AbortSignal) =>
  request<Details>(
    "GET",
    `/v1/agents/${encodeURIComponent(agentId)}/sources/${encodeURIComponent(id)}`,
    undefined,
    signal,
  );

/** Reads those sources again that lists on the screen show, and puts them into the lists. */
export async function refreshRows(client: QueryClient, agentId: string, ids: readonly string[]): Promise<void> {
  const lists = client.getQueryCache().findAll({ queryKey: ["sources", agentId], type: "active" });
  const shown = new Set(
    lists.flatMap(({ state }) => pagesOf(state.data as Lists | undefined)).flatMap(({ data }) => data.map((one) => one.sourceId)),
  );
  const wanted = ids.filter((id) => shown.has(id));
  if (wanted.length > mostRows) return client.invalidateQueries({ queryKey: ["sources", agentId] });
  await Promise.all(wanted.map((id) => refreshRow(client, agentId, id)));
}

async function refreshRow(client: QueryClient, agentId: string, id: string): Promise<void> {
  try {
    const queryKey = ["source", agentId, id];
    const row = await client.fetchQuery({ queryKey, queryFn: ({ signal }) => readSource(agentId, id, signal), staleTime: 0 });
    client.setQueriesData<Lists>({ queryKey: ["sources", agentId] }, (before) => before && replace(before, row));
  } catch (error) {
    // What is gone leaves the list. Anything else is said where the source itself is shown.
    if (error instanceof APIError && error.status === 404) await client.invalidateQueries({ queryKey: ["sources", agentId] });
  }
}

const pagesOf = (lists: Lists | undefined) => (lists && "pages" in lists ? lists.pages : []);

function replace(before: Lists, row: Details): Lists {
  if (!("pages" in before)) return before;
  const swap = (one: { sourceId: string }) => (one.sourceId === row.sourceId ? row : one);
  const isIn = ({ data }: Pages["pages"][number]) => data.some((one) => one.sourceId === row.sourceId);
  return { ...before, pages: before.pages.map((page) => (isIn(page) ? { ...page, data: page.data.map(swap) } : page)) };
}
