import { useEffect, useRef } from "react";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useTexts } from "../i18n";
import { Button } from "./button";
import { Failed } from "./states";

const reach = "600px"; // beyond what is in view

interface Props {
  list: UseInfiniteQueryResult<InfiniteData<unknown, unknown>, unknown>;
  /** What the pages before are read for, where a list is read in both directions. */
  isBack?: boolean;
  label?: string;
  /** Reads nothing before the button is pressed. */
  isAsked?: boolean;
}

/** An end of a list that is read in parts. The next one is read when the end is near, or by the button. */
export function More({ list, isBack = false, isAsked = false, label }: Props) {
  const { t } = useTexts();
  const end = useRef<HTMLDivElement>(null);
  const { isFetching } = list;
  const [has, isFailed, isReading, read] = isBack
    ? [list.hasPreviousPage, list.isFetchPreviousPageError, list.isFetchingPreviousPage, list.fetchPreviousPage]
    : [list.hasNextPage, list.isFetchNextPageError, list.isFetchingNextPage, list.fetchNextPage];
  useEffect(() => {
    if (!end.current || !has || isFetching || isFailed || isAsked) return;
    const isNear = { rootMargin: reach, scrollMargin: reach } as IntersectionObserverInit;
    // A busy page is told of several frames at once: the last one is how it is, and nothing is told before that changes.
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && void read(), isNear);
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [has, isFetching, isFailed, isAsked, read]);
  if (!has) return null;
  if (isFailed) return <Failed error={list.error} onRetry={() => void read()} />;
  return (
    <div ref={end}>
      <Button onPress={() => void read()} isPending={isReading}>
        {label ?? t(isBack ? "state.moreBefore" : "state.more")}
      </Button>
    </div>
  );
}
