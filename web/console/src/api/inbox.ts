// The conversations of all agents, and what a person does in them.
import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { hooks, request, requestOnce } from "./client";
import type { components } from "./operator";
import { forgetMoved, usePageWindow } from "./pages";
import type { components as restComponents } from "./rest";

type Schemas = components["schemas"];
export type InboxRow = Schemas["InboxRow"];
export type InboxCounts = Schemas["InboxCounts"];
export type Thread = Schemas["Thread"];
export type ThreadEntry = Schemas["ThreadEntry"];
export type Found = restComponents["schemas"]["Found"];

/** Why the server refuses: a colleague has the conversation, or has written to the customer meanwhile. */
export const claimedCode = "CONVERSATION_CLAIMED";
export const answeredCode = "CONVERSATION_ANSWERED";

const pageSize = "50";
const searchSize = "25"; // the server returns no more at a time
const answerInterval = 1_500; // milliseconds between two looks at an answer that is being written

const inboxPath = (rest: string) => `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/inbox${rest}`;
const conversationPath = (id: string, rest: string) => `/v1/conversations/${encodeURIComponent(id)}${rest}`;

/** A view of the inbox, the last active first. It is read again whenever something happens in a conversation. */
export function useInbox(view: string, agent: string, member: string, isEnabled: boolean) {
  const query = new URLSearchParams({ view, limit: pageSize, ...(agent && { agentId: agent }), ...(member && { memberId: member }) });
  return usePageWindow<InboxRow>(["inbox", "list", view, agent, member], inboxPath(`?${query}`), isEnabled);
}

/** The first rows of a view, read once. */
export async function readInbox(view: "mine" | "unassigned"): Promise<InboxRow[]> {
  return (await request<Schemas["InboxRowPage"]>("GET", inboxPath(`?${new URLSearchParams({ view, limit: pageSize })}`))).data;
}

export const useInboxCounts = (isEnabled: boolean) =>
  useQuery({
    queryKey: ["inbox", "counts"],
    queryFn: ({ signal }) => request<InboxCounts>("GET", inboxPath("/counts"), undefined, signal),
    enabled: isEnabled,
  });

/** What of an agent's conversations a search finds. */
export function useFoundConversations(agent: string, filter: Readonly<Record<string, string>>, isEnabled: boolean) {
  const query = new URLSearchParams({ ...filter, limit: searchSize });
  const path = `/v2/agents/${encodeURIComponent(agent)}/conversations/search?${query}`;
  return usePageWindow<Found>(["foundConversations", agent, filter], path, isEnabled);
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

type ThreadPages = InfiniteData<Thread, ThreadEnd>;

const newest: ThreadEnd = { before: 0, later: null };
const threadPages = 4; // that are kept and drawn of a thread, whatever its length

/** A conversation with its newest messages; further pages go back in time, and only a few are kept. */
export function useThread(id: string) {
  const client = useQueryClient();
  const query = useInfiniteQuery<Thread, Error, ThreadPages, QueryKey, ThreadEnd>({
    queryKey: ["conversation", id],
    queryFn: async ({ pageParam: { before, from = 0 }, signal, direction }) => {
      const read = (before: number) =>
        request<Thread>("GET", conversationPath(id, `/thread${before > 0 ? `?before=${before}` : ""}`), undefined, signal);
      const page = await read(before);
      const first = page.entries[0]?.seq ?? 0;
      // Entries that have come meanwhile have pushed older ones out of the page: those are read as well.
      if (direction !== "backward" || from === 0 || first <= from) return page;
      return { ...page, entries: [...(await read(first)).entries, ...page.entries] };
    },
    initialPageParam: newest,
    getNextPageParam: ({ hasEarlier, entries }, _, end) => (hasEarlier && entries[0] ? { before: entries[0].seq, later: end } : undefined),
    getPreviousPageParam: (_, __, { before, later }) => (later ? { ...later, from: before } : undefined),
    maxPages: threadPages,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.answering ? answerInterval : false),
    staleTime: 0,
  });
  const { data, isFetching, refetch } = query;
  const isBroken = data !== undefined && isWithGap(data);
  useEffect(() => {
    if (isBroken && !isFetching) void refetch();
  }, [isBroken, isFetching, refetch]);
  useEffect(() => () => queueMicrotask(() => forgetMoved(client, ["conversation", id], (end: ThreadEnd) => end.later !== null)), [client, id]);
  return query;
}

