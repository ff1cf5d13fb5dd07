// What the conversations of an agent came to in a period, and the conversations behind it.
import { useQuery } from "@tanstack/react-query";
import { request } from "./client";
import type { Insights } from "./insights";
import type { components as operator } from "./operator";
import { usePageWindow } from "./pages";
import type { components } from "./rest";

export type Sums = components["schemas"]["InsightSums"];
export type InsightRow = components["schemas"]["InsightRow"];
export type TopicRow = components["schemas"]["TopicRow"];
export type Grouping = components["schemas"]["InsightGrouping"];
export type Counted = operator["schemas"]["CountedConversation"];
export type Rebuilding = operator["schemas"]["Progress"];
export type FirstText = operator["schemas"]["FirstText"];

/** Whole days of UTC, both included. */
export interface Period {
  from: string;
  to: string;
}

const dayLength = 86_400_000;
const dayName = (time: number) => new Date(time).toISOString().slice(0, 10);

/** So many days with today as the last one; or as many before them, and so on. */
export function periodOf(days: number, periodsBack = 0): Period {
  const last = Date.now() - periodsBack * days * dayLength;
  return { from: dayName(last - (days - 1) * dayLength), to: dayName(last) };
}

const agentPath = (id: string) => `/agents/${encodeURIComponent(id)}`;

export const useReport = (agentId: string, { from, to }: Period, groupBy: Grouping) =>
  useQuery({
    queryKey: ["agent", agentId, "report", from, to, groupBy],
    queryFn: async ({ signal }) => {
      const path = `/v2${agentPath(agentId)}/insights?${new URLSearchParams({ from, to, groupBy })}`;
      return (await request<{ data: Insights }>("GET", path, undefined, signal)).data;
    },
    staleTime: 60_000,
  });

/** How soon an agent has begun its answers in a period; nothing is read without one. */
export const useFirstText = (agentId: string, period: Period | undefined) =>
  useQuery({
    queryKey: ["agent", agentId, "firstText", period?.from, period?.to],
    queryFn: ({ signal }) =>
      request<FirstText>("GET", `/v1${agentPath(agentId)}/insights/first-text?${new URLSearchParams({ ...period })}`, undefined, signal),
    enabled: period !== undefined,
    staleTime: 60_000,
  });

/** How the customers of a week felt, in numbers of conversations. */
export type SentimentWeek = operator["schemas"]["SentimentWeek"];

export const useSentimentWeeks = (agentId: string, { from, to }: Period) =>
  useQuery({
    queryKey: ["agent", agentId, "sentimentWeeks", from, to],
    queryFn: ({ signal }) => {
      const path = `/v1${agentPath(agentId)}/insights/sentiment-weeks?${new URLSearchParams({ from, to })}`;
      return request<{ weeks: SentimentWeek[] }>("GET", path, undefined, signal);
    },
    staleTime: 60_000,
  });

/** What narrows the conversations behind a figure, by the names of the search. */
export const searchNames = ["topic", "source", "sentiment", "feedback", "escalated", "startDate", "endDate"] as const;
export type Search = Readonly<Record<string, string>>;

/** The figures that the search does not know, and the server lists the conversations of. */
export const countedFigures = ["resolved", "unresolved", "refused", "question"] as const;
export type CountedFigure = (typeof countedFigures)[number];

/** `askedAt` is when the newest of the questions was asked, in seconds; empty for other figures. */
export const useCounted = (agentId: string, figure: CountedFigure, { from, to }: Period, askedAt: string) => {
  const query = new URLSearchParams({ figure, from, to, limit: "25", ...(askedAt && { askedAt }) });
  return usePageWindow<Counted>(["agent", agentId, "counted", query.toString()], `/v1${agentPath(agentId)}/insights/conversations?${query}`, true);
};

export const beginning: Rebuilding = { forgotten: false, after: { ID: "", SortValue: 0 }, judged: 0, done: false };

/** Takes a step of sorting all conversations again, and says how far that is. */
export const rebuild = (agentId: string, at: Rebuilding) =>
  request<Rebuilding>("POST", `/v1${agentPath(agentId)}/insights/rebuild`, { at });
