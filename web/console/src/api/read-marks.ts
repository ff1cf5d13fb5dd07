// What of the conversations, and of the tickets behind some of them, the person has read. The server keeps it.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { APIError, hooks, request } from "./client";
import { refreshLists } from "./inbox";
import type { components } from "./operator";
import { useMay } from "./session";

type Schemas = components["schemas"];

/** Notes that the person has read a conversation up to its entry number `seen`, or marks it as unread. */
export const saveMark = (id: string, body: { unread: boolean; seen?: number }) =>
  request<Schemas["ReadMarkResult"]>("PUT", `/v1/conversations/${encodeURIComponent(id)}/read-mark`, body);

/** Whether the person answers customers: for others nothing is unread. */
export const useKeepsReadMarks = () => useMay("conversations:write");

/**
 * Returns what marks a conversation as unread, and has the lists say so. `leave` has it go out of sight before: else it would
 * be read again.
 */
export function useMarkUnread() {
  const client = useQueryClient();
  return async (id: string, leave: () => void) => {
    await saveMark(id, { unread: true });
    leave();
    await refreshLists(client);
  };
}

const pause = 10_000; // milliseconds before what got no answer is sent again

const isInSight = () => document.visibilityState === "visible";

function awaitSight(listener: () => void) {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/**
 * Notes that the person has read a conversation that is unread, once it is in sight. `seen` is the number of its newest
 * entry; 0 notes nothing.
 */
export function useReadMark(id: string, isUnread: boolean, seen: number): void {
  const client = useQueryClient();
  const isKept = useKeepsReadMarks();
  const isSeen = useSyncExternalStore(awaitSight, isInSight);
  const isDue = isKept && isUnread && isSeen && seen > 0;
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!isDue) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tryLater = () => void (timer = setTimeout(() => setTries((count) => count + 1), pause));
    saveMark(id, { unread: false, seen })
      .then(() => refreshLists(client))
      .catch((error: unknown) => error instanceof APIError && error.status === 0 && tryLater());
    return () => clearTimeout(timer);
  }, [client, id, seen, isDue, tries]);
}

const mostAsked = 100; // conversations that the server is asked for at once

function readUnread(ids: readonly string[], signal: AbortSignal) {
  const query = new URLSearchParams({ conversationIds: ids.join(",") });
  const path = `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/inbox/unread?${query}`;
  return request<Schemas["UnreadConversation"][]>("GET", path, undefined, signal);
}

/** Which of some conversations are unread, by their ids. */
export function useUnread(ids: readonly string[]): ReadonlySet<string> {
  const isKept = useKeepsReadMarks();
  const { data } = useQuery({
    queryKey: ["inbox", "unread", ids],
    queryFn: async ({ signal }) => {
      const groups = Array.from({ length: Math.ceil(ids.length / mostAsked) }, (_, i) => ids.slice(i * mostAsked, (i + 1) * mostAsked));
      return (await Promise.all(groups.map((some) => readUnread(some, signal)))).flat();
    },
    enabled: isKept && ids.length > 0,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => new Set(data?.map(({ conversationId }) => conversationId)), [data]);
}
