import { useQuery } from "@tanstack/react-query";
import { advance, newTurn, readTurnLists, type AnswerMetadata, type StreamEvent, type Turn } from "../../../shared/stream/turn";
import { openStream, request } from "./client";
import type { Agent } from "./agents";
import type { components } from "./operator";
import type { components as restComponents } from "./rest";

type Schemas = components["schemas"];
export type Explanation = Schemas["TurnExplanation"];
export type PassageTrace = Schemas["PassageTrace"];
export type DraftOptions = Schemas["DraftOptions"];
export type Improvement = Schemas["Improvement"];
export type ImprovedAnswer = Schemas["ImprovedAnswer"];
export type ConversationRecord = Omit<Schemas["PlaygroundRecord"], "exchanges"> & { exchanges: StoredExchange[] };
export type StoredExchange = Omit<Schemas["PlaygroundExchange"], "answer" | "parts"> & {
  answer: ExplainedMetadata | null;
  parts: StoredPart[];
};
type StoredPart = Omit<Schemas["Part"], "input" | "output"> & { input?: unknown; output?: unknown };
export type RecentConversation = Schemas["PlaygroundConversation"];
export type Feedback = "positive" | "negative" | null;
export type CitedPassage = restComponents["schemas"]["Passage"];
export type Suggestion = restComponents["schemas"]["SuggestedMessage"];

/** What is asked in place of the saved settings. What is left out is as the agent has it. */
export interface Draft {
  instructions?: string;
  model?: string;
  temp?: number;
  actions?: string[];
}

/** An agent with what it proposes to ask. */
export interface SuggestingAgent extends Agent {
  suggestedMessages: Suggestion[] | null;
}

export interface ExplainedMetadata extends AnswerMetadata {
  explain: Explanation | null;
}

export type Answer = Turn<ExplainedMetadata>;
export const newAnswer = newTurn<ExplainedMetadata>;
export const advanceAnswer = advance<ExplainedMetadata>;

const agentPath = (id: string) => `/v1/agents/${encodeURIComponent(id)}`;
const messagePath = (agent: string, { conversationId, messageId }: Pick<Answer, "conversationId" | "messageId">) =>
  `${agentPath(agent)}/conversations/${encodeURIComponent(conversationId)}/messages/${encodeURIComponent(messageId)}`;

export interface Question {
  message?: string;
  conversationId?: string | undefined;
  retry?: string;
  draft?: Draft | undefined;
}

async function* stream(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<StreamEvent[]> {
  yield* readTurnLists(await openStream(path, body, signal));
}

export const askPlayground = (agent: string, question: Question, signal: AbortSignal) =>
  stream(`${agentPath(agent)}/playground`, question, signal);

export interface Lane {
  conversationId?: string | undefined;
  draft?: Draft | undefined;
}

export const comparePlayground = (agent: string, message: string, lanes: readonly Lane[], signal: AbortSignal) =>
  stream(`${agentPath(agent)}/compare`, { message, lanes }, signal);

export const rateAnswer = (agent: string, answer: Answer, feedback: Feedback) =>
  request("PUT", `${messagePath(agent, answer)}/feedback`, { feedback });

export const improveAnswer = (
  agent: string,
  answer: Pick<Answer, "conversationId" | "messageId">,
  body: { question: string; answer: string; sourceId?: string },
) => request<Improvement>("POST", `${messagePath(agent, answer)}/improve`, body);

/** A conversation of the playground, as it is stored. */
export const readConversation = (agent: string, id: string, signal?: AbortSignal) =>
  request<ConversationRecord>(
    "GET",
    `${agentPath(agent)}/playground/conversations/${encodeURIComponent(id)}`,
    undefined,
    signal,
  );

/** The newest conversations of the playground. */
export const useRecentConversations = (agent: string, isWanted: boolean) =>
  useQuery({
    queryKey: ["agent", agent, "playground", "conversations"],
    queryFn: async ({ signal }) => {
      const path = `${agentPath(agent)}/playground/conversations?limit=50`;
      return (await request<{ conversations: RecentConversation[] }>("GET", path, undefined, signal)).conversations;
    },
    enabled: isWanted,
    staleTime: 0,
  });

export const useDraftOptions = (agent: string, enabled = true) =>
  useQuery({
    enabled,
    queryKey: ["agent", agent, "playground"],
    queryFn: ({ signal }) => request<DraftOptions>("GET", `${agentPath(agent)}/playground`, undefined, signal),
  });

interface SourcePage {
  data: Schemas["SourceRow"][];
  pagination: { hasMore: boolean };
}

/** The newest sources of an agent that are questions with an answer, of those whose names hold some words. */
export const useQuestionSources = (agent: string, words = "") =>
  useQuery({
    queryKey: ["sources", agent, "questions", words],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ types: "qna", limit: "100", ...(words && { name: words }) });
      return request<SourcePage>("GET", `${agentPath(agent)}/sources?${query}`, undefined, signal);
    },
    placeholderData: (before) => before,
  });

export interface Cited {
  sourceId: string;
  versionHash: string;
  start: number;
  end: number;
}

/** The words that were cited, and whether the source still has them. */
export const usePassage = (agent: string, { sourceId, versionHash, start, end }: Cited, isWanted: boolean) =>
  useQuery({
    queryKey: ["agent", agent, "passage", sourceId, versionHash, start, end],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ version: versionHash, start: String(start), end: String(end) });
      const path = `/v2/agents/${encodeURIComponent(agent)}/sources/${encodeURIComponent(sourceId)}/passages?${query}`;
      const reply = await request<{ data: CitedPassage } | CitedPassage>("GET", path, undefined, signal);
      return "data" in reply ? reply.data : reply;
    },
    enabled: isWanted,
    staleTime: 60_000,
  });
