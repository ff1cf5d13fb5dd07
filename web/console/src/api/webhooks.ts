// The addresses to which the events of a company are sent, and what became of each delivery.
import { useQuery } from "@tanstack/react-query";
import { hooks, request } from "./client";
import { usePages } from "./pages";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["Delivery"];

/** What customers have submitted, which a new webhook hears of unless it is told otherwise. */
export const submissions = ["leads.submit", "forms.submit"] as const;

/** What a webhook may hear of. */
export const events = [
  ...submissions,
  "conversation.created",
  "conversation.taken_over",
  "conversation.handed_back",
  "conversation.paused",
  "conversation.resumed",
  "conversation.ended",
  "conversation.deleted",
  "message.created",
  "message.feedback",
  "ticket.created",
  "ticket.updated",
  "ticket.message",
  "ticket.overdue",
  "source.trained",
  "source.failed",
  "source.deleted",
  "agent.created",
  "agent.updated",
  "agent.deleted",
  "voice.started",
  "voice.ended",
] as const;
export type Event = (typeof events)[number];

/** All webhooks of the company, of which there are at most 100. */
export const useWebhooks = (isEnabled: boolean) =>
  useQuery({
    queryKey: ["webhooks"],
    queryFn: ({ signal }) => request<Webhook[]>("GET", "/v1/webhooks", undefined, signal),
    enabled: isEnabled,
  });

export interface NewWebhook {
  endpoint: string;
  events: readonly string[];
  /** Left out for all agents. */
  agentId?: string;
}

/** Adds a webhook, whose secret is told this once. The server asks who the person is. */
export const addWebhook = (webhook: NewWebhook) =>
  request<Schemas["CreatedWebhook"]>("POST", "/v1/webhooks", { accountId: hooks.account, ...webhook });

const addressOf = (id: string, rest = "") => `/v1/webhooks/${encodeURIComponent(id)}${rest}`;

/** Changes a webhook, or switches it on or off. The server asks who the person is. */
export const changeWebhook = (id: string, change: { endpoint?: string; events?: readonly string[]; enabled?: boolean }) =>
  request<Webhook>("PATCH", addressOf(id), change);

/** Makes another secret for a webhook, which is told this once. The server asks who the person is. */
export const rotateSecret = (id: string) => request<Schemas["CreatedWebhook"]>("POST", addressOf(id, "/secret"));

/** Sends a webhook an event that tells of nothing. */
export const tryWebhook = (id: string) => request<unknown>("POST", addressOf(id, "/test"));

export const removeWebhook = (id: string) => request<unknown>("DELETE", addressOf(id));

/** The deliveries of a webhook, the newest first. Those that wait are looked at again by and by. */
export const useDeliveries = (webhookId: string, areFailed: boolean, isEnabled: boolean) =>
  usePages<Delivery>(
    ["deliveries", webhookId, areFailed],
    `/v1/deliveries?webhookId=${encodeURIComponent(webhookId)}&limit=50${areFailed ? "&state=dead" : ""}`,
    isEnabled,
    ({ state }) => state === "pending",
  );

/** What is sent of a delivery, the same in every attempt, and the beginning of what the latest one was answered. */
export const useSentBody = (id: string, attempts: number, isEnabled: boolean) =>
  useQuery({
    queryKey: ["sentBody", id, attempts],
    queryFn: ({ signal }) => request<Schemas["SentDelivery"]>("GET", `/v1/deliveries/${encodeURIComponent(id)}`, undefined, signal),
    enabled: isEnabled,
    staleTime: Infinity,
  });

export const redeliver = (id: string) => request<unknown>("POST", `/v1/deliveries/${encodeURIComponent(id)}/redeliver`);
