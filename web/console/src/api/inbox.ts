// The conversations of all agents, and what a person does in them.
import { useQuery, type QueryClient } from "@tanstack/react-query";
import { hooks, request, requestOnce } from "./client";
import type { components } from "./operator";
import { usePageWindow } from "./pages";
import { leaveEarlierPages, useThreadPages, wholeOf, type Whole } from "./thread-pages";

type Schemas = components["schemas"];
export type InboxRow = Schemas["InboxRow"];
export type InboxCounts = Schemas["InboxCounts"];
export type Thread = Schemas["Thread"];
export type ThreadEntry = Schemas["ThreadEntry"];
export type FoundRow = Schemas["FoundRow"];

/** Why the server refuses: a colleague has the conversation, or has written to the customer meanwhile. */
export const claimedCode = "CONVERSATION_CLAIMED";
export const answeredCode = "CONVERSATION_ANSWERED";

const pageSize = "50";
const searchSize = "25"; // the server returns no more at a time
const answerInterval = 1_500; // milliseconds between two looks at an answer that is being written

const inboxPath = (rest: string) => `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/inbox${rest}`;
const conversationPath = (id: string, rest: string) => `/v1/conversations/${encodeURIComponent(id)}${rest}`;

/** How the conversations of a view are ordered: the last active first, or who waits longest first. */
export type InboxOrder = "active" | "longest";

/** A view of the inbox. It is read again whenever something happens in a conversation. */
export function useInbox(view: string, agent: string, member: string, order: InboxOrder, isEnabled: boolean) {
  const query = new URLSearchParams({ view, limit: pageSize, ...(agent && { agentId: agent }), ...(member && { memberId: member }), order });
  return usePageWindow<InboxRow>(["inbox", "list", view, agent, member, order], inboxPath(`?${query}`), isEnabled);
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

/**
 * What a search finds of the conversations of all agents, or of one; what was tried in the playground is not among it. Only
 * where it is `isLive` it is read again whenever something happens in a conversation.
 */
export function useFoundRows(agent: string, filter: Readonly<Record<string, string>>, isLive: boolean) {
  const query = new URLSearchParams({ ...filter, ...(agent && { agentId: agent }), limit: searchSize });
  const key = isLive ? ["foundConversations", agent, filter] : ["agent", agent, "found", filter];
  return usePageWindow<FoundRow>(key, inboxPath(`/search?${query}`), true);
}

/** Has the lists of the inbox read again: its views, how many are in them, and what a search has found. */
export const refreshLists = (client: QueryClient) =>
  Promise.all(["inbox", "foundConversations"].map((word) => client.invalidateQueries({ queryKey: [word] })));

const readThread = (id: string, before: number, signal?: AbortSignal) =>
  request<Thread>("GET", conversationPath(id, `/thread${before > 0 ? `?before=${before}` : ""}`), undefined, signal);

/** A conversation with its newest messages; further pages go back in time, and only a few are kept. */
export const useThread = (id: string) =>
  useThreadPages<ThreadEntry, Thread>(["conversation", id], {
    read: (before, signal) => readThread(id, before, signal),
    refetchInterval: (newest) => (newest?.answering ? answerInterval : false),
  });

/** Its newest entries, read once: those that are shown may be far from them. */
export const readNewestEntries = async (id: string): Promise<ThreadEntry[]> => (await readThread(id, 0)).entries;

/** Has the newest page of a thread read next, wherever in it somebody reads. */
export const leaveEarlier = (client: QueryClient, id: string) => leaveEarlierPages(client, ["conversation", id]);

/** A conversation with the entries that are kept, the oldest first. */
export type WholeThread = Whole<Thread>;

export const wholeThread = wholeOf<ThreadEntry, Thread>;

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

/** Has a member answer in a conversation, or nobody for an empty id. `former` is whoever has it. */
export const assignConversation = (id: string, memberId: string, former: string) =>
  request("PUT", conversationPath(id, "/assignee"), { memberId, ...(former && { former }) });

/** Puts a conversation aside until a time, or brings it back. */
export const snoozeConversation = (id: string, until: string | null) => request("PUT", conversationPath(id, "/snooze"), { until });

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

/** What the person has typed and not sent in a conversation, here or elsewhere. Without a conversation there is nothing. */
export const useDrafts = (id: string) =>
  useQuery({
    enabled: id !== "",
    queryKey: ["drafts", id],
    queryFn: async ({ signal }) => (await request<Schemas["ReplyDraftList"]>("GET", conversationPath(id, "/drafts"), undefined, signal)).drafts,
    staleTime: 0,
  });

/** Keeps what is typed, or nothing any more. The answer says whether the server keeps it. */
export const saveDraft = (id: string, draft: Omit<ReplyDraft, "updatedAt">) =>
  request<Schemas["ReplyDraftResult"]>("PUT", conversationPath(id, "/drafts"), draft);

/** Shows the customer that somebody writes. */
export const tellTyping = (id: string) => request("POST", conversationPath(id, "/typing"));
