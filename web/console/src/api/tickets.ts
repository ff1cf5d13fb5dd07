// The tickets of an agent: lists, one of them with what was said, and what is changed of them.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { hooks, request, requestOnce } from "./client";
import type { Written } from "./inbox";
import { usePageWindow } from "./pages";
import { useInboxMembers } from "./saved";
import { useMay, useSession } from "./session";
import { useThreadPages, wholeOf, type Whole } from "./thread-pages";
import type { components } from "./operator";

type Schemas = components["schemas"];

/** A ticket in a list. In the list of all agents it has the names that are its agent’s own. */
export interface TicketRow extends Omit<Schemas["Ticket"], "customer"> {
  customer: Partial<Schemas["Customer"]>;
  agentName?: string;
  assigneeName?: string;
}

/** The conversations of tickets. */
export const conversationsOf = (rows: readonly TicketRow[]): string[] => rows.flatMap(({ conversationId }) => conversationId ?? []);

/** Tells tickets of a list apart: each agent counts its own. */
export const ticketKey = ({ agentId, ticketNumber }: TicketRow) => `${agentId} ${ticketNumber}`;
export type TicketDetails = Schemas["TicketDetails"];
/** A ticket, whatever was said. */
export type TicketFacts = Omit<TicketDetails, "messages" | "hasEarlier">;
export type TicketMessage = Schemas["TicketMessage"];
export type TicketEvent = Schemas["TicketEvent"];
export type TicketStatus = Schemas["Status"];
export type Team = Schemas["Team"];

export const categories = ["new", "on_you", "on_customer", "on_hold", "closed", "cancelled"] as const;
export type Category = (typeof categories)[number];
export const openCategories: readonly Category[] = ["new", "on_you", "on_customer", "on_hold"];
export const priorities = ["none", "low", "normal", "high", "urgent"] as const;
export type Priority = (typeof priorities)[number];

/** What stands for no assignee and for no team. */
export const nobody = "none";

const ofAgent = (agentId: string, rest: string) => `/v1/agents/${encodeURIComponent(agentId)}${rest}`;

export interface TicketQuery {
  status: readonly Category[];
  /** A member's id, "none", or empty for all. */
  assigneeId: string;
  /** A team's id, "none", or empty for all. */
  teamId: string;
  /** Whether only what is overdue is wanted, the longest first. */
  isOverdue: boolean;
  sortBy: "updatedAt" | "lastMessageAt" | "createdAt";
  order: "asc" | "desc";
}

function searchParamsOf({ status, assigneeId, teamId, isOverdue, sortBy, order }: TicketQuery): URLSearchParams {
  const params = new URLSearchParams({ limit: "50", sortBy, order });
  if (status.length > 0) params.set("statusCategories", status.join(","));
  if (assigneeId) params.set("assigneeId", assigneeId);
  if (teamId) params.set("team", teamId);
  if (isOverdue) params.set("overdue", "true");
  return params;
}

/** The tickets of an agent, or of all agents without one. */
const listPath = (agentId: string, query: URLSearchParams) =>
  agentId ? ofAgent(agentId, `/tickets?${query}`) : `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/tickets?${query}`;

/**
 * The tickets that a query leaves, in pages: of an agent, or of all agents without one. An event about one of them has them
 * read again.
 */
export function useTickets(agentId: string, query: TicketQuery, isEnabled: boolean) {
  const path = listPath(agentId, searchParamsOf(agentId ? query : { ...query, teamId: "" }));
  return usePageWindow<TicketRow>(["tickets", agentId || null, query], path, isEnabled);
}

const mostFound = 50;

interface FoundTickets {
  data: TicketRow[];
  pagination: { hasMore: boolean };
}

/** The tickets in which words are found, the best first: of an agent, or of all agents without one. */
export const useFoundTickets = (agentId: string, words: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ["tickets", agentId || null, "search", words],
    queryFn: ({ signal }) =>
      request<FoundTickets>("GET", listPath(agentId, new URLSearchParams({ query: words, limit: `${mostFound}` })), undefined, signal),
    enabled: isEnabled,
  });

const ticketPageSize = 50;

const readTicket = (agentId: string, number: number, query: Readonly<Record<string, string>>, signal: AbortSignal) =>
  request<TicketDetails>("GET", ofAgent(agentId, `/tickets/${number}?${new URLSearchParams(query)}`), undefined, signal);

