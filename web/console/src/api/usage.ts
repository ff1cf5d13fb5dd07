// What the plan of a company allows, and what the company has used of it in a month.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { hooks, request, requestFile } from "./client";
import { usePages } from "./pages";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type Usage = Schemas["Usage"];
export type Plan = Schemas["Plan"];
export type AgentUsage = Schemas["AgentUsage"];
export type CreditDay = Schemas["CreditDay"];
export type ModelUsage = Schemas["ModelUsage"];
export type VoiceUsage = Schemas["VoiceUsage"];

const address = (rest: string, given: Record<string, string>) => {
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value));
  return `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/usage${rest}${query.size > 0 ? `?${query}` : ""}`;
};

/** The month as a whole, with the days and models of one agent, or of all without an id. An empty month is the present one. */
export const useUsage = (month: string, agentId: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ["usage", month, agentId],
    queryFn: ({ signal }) => request<Usage>("GET", address("", { month, agentId }), undefined, signal),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });

export const useAgentUsage = (month: string, isEnabled: boolean) =>
  usePages<AgentUsage>(["agentUsage", month], address("/agents", { month, limit: "100" }), isEnabled);

/** How the voice calls of the month went: those of one agent, or of all without an id. */
export const useVoiceUsage = (month: string, agentId: string) =>
  useQuery({
    queryKey: ["voiceUsage", month, agentId],
    queryFn: ({ signal }) => request<VoiceUsage>("GET", address("/voice", { month, agentId }), undefined, signal),
    placeholderData: keepPreviousData,
  });

/** What each agent, or each model, used on each day, as a table. */
export const exportUsage = (month: string, by: "agent" | "model") => requestFile(address("/export", { month, by }));

/** A share of a limit; null without a limit. One of nothing is used up. */
export const shareOf = (used: number, limit: number | null) => (limit === null ? null : limit > 0 ? used / limit : 1);

export const isReached = (share: number | null) => share !== null && share >= 1;

const nearShare = 0.8;
/** Reports whether a limit is near, and not yet reached. */
export const isNear = (share: number | null) => share !== null && share >= nearShare && share < 1;
