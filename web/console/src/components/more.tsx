import { useEffect, useRef } from "react";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useTexts } from "../i18n";
import { Button } from "./button";
import { Failed } from "./states";

const reach = "600px"; // below what is in view

/** The end of a list that is read in parts. The next one is read when the end is near, or by the button. */
export function More({ list }: { list: UseInfiniteQueryResult<InfiniteData<unknown>, unknown> }) {
  const { t } = useTexts();
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  useEffect(() => {
    if (!end.current || !hasNextPage || isFetching || isFetchNextPageError) return;
    const isNear = { rootMargin: reach, scrollMargin: reach } as IntersectionObserverInit;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void fetchNextPage(), isNear);
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  if (!hasNextPage) return null;
  if (isFetchNextPageError) return <Failed error={list.error} onRetry={() => void fetchNextPage()} />;
  return (
    <div ref={end}>
      <Button onPress={() => void fetchNextPage()} isPending={list.isFetchingNextPage}>
        {t("state.more")}
      </Button>
    </div>
  );
}
