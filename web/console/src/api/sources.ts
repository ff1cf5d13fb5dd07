// What an agent reads. Lists and details are the operator's API, which says how far a reading is; writing is REST v2.
import { useInfiniteQuery, useQuery, type QueryClient } from "@tanstack/react-query";
import { request } from "./client";
import { useCurrentLive, useLiveState } from "./events";
import type { components } from "./operator";
import { readSource } from "./source-rows";

type Schemas = components["schemas"];
export type SourceRow = Schemas["SourceRow"];
export type SourceDetails = Schemas["SourceDetails"];
export type SourceProgress = NonNullable<SourceRow["progress"]>;
export type SitePage = Schemas["SitePage"];
export type SourcePassage = Schemas["SourcePassage"];
export type SourceText = Schemas["SourceText"];
export type SourceVersion = Schemas["SourceVersion"];
export type SearchTrialResult = Schemas["SearchTrialResult"];
export type KnowledgeUse = Schemas["KnowledgeUse"];
export type PathVerdict = Schemas["PathVerdict"];

export const sourceTypes = ["link", "file", "qna", "text"] as const;
export type SourceType = (typeof sourceTypes)[number];
export const sourceStates = ["trained", "untrained", "updated", "failed", "toBeDeleted"] as const;
export type SourceState = (typeof sourceStates)[number];

export interface SourceFilter {
  name: string;
  type: SourceType | "";
  state: SourceState | "";
}

/** What REST v2 holds of a link. */
export interface LinkRecord {
  type: "individual" | "crawl" | "sitemap";
  excludePaths?: string[];
  includeOnlyPaths?: string[];
  slowScraping?: boolean;
  crawlStatus?: string;
  children?: { included: number; excluded: number; failed: number };
}

interface Page<T> {
  data: T[];
  pagination: { cursor: string | null; hasMore: boolean; total?: number };
}

const operator = (agentId: string) => `/v1/agents/${encodeURIComponent(agentId)}`;
const rest = (agentId: string) => `/v2/agents/${encodeURIComponent(agentId)}/sources`;
const netInterval = 2000; // milliseconds between two looks at what moves, while no events come

export const linkRecord = (source: Pick<SourceRow, "metadata">) => (source.metadata ?? null) as LinkRecord | null;

const pagePath = (path: string, cursor: string, more: Record<string, string> = {}) => {
  const query = new URLSearchParams({ limit: "50", ...more, ...(cursor && { cursor }) });
  return `${path}?${query}`;
};

function usePages<T>(queryKey: readonly unknown[], path: string, refetchInterval: number | false = false) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => request<Page<T>>("GET", pagePath(path, pageParam), undefined, signal),
    initialPageParam: "",
    getNextPageParam: ({ pagination }) => (pagination.hasMore ? pagination.cursor : undefined),
    refetchInterval,
  });
}

/** How often what moves is read while the stream of events is down. While it is up, events say when. */
function useNet(): (isMoving: boolean | undefined) => number | false {
  const { name } = useLiveState(useCurrentLive());
  return (isMoving) => (isMoving && (name === "none" || name === "offline") ? netInterval : false);
}

export function useSources(agentId: string, filter: SourceFilter) {
  const more = queryOf(filter);
  const net = useNet();
  return useInfiniteQuery({
    queryKey: ["sources", agentId, filter],
    queryFn: ({ pageParam, signal }) =>
      request<Page<SourceRow>>("GET", pagePath(`${operator(agentId)}/sources`, pageParam, more), undefined, signal),
    initialPageParam: "",
    getNextPageParam: ({ pagination }) => (pagination.hasMore ? pagination.cursor : undefined),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => net(state.data?.pages.some(({ data }) => data.some(isMoving))),
  });
}

const mostReading = 50;

