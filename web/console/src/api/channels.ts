// The programs that connect messengers to an agent. Their deliveries and secrets are those of webhooks.
import { useQuery } from "@tanstack/react-query";
import { request } from "./client";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type Channel = Schemas["Channel"];
export type CreatedChannel = Schemas["CreatedChannel"];

/** Where the conversations of a channel may begin. The last one is for messengers that are not among them. */
export const sources = [
  "Slack",
  "WhatsApp",
  "Messenger",
  "Instagram",
  "Email",
  "Salesforce",
  "Zendesk",
  "Zendesk Messaging",
  "Unspecified",
] as const;
export type Source = (typeof sources)[number];

export const useChannels = (agentId: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ["channels", agentId],
    queryFn: ({ signal }) => request<Channel[]>("GET", `/v1/channels?agentId=${encodeURIComponent(agentId)}`, undefined, signal),
    enabled: isEnabled,
  });

export interface NewChannel {
  agentId: string;
  name: string;
  source: Source;
  endpoint: string;
}

/** Adds a channel, whose secret is told this once. The server asks who the person is. */
export const addChannel = (channel: NewChannel) => request<CreatedChannel>("POST", "/v1/channels", channel);

const addressOf = (id: string) => `/v1/channels/${encodeURIComponent(id)}`;

/** Changes a channel, or switches it on or off. The server asks who the person is. */
export const changeChannel = (id: string, change: { name?: string; endpoint?: string; enabled?: boolean }) =>
  request<Channel>("PATCH", addressOf(id), change);

export const removeChannel = (id: string) => request<unknown>("DELETE", addressOf(id));
