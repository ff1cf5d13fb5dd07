// What members keep under names: replies to customers, of the whole company, and views of the inbox.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { hooks, request } from "./client";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type SavedReply = Schemas["SavedReply"];
export type SavedView = Schemas["SavedView"];
export type SavedFilter = Schemas["SavedViewFilter"];
export type InboxMember = Schemas["InboxMember"];

const path = (rest: string) => `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}${rest}`;

export const useSavedReplies = (isEnabled: boolean) =>
  useQuery({
    queryKey: ["savedReplies"],
    queryFn: async ({ signal }) =>
      (await request<Schemas["SavedReplyList"]>("GET", path("/saved-replies"), undefined, signal)).savedReplies,
    enabled: isEnabled,
  });

const replyPath = (id: string) => path(`/saved-replies/${encodeURIComponent(id)}`);

export interface ReplyValues {
  name: string;
  text: string;
}

export const addSavedReply = (values: ReplyValues) => request<SavedReply>("POST", path("/saved-replies"), values);
export const changeSavedReply = (id: string, values: ReplyValues) => request<SavedReply>("PATCH", replyPath(id), values);
export const removeSavedReply = (id: string) => request<unknown>("DELETE", replyPath(id));

export const useSavedViews = (isEnabled: boolean) =>
  useQuery({
    queryKey: ["savedViews"],
    queryFn: async ({ signal }) =>
      (await request<Schemas["SavedViewList"]>("GET", path("/saved-views"), undefined, signal)).savedViews,
    enabled: isEnabled,
  });

const viewPath = (id: string) => path(`/saved-views/${encodeURIComponent(id)}`);

export interface ViewValues {
  name: string;
  shared: boolean;
  filter: SavedFilter;
}

export const addSavedView = (values: ViewValues) => request<SavedView>("POST", path("/saved-views"), values);
export const changeSavedView = (id: string, values: Partial<ViewValues>) => request<SavedView>("PATCH", viewPath(id), values);
export const removeSavedView = (id: string) => request<unknown>("DELETE", viewPath(id));

/** Returns what has a list read again that was changed here. */
export function useSavedChange(list: "savedReplies" | "savedViews") {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [list] });
}

/** Who may answer customers. */
export const useInboxMembers = (isEnabled: boolean) =>
  useQuery({
    queryKey: ["inboxMembers"],
    queryFn: async ({ signal }) =>
      (await request<Schemas["InboxMemberList"]>("GET", path("/inbox/members"), undefined, signal)).members,
    enabled: isEnabled,
    staleTime: 60_000, // an event says when it changes
  });