/** The newest sources of an agent that are being read, while that is wanted. */
export function useReading(agentId: string, isWanted: boolean) {
  const net = useNet();
  const reading = useInfiniteQuery({
    queryKey: ["sources", agentId, "reading"],
    queryFn: ({ signal }) => readSources(agentId, { statuses: "untrained,updated", limit: String(mostReading) }, signal),
    initialPageParam: "",
    getNextPageParam: () => undefined,
    enabled: isWanted,
    refetchInterval: ({ state }) => net(state.data?.pages.some(({ data }) => data.some(isMoving))),
  });
  const rows = reading.data?.pages.flatMap(({ data }) => data) ?? [];
  return { isPending: isWanted && reading.isPending, rows: isWanted ? rows.filter(({ progress }) => progress !== null) : [] };
}

/** How much of all sources together is read, from 0 to 1; null without sources. */
export function shareRead(rows: readonly SourceRow[]): number | null {
  const shares = rows.map(({ progress }) => (progress ? progress.done / Math.max(1, progress.total) : 1));
  return rows.length > 0 ? shares.reduce((sum, one) => sum + one, 0) / rows.length : null;
}

const mostNamed = 8;

/** The newest sources with a text in their names; none while the text is too short. */
export const useNamedSources = (agentId: string | null, name: string) =>
  useQuery({
    queryKey: ["sources", agentId, "named", name],
    queryFn: async ({ signal }) => (await readSources(agentId!, { name, limit: String(mostNamed) }, signal)).data,
    enabled: agentId !== null && name.length > 1,
    placeholderData: (before) => before,
  });

/** All sources that a filter lets through, and none that is added later. */
export async function readAllSources(agentId: string, filter: SourceFilter): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { data, pagination } = await readSources(agentId, { ...queryOf(filter), limit: "100", ...(cursor && { cursor }) });
    rows.push(...data);
    cursor = pagination.hasMore ? pagination.cursor : null;
  }
  return rows;
}

const readSources = (agentId: string, query: Record<string, string>, signal?: AbortSignal) =>
  request<Page<SourceRow>>("GET", `${operator(agentId)}/sources?${new URLSearchParams(query)}`, undefined, signal);

const queryOf = ({ name, type, state }: SourceFilter): Record<string, string> => ({
  ...(name && { name }),
  ...(type && { types: type }),
  ...(state && { statuses: state }),
});

/** Whether a source changes by itself: it is read, or on its way out. */
export const isMoving = ({ status }: SourceRow) => ["untrained", "updated", "toBeDeleted"].includes(status);

export function useSource(agentId: string, id: string) {
  const net = useNet();
  return useQuery({
    queryKey: ["source", agentId, id],
    queryFn: ({ signal }) => readSource(agentId, id, signal),
    refetchInterval: ({ state }) => net(state.data && isMoving(state.data)),
  });
}

export function useSitePages(agentId: string, id: string, isMoving = false) {
  const interval = useNet()(isMoving);
  const path = `${operator(agentId)}/sources/${encodeURIComponent(id)}/pages`;
  return usePages<SitePage>(["source", agentId, id, "pages"], path, interval);
}

export const usePassages = (agentId: string, id: string) =>
  usePages<SourcePassage>(
    ["source", agentId, id, "passages"],
    `${operator(agentId)}/sources/${encodeURIComponent(id)}/passages`,
  );