/** Reports whether entries have come between two pages that were read at different times. */
const isWithGap = ({ pages, pageParams }: ThreadPages) =>
  pages.some(({ entries }, i) => i + 1 < pages.length && entries[0]?.seq !== pageParams[i + 1]!.before);

/** Has the newest page of a thread read next, wherever in it somebody reads. */
export const leaveEarlier = (client: QueryClient, id: string) =>
  client.setQueryData<ThreadPages>(["conversation", id], (data) =>
    data?.pageParams[0]?.later ? { pages: data.pages.slice(0, 1), pageParams: [newest] } : data,
  );

/** A conversation with the entries that are kept, the oldest first. */
export interface WholeThread extends Thread {
  /** The newest entry is among them. */
  isNewest: boolean;
}

/** The conversation with all entries that are kept, each once. */
export function wholeThread(data: ThreadPages | undefined): WholeThread | undefined {
  const last = data?.pages[0];
  if (!last) return undefined;
  const hasEarlier = data.pages.at(-1)!.hasEarlier;
  const entries = new Map(data.pages.toReversed().flatMap((page) => page.entries.map((entry) => [entry.seq, entry] as const)));
  return { ...last, hasEarlier, entries: [...entries.values()], isNewest: data.pageParams[0]?.later === null };
}

/** Why an answer is as it is. */
export const useExplanation = (id: string, message: string) =>
  useQuery({
    queryKey: ["explanation", id, message],
    queryFn: async ({ signal }) => {
      const path = conversationPath(id, `/explain?messageId=${encodeURIComponent(message)}`);
      return (await request<Schemas["Explanation"]>("GET", path, undefined, signal)).turns[0] ?? null;
    },
    enabled: message !== "",
    staleTime: 60_000,
  });

/** Takes a conversation over. `former` is whoever has it, if it is to be taken from them. */
export const claimConversation = (id: string, key: string, former?: string) =>
  requestOnce("PUT", conversationPath(id, "/claim"), former ? { former } : {}, key);

export const moveConversation = (id: string, step: "handback" | "end") =>
  request("PUT", conversationPath(id, "/state"), { step });

/** What a person writes, with files that were uploaded before. */
export interface Written {
  text: string;
  fileIds: readonly string[];
}

/** What is sent of a reply. `seen` is the number of the newest entry that the person has seen; 0 asks nothing. */
export const replyBody = ({ text, fileIds }: Written, seen: number) => ({
  member: hooks.person?.email ?? "",
  text,
  ...(seen > 0 && { seen }),
  ...(fileIds.length > 0 && { fileIds }),
});

/** Writes to the customer. */
export const sendReply = (id: string, body: ReturnType<typeof replyBody>, key: string) =>
  requestOnce("POST", conversationPath(id, "/messages"), body, key);

export type ReplyDraft = Schemas["ReplyDraft"];

/** What the person has typed and not sent in a conversation, here or elsewhere. */
export const useDrafts = (id: string) =>
  useQuery({
    queryKey: ["drafts", id],
    queryFn: async ({ signal }) => (await request<Schemas["ReplyDraftList"]>("GET", conversationPath(id, "/drafts"), undefined, signal)).drafts,
    staleTime: 0,
  });

/** Keeps what is typed, or nothing any more. The answer says whether the server keeps it. */
export const saveDraft = (id: string, draft: Omit<ReplyDraft, "updatedAt">) =>
  request<Schemas["ReplyDraftResult"]>("PUT", conversationPath(id, "/drafts"), draft);

/** Shows the customer that somebody writes. */
export const tellTyping = (id: string) => request("POST", conversationPath(id, "/typing"));
