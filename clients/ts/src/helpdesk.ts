import { Group, items } from "./group.js";
import type { BodyOf, CallOptions, QueryOf, ReplyOf } from "./types.js";

type TicketQuery = QueryOf<"listTickets">;
type TicketMessageQuery = QueryOf<"listTicketMessages">;

/** A ticket, by its agent's id and its number. */
export interface TicketRef {
  agentId: string;
  ticketNumber: number;
}

/** What customers ask of people. */
export class Helpdesk extends Group {
  /** Opens a ticket for a customer, who is found by e-mail address or made. */
  create(agentId: string, body: BodyOf<"createTicket">, options: CallOptions = {}): Promise<ReplyOf<"createTicket">> {
    return this.transport.call("createTicket", { path: { agentId }, body, ...options });
  }

  /** A page of tickets, those that changed last first unless the query says otherwise. */
  list(agentId: string, query: TicketQuery = {}, options: CallOptions = {}): Promise<ReplyOf<"listTickets">> {
    return this.transport.call("listTickets", { path: { agentId }, query, ...options });
  }

  /** Every ticket. */
  all(agentId: string, query: TicketQuery = {}, options: CallOptions = {}) {
    return items((q: TicketQuery) => this.list(agentId, q, options), query);
  }

  /** The tickets that words are found in, the best first. */
  search(agentId: string, body: BodyOf<"searchTickets">, options: CallOptions = {}): Promise<ReplyOf<"searchTickets">> {
    return this.transport.call("searchTickets", { path: { agentId }, body, ...options });
  }

  get(path: TicketRef, options: CallOptions = {}): Promise<ReplyOf<"getTicket">> {
    return this.transport.call("getTicket", { path, ...options });
  }

  /** Changes what is sent: the status, the assignee, the team, the priority. */
  update(path: TicketRef, body: BodyOf<"updateTicket">, options: CallOptions = {}): Promise<ReplyOf<"updateTicket">> {
    return this.transport.call("updateTicket", { path, body, ...options });
  }

  /** A page of what was said, from the oldest unless the query says otherwise. */
  messages(path: TicketRef, query: TicketMessageQuery = {}, options: CallOptions = {}): Promise<ReplyOf<"listTicketMessages">> {
    return this.transport.call("listTicketMessages", { path, query, ...options });
  }

  /** Everything that was said. */
  messagesAll(path: TicketRef, query: TicketMessageQuery = {}, options: CallOptions = {}) {
    return items((q: TicketMessageQuery) => this.messages(path, q, options), query);
  }

  /** Replies to the customer as a member of the team, or leaves a note for the team. The content is Markdown. */
  reply(path: TicketRef, body: BodyOf<"createTicketMessage">, options: CallOptions = {}): Promise<ReplyOf<"createTicketMessage">> {
    return this.transport.call("createTicketMessage", { path, body, ...options });
  }

  /** The agent's statuses, by category and position. */
  statuses(agentId: string, options: CallOptions = {}): Promise<ReplyOf<"listTicketStatuses">> {
    return this.transport.call("listTicketStatuses", { path: { agentId }, ...options });
  }

  /** The agent's teams, in the order in which they were made. */
  teams(agentId: string, options: CallOptions = {}): Promise<ReplyOf<"listTeams">> {
    return this.transport.call("listTeams", { path: { agentId }, ...options });
  }
}
