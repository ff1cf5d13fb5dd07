import { useInfiniteQuery, useQuery, type InfiniteData } from "@tanstack/react-query";
import { useCallback } from "react";
import { useTexts } from "../i18n";
import { showName } from "../names";
import { request } from "./client";

export type AgentStatus = "untrained" | "training" | "failed" | "trained";

/** The members of an agent of REST v2 that the console shows. */
export interface Agent {
  id: string;
  name: string;
  model: string;
  visibility: string;
  status: AgentStatus | null;
  size: number;
  creditsUsed: number;
  creditLimit: number | null;
  autoRetrain: boolean;
  createdAt: string;
  lastMessageAt: string | null;
  lastTrainedAt: string | null;
}

interface Page<T> {
  data: T[];
  pagination: { cursor: string | null; hasMore: boolean; total: number };
}

// useNamed returns a function that puts the name as it is shown into an agent.
function useNamed() {
  const { t } = useTexts();
  return useCallback((agent: Agent): Agent => ({ ...agent, name: showName(agent.name, t) }), [t]);
}

export function useAgents() {
  const named = useNamed();
  return useInfiniteQuery({
    queryKey: ["agents"],
    select: useCallback(
      ({ pages, ...rest }: InfiniteData<Page<Agent>>) => {
        return { ...rest, pages: pages.map((page) => ({ ...page, data: page.data.map(named) })) };
      },
      [named],
    ),
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: "50", ...(pageParam && { cursor: pageParam }) });
      return request<Page<Agent>>("GET", `/v2/agents?${query}`, undefined, signal);
    },
    initialPageParam: "",
    getNextPageParam: ({ pagination }) => (pagination.hasMore ? pagination.cursor : undefined),
  });
}

const largestPage = 100;

/** All agents, page after page, for whoever searches them by name. */
export function useAllAgents(isWanted: boolean) {
  const named = useNamed();
  return useQuery({
    queryKey: ["agents", "all"],
    select: useCallback((all: Agent[]) => all.map(named), [named]),
    queryFn: async ({ signal }) => {
      const all: Agent[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query: URLSearchParams = new URLSearchParams({ limit: String(largestPage), ...(cursor && { cursor }) });
        const page: Page<Agent> = await request("GET", `/v2/agents?${query}`, undefined, signal);
        all.push(...page.data);
        cursor = page.pagination.hasMore ? page.pagination.cursor : null;
      }
      return all;
    },
    enabled: isWanted,
    staleTime: 30_000,
  });
}

export function useAgent(id: string, isWanted = true) {
  const named = useNamed();
  return useQuery({
    queryKey: ["agent", id],
    select: named,
    queryFn: ({ signal }) => request<Agent>("GET", `/v2/agents/${encodeURIComponent(id)}`, undefined, signal),
    enabled: isWanted,
  });
}

export const createAgent = (name: string) => request<{ id: string }>("POST", "/v2/agents", { name });

export const renameAgent = (id: string, name: string) => request("PUT", `/v2/agents/${encodeURIComponent(id)}`, { name });

export const copyAgent = (id: string) => request<{ id: string }>("POST", `/v2/agents/${encodeURIComponent(id)}/clone`);

export const deleteAgent = (id: string) => request("DELETE", `/v2/agents/${encodeURIComponent(id)}`);