/** The text of a source; of an earlier version, if one is named. */
export const useSourceText = (agentId: string, id: string, version = "") =>
  useInfiniteQuery({
    queryKey: ["source", agentId, id, "text", version],
    queryFn: ({ pageParam, signal }) => readText(agentId, id, pageParam, version, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

function readText(agentId: string, id: string, start: number, version: string, signal?: AbortSignal) {
  const query = new URLSearchParams({ start: String(start), ...(version && { version }) });
  const path = `${operator(agentId)}/sources/${encodeURIComponent(id)}/text?${query}`;
  return request<SourceText>("GET", path, undefined, signal);
}

/** The whole text of a source, or of a version of it, part by part. */
export async function readWholeText(agentId: string, id: string, version = "", signal?: AbortSignal): Promise<string> {
  let text = "";
  for (let start: number | null = 0; start !== null; ) {
    const part: SourceText = await readText(agentId, id, start, version, signal);
    text += part.text;
    start = part.next;
  }
  return text;
}

const readVersions = (agentId: string, id: string, signal?: AbortSignal) =>
  request<{ versions: SourceVersion[] }>(
    "GET",
    `${operator(agentId)}/sources/${encodeURIComponent(id)}/versions`,
    undefined,
    signal,
  );

export const useVersions = (agentId: string, id: string) =>
  useQuery({
    queryKey: ["source", agentId, id, "versions"],
    queryFn: ({ signal }) => readVersions(agentId, id, signal),
  });

/** The text of a source as it was written last: the agent may not have read it yet. */
export async function readWrittenText(agentId: string, id: string, signal?: AbortSignal): Promise<string> {
  const [newest] = (await readVersions(agentId, id, signal)).versions;
  return readWholeText(agentId, id, newest?.version, signal);
}

/** Which sources the newest answers rest on. It is counted of many answers, so no event has it read again. */
export const useKnowledge = (agentId: string) =>
  useQuery({
    queryKey: ["use", agentId],
    queryFn: ({ signal }) => request<KnowledgeUse>("GET", `${operator(agentId)}/knowledge-use`, undefined, signal),
    staleTime: 60_000,
  });

interface KindSum {
  count: number;
  size: number;
}

export interface SourcesSummary {
  links: KindSum;
  files: KindSum;
  qnas: KindSum;
  texts: KindSum;
}

export const useSummary = (agentId: string) =>
  useQuery({
    queryKey: ["knowledge", agentId, "summary"],
    queryFn: ({ signal }) => request<SourcesSummary>("GET", `${rest(agentId)}/summary`, undefined, signal),
  });

export interface PathTrial {
  url: string;
  linkType: "crawl" | "sitemap";
  excludePaths: string[];
  includeOnlyPaths: string[];
  addresses: string[];
}

export const tryPaths = (agentId: string, trial: PathTrial, signal?: AbortSignal) =>
  request<{ verdicts: PathVerdict[] }>("POST", `${operator(agentId)}/try-paths`, trial, signal);

export const trySearch = (agentId: string, query: string) =>
  request<SearchTrialResult>("POST", `${operator(agentId)}/try-search`, { query });

export const refetchSource = (agentId: string, id: string) =>
  request("POST", `${operator(agentId)}/sources/${encodeURIComponent(id)}/refetch`);

export type NewSource =
  | { type: "text"; name: string; content: string }
  | { type: "qna"; name: string; questions: string[]; answer: string }
  | {
      type: "link";
      url: string;
      linkType: LinkRecord["type"];
      excludePaths?: string[];
      includeOnlyPaths?: string[];
      slowScraping?: boolean;
    };

export const addSource = (agentId: string, source: NewSource) => request<{ id: string }>("POST", rest(agentId), source);

export const changeSource = (agentId: string, id: string, change: Record<string, unknown>) =>
  request("PUT", `${rest(agentId)}/${encodeURIComponent(id)}`, change);

export const deleteSource = (agentId: string, id: string) =>
  request("DELETE", `${rest(agentId)}/${encodeURIComponent(id)}`);

export const setWeeklyResync = (agentId: string, enabled: boolean) =>
  request("PUT", `/v2/agents/${encodeURIComponent(agentId)}/auto-retrain`, { enabled });

export const uploadPath = rest;

/** Has everything that shows an agent's sources read again. */
export async function invalidateSources(client: QueryClient, agentId: string): Promise<void> {
  const keys = [["sources", agentId], ["source", agentId], ["knowledge", agentId], ["today", agentId], ["agents"]];
  keys.push(["agent", agentId]);
  // A first reading that is under way began before the change, and would be taken for the one that is asked for here.
  await Promise.all(keys.map((queryKey) => client.cancelQueries({ queryKey })));
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}