/** A ticket as it is, with hardly anything of what was said. */
export const useTicket = (agentId: string, number: number) =>
  useQuery({
    queryKey: ["ticket", agentId, number],
    queryFn: ({ signal }) => readTicket(agentId, number, { limit: "1" }, signal),
  });

/** A ticket with what was said and what has happened. */
export interface TicketThread extends Omit<TicketDetails, "messages"> {
  entries: TicketMessage[];
}

/** A ticket with its newest messages and events; further pages go back in time, and only a few are kept. */
export const useTicketThread = (agentId: string, number: number) =>
  useThreadPages<TicketMessage, TicketThread>(["ticket", agentId, number, "thread"], {
    read: async (before, signal) => {
      const query = { limit: `${ticketPageSize}`, ...(before > 0 && { before: `${before}` }) };
      const { messages: entries, ...ticket } = await readTicket(agentId, number, query, signal);
      return { ...ticket, entries };
    },
  });

export type WholeTicket = Whole<TicketThread>;

export const wholeTicket = wholeOf<TicketMessage, TicketThread>;

/** All statuses of the agent, also those that are out of use, in the order of their categories. */
export const useStatuses = (agentId: string) =>
  useQuery({
    queryKey: ["statuses", agentId],
    queryFn: ({ signal }) => request<TicketStatus[]>("GET", ofAgent(agentId, "/statuses"), undefined, signal),
    enabled: agentId !== "",
  });

export const useTeams = (agentId: string) =>
  useQuery({
    queryKey: ["teams", agentId],
    queryFn: ({ signal }) => request<Team[]>("GET", ofAgent(agentId, "/teams"), undefined, signal),
    enabled: agentId !== "",
  });

export interface Person {
  id: string;
  name: string;
}

/** Who may have a ticket: the person, then who may answer customers, then the members of the teams; `isLoading` while some are read. */
export function usePeople(agentId: string): { people: readonly Person[]; isLoading: boolean } {
  const { data: session } = useSession();
  const mayRead = useMay("conversations:read");
  const { data: answering = [], isLoading: areMembersRead } = useInboxMembers(mayRead && agentId !== "");
  const { data: teams = [], isLoading: areTeamsRead } = useTeams(agentId);
  const found = new Map<string, Person>();
  const add = (id: string, name: string) => {
    if (!found.has(id)) found.set(id, { id, name });
  };
  if (session?.user) add(session.user.id, session.user.name || session.user.email);
  for (const { userId, name } of answering) add(userId, name);
  for (const { members } of teams) for (const { userId, name, email } of members) add(userId, name || email);
  return { people: [...found.values()], isLoading: areMembersRead || areTeamsRead };
}

/** What is to change of a ticket; what is left out stays. */
export interface TicketChange {
  /** The id of a status. */
  status?: string;
  /** Stands for the status that is the default of a category. */
  statusCategory?: Category;
  /** A member's id, or "none". */
  assignee?: string;
  /** The id of a team, or "none". */
  team?: string;
  priority?: Priority;
}

/** Changes a ticket. With `baseUpdatedAt` it fails with TICKET_CHANGED where somebody has changed it since. */
export const changeTicket = (agentId: string, number: number, change: TicketChange & { baseUpdatedAt?: string }) =>
  request<Schemas["Ticket"]>("PATCH", ofAgent(agentId, `/tickets/${number}`), change);

export interface NewTicket {
  subject: string;
  description: string;
  /** Of the customer. */
  email: string;
  name?: string;
  priority?: Priority;
}

/** Opens a ticket for a customer. The rules find its team and who has it. */
export const openTicket = (agentId: string, ticket: NewTicket) =>
  request<Schemas["Ticket"]>("POST", ofAgent(agentId, "/tickets"), ticket);

export type MessageType = "reply" | "note";

/** What is sent of a reply or a note at a ticket. */
export const ticketMessageBody = (type: MessageType, { text, fileIds }: Written) => ({
  type,
  member: hooks.person?.email ?? "",
  text,
  ...(fileIds.length > 0 && { fileIds }),
});

/** Writes to a ticket as the person. */
export const writeToTicket = (agentId: string, number: number, body: ReturnType<typeof ticketMessageBody>, key: string) =>
  requestOnce<unknown>("POST", ofAgent(agentId, `/tickets/${number}/messages`), body, key);

/** Returns what has the lists and the ticket read again that were changed here, and the conversation in which that is said. */
export function useTicketsChange() {
  const client = useQueryClient();
  return () => Promise.all(["tickets", "ticket", "conversation"].map((word) => client.invalidateQueries({ queryKey: [word] })));
}
