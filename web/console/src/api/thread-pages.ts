// What was said in a conversation or to a ticket, in pages that go back in time.
import { hashKey, useInfiniteQuery, useQueryClient, type InfiniteData, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { forgetMoved } from "./pages";

/** Entries of a thread, the oldest first, with what their thread is. */
export interface ThreadPage<E> {
  entries: E[];
  hasEarlier: boolean;
}

/** Where a page of a thread ends. */
interface ThreadEnd {
  /** The number of the entry behind it; 0 of the newest page. */
  before: number;
  /** Where the page behind it ends; null of the newest one. */
  later: ThreadEnd | null;
  /** The number of the first entry of the page behind it, if this one is read after that one. */
  from?: number;
}

type Pages<P> = InfiniteData<P, ThreadEnd>;

const newest: ThreadEnd = { before: 0, later: null };
const mostPages = 4; // that are kept and drawn of a thread, whatever its length

interface Options<P> {
  /** Reads the page before an entry; 0 asks for the newest one. */
  read: (before: number, signal: AbortSignal) => Promise<P>;
  refetchInterval?: (newest: P | undefined) => number | false;
}

/** A thread with its newest entries; further pages go back in time, and only a few are kept. */
export function useThreadPages<E extends { seq: number }, P extends ThreadPage<E>>(queryKey: QueryKey, { read, refetchInterval }: Options<P>) {
  const client = useQueryClient();
  const query = useInfiniteQuery<P, Error, Pages<P>, QueryKey, ThreadEnd>({
    queryKey,
    queryFn: async ({ pageParam: { before, from = 0 }, signal, direction }) => {
      const page = await read(before, signal);
      const first = page.entries[0]?.seq ?? 0;
      // Entries that have come meanwhile have pushed older ones out of the page: those are read as well.
      if (direction !== "backward" || from === 0 || first <= from) return page;
      return { ...page, entries: [...(await read(first, signal)).entries, ...page.entries] };
    },
    initialPageParam: newest,
    getNextPageParam: ({ hasEarlier, entries }, _, end) => (hasEarlier && entries[0] ? { before: entries[0].seq, later: end } : undefined),
    getPreviousPageParam: (_, __, { before, later }) => (later ? { ...later, from: before } : undefined),
    maxPages: mostPages,
    refetchInterval: ({ state }) => refetchInterval?.(state.data?.pages[0]) ?? false,
    staleTime: 0,
  });
  const { data, isFetching, refetch } = query;
  const isBroken = data !== undefined && isWithGap(data);
  useEffect(() => {
    if (isBroken && !isFetching) void refetch();
  }, [isBroken, isFetching, refetch]);
  const hash = hashKey(queryKey);
  useEffect(() => () => queueMicrotask(() => forgetMoved(client, queryKey, (end: ThreadEnd) => end.later !== null)), [client, hash]);
  return query;
}

/** Reports whether entries have come between two pages that were read at different times. */
const isWithGap = <E extends { seq: number }>({ pages, pageParams }: Pages<ThreadPage<E>>) =>
  pages.some(({ entries }, i) => i + 1 < pages.length && entries[0]?.seq !== pageParams[i + 1]!.before);

/** Has the newest page of a thread read next, wherever in it somebody reads. */
export const leaveEarlierPages = (client: QueryClient, queryKey: QueryKey) =>
  client.setQueryData<Pages<unknown>>(queryKey, (data) =>
    data?.pageParams[0]?.later ? { pages: data.pages.slice(0, 1), pageParams: [newest] } : data,
  );

/** A thread with the entries that are kept, the oldest first. */
export type Whole<P> = P & {
  /** The newest entry is among them. */
  isNewest: boolean;
};

/** The thread with all entries that are kept, each once. */
export function wholeOf<E extends { seq: number }, P extends ThreadPage<E>>(data: Pages<P> | undefined): Whole<P> | undefined {
  const last = data?.pages[0];
  if (!last) return undefined;
  const hasEarlier = data.pages.at(-1)!.hasEarlier;
  const entries = new Map(data.pages.toReversed().flatMap((page) => page.entries.map((entry) => [entry.seq, entry] as const)));
  return { ...last, hasEarlier, entries: [...entries.values()], isNewest: data.pageParams[0]?.later === null };
}
