import { useQuery } from "@tanstack/react-query";
import { request } from "./client";
import type { components as operator } from "./operator";
import type { components } from "./rest";

export type Insights = components["schemas"]["Insights"];

export type AgentFigures = operator["schemas"]["AgentFigures"];
export type AgentDay = operator["schemas"]["AgentDay"];

const day = 86_400_000;
const minute = 60_000;
const dayName = (time: number) => new Date(time).toISOString().slice(0, 10);

/** What the conversations of the last days came to, today included. */
export const useInsights = (agentId: string, days: number) =>
  useQuery({
    queryKey: ["agent", agentId, "insights", days],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ from: dayName(Date.now() - (days - 1) * day), to: dayName(Date.now()) });
      const path = `/v2/agents/${encodeURIComponent(agentId)}/insights?${query}`;
      return (await request<{ data: Insights }>("GET", path, undefined, signal)).data;
    },
    staleTime: minute,
  });

/** What the last seven days of agents came to, in one request for all of them. */
export const useFigures = (ids: readonly string[]) =>
  useQuery({
    queryKey: ["figures", ...ids],
    queryFn: ({ signal }) => {
      const path = `/v1/agents/figures?agentIds=${ids.map(encodeURIComponent).join(",")}`;
      return request<AgentFigures[]>("GET", path, undefined, signal);
    },
    enabled: ids.length > 0,
    staleTime: minute,
  });

/** What an agent has done today by the company's time zone, who waits for a person, and which sources have failed. */
export const useAgentDay = (agentId: string) =>
  useQuery({
    queryKey: ["today", agentId],
    queryFn: ({ signal }) =>
      request<AgentDay>("GET", `/v1/agents/${encodeURIComponent(agentId)}/today`, undefined, signal),
    refetchInterval: minute, // no event says when a conversation is counted
  });
