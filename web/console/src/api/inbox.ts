// The conversations of all agents, and what a person does in them.
import { useInfiniteQuery, useQuery, type InfiniteData } from "@tanstack/react-query";
import { hooks, request, requestOnce } from "./client";
import type { components } from "./operator";
import { usePages } from "./pages";
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
  return usePages<InboxRow>(["inbox", "list", view, agent, member], inboxPath(`?${query}`), isEnabled);
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
  return usePages<Found>(["foundConversations", agent, filter], path, isEnabled);
}

/** A conversation with its newest messages; further pages go back in time. */
export const useThread = (id: string) =>
  useInfiniteQuery({
    queryKey: ["conversation", id],
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam > 0 ? `?before=${pageParam}` : "";
      return request<Thread>("GET", conversationPath(id, `/thread${query}`), undefined, signal);
    },
    initialPageParam: 0,
    getNextPageParam: ({ hasEarlier, entries }) => (hasEarlier ? entries[0]?.seq : undefined),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.answering ? answerInterval : false),
    staleTime: 0,
  });

/** The conversation with all entries that were read, the oldest first. */
export function wholeThread(data: InfiniteData<Thread> | undefined): Thread | undefined {
  const newest = data?.pages[0];
  if (!newest) return undefined;
  const hasEarlier = data.pages.at(-1)!.hasEarlier;
  return { ...newest, hasEarlier, entries: data.pages.toReversed().flatMap(({ entries }) => entries) };
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
