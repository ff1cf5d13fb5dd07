// Lists of the company that are read in pages.
import { hashKey, useInfiniteQuery, useQueryClient, type InfiniteData, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { request } from "./client";

interface Page<T> {
  data: T[];
  pagination: { cursor: string | null; hasMore: boolean };
  /** Of a search: how many agents it leaves out. */
  withheld?: number;
}

const interval = 5_000; // milliseconds between two looks at rows that will change

/** The pages of a list. `path` may have a query. While a row will change by itself the list is read again and again. */
export function usePages<T>(queryKey: QueryKey, path: string, isEnabled: boolean, willChange?: (row: T) => boolean) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => request<Page<T>>("GET", pathOfPage(path, pageParam), undefined, signal),
    initialPageParam: "",
    getNextPageParam: ({ pagination }) => (pagination.hasMore ? pagination.cursor : undefined),
    enabled: isEnabled,
    refetchInterval: ({ state }) => (willChange && rowsOf(state.data)?.some(willChange) ? interval : false),
  });
}

/** All rows that were read. */
export const rowsOf = <T>(data: { pages: readonly Page<T>[] } | undefined): T[] | undefined => data?.pages.flatMap((page) => page.data);

/** Where a page of a window begins. */
export interface PageStart {
  cursor: string;
  /** How many rows are before it. */
  count: number;
  /** Where the page before it begins; null of the first one. */
  before: PageStart | null;
  /** Where the page behind it begins, if this one is read after that one. */
  end?: string;
}

/** The part of a list that is read and shown: a few pages, wherever somebody is in it. */
export interface Window<T> {
  /** None twice. */
  rows: T[];
  /** How many rows are before it. */
  count: number;
  /** Changes when the window moves, and not when its rows change. */
  start: string;
  hasMore: boolean;
}

/** How many pages are kept of a list, whatever its length: as many requests read it again, and as many are drawn. */
const windowPages = 4;

const beginning: PageStart = { cursor: "", count: 0, before: null };

/**
 * The pages of a list that may be long: of many only those around are kept, and those before them are read again when they
 * are wanted. A list that is opened again begins at its first page.
 */
export function usePageWindow<T>(queryKey: QueryKey, path: string, isEnabled: boolean) {
  const client = useQueryClient();
  const query = useInfiniteQuery<Page<T>, Error, InfiniteData<Page<T>, PageStart>, QueryKey, PageStart>({
    queryKey,
    queryFn: async ({ pageParam, signal, direction }) => {
      const read = (cursor: string) => request<Page<T>>("GET", pathOfPage(path, cursor), undefined, signal);
      const page = await read(pageParam.cursor);
      return direction === "backward" ? fillGap(page, pageParam.end, read) : page;
    },
    initialPageParam: beginning,
    getNextPageParam: ({ data, pagination }, _, start) =>
      pagination.hasMore && pagination.cursor ? { cursor: pagination.cursor, count: start.count + data.length, before: start } : undefined,
    getPreviousPageParam: (_, __, start) => (start.before ? { ...start.before, end: start.cursor } : undefined),
    maxPages: windowPages,
    enabled: isEnabled,
  });
  const { data, isFetching, refetch } = query;
  const isBroken = data !== undefined && isWithGap(data);
  useEffect(() => {
    if (isBroken && !isFetching) void refetch();
  }, [isBroken, isFetching, refetch]);
  const hash = hashKey(queryKey);
  useEffect(() => () => queueMicrotask(() => forgetMoved(client, queryKey, (start: PageStart) => start.before !== null)), [client, hash]);
  return query;
}

const pathOfPage = (path: string, cursor: string) => (cursor ? `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}` : path);

/**
 * Adds to a page the rows that newer ones have pushed out of it, so that none is missing before the page at `end`.
 * What is there twice is shown once; the whole list is read again afterwards.
 */
async function fillGap<T>(page: Page<T>, end: string | undefined, read: (cursor: string) => Promise<Page<T>>): Promise<Page<T>> {
  const { cursor } = page.pagination;
  if (!end || !cursor || cursor === end) return page;
  const { data } = await read(cursor);
  return { ...page, data: [...page.data, ...data] };
}

/** Reports whether rows have come between two pages that were read at different times. */
const isWithGap = <T>({ pages, pageParams }: InfiniteData<Page<T>, PageStart>) =>
  pages.some(({ pagination }, i) => i + 1 < pages.length && pagination.cursor !== pageParams[i + 1]!.cursor);

/** Forgets pages that nobody looks at and of which the first is not that with which they begin. */
export function forgetMoved<P>(client: QueryClient, queryKey: QueryKey, hasMoved: (first: P) => boolean): void {
  const query = client.getQueryCache().find<InfiniteData<unknown, P>>({ queryKey, exact: true });
  const first = query?.state.data?.pageParams[0];
  if (query && !query.isActive() && first && hasMoved(first)) client.removeQueries({ queryKey, exact: true });
}

/** What of a list is read, each row once: one that has moved between two readings is where it was read first. */
export function windowOf<T>(data: InfiniteData<Page<T>, PageStart> | undefined, idOf: (row: T) => string | number): Window<T> | undefined {
  if (!data) return undefined;
  const rows = new Map<string | number, T>();
  for (const row of data.pages.flatMap((page) => page.data)) if (!rows.has(idOf(row))) rows.set(idOf(row), row);
  const { count, cursor } = data.pageParams[0] ?? beginning;
  return { rows: [...rows.values()], count, start: cursor, hasMore: data.pages.at(-1)?.pagination.hasMore ?? false };
}
