// Lists of the company that are read in pages.
import { useInfiniteQuery, type QueryKey } from "@tanstack/react-query";
import { request } from "./client";

interface Page<T> {
  data: T[];
  pagination: { cursor: string | null; hasMore: boolean };
}

const interval = 5_000; // milliseconds between two looks at rows that will change

/** The pages of a list. `path` may have a query. While a row will change by itself the list is read again and again. */
export function usePages<T>(queryKey: QueryKey, path: string, isEnabled: boolean, willChange?: (row: T) => boolean) {
  const pathOf = (cursor: string) => (cursor ? `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}` : path);
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => request<Page<T>>("GET", pathOf(pageParam), undefined, signal),
    initialPageParam: "",
    getNextPageParam: ({ pagination }) => (pagination.hasMore ? pagination.cursor : undefined),
    enabled: isEnabled,
    refetchInterval: ({ state }) => (willChange && rowsOf(state.data)?.some(willChange) ? interval : false),
  });
}

/** All rows that were read. */
export const rowsOf = <T>(data: { pages: readonly Page<T>[] } | undefined): T[] | undefined => data?.pages.flatMap((page) => page.data);
