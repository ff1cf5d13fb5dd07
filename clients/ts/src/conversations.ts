import { follow, type ConversationEvent } from "./follow.js";
import { Group, items, type ConversationRef } from "./group.js";
import type { BodyOf, CallOptions, QueryOf, ReplyOf } from "./types.js";

type ConversationQuery = QueryOf<"listConversations">;
type ExportQuery = QueryOf<"exportConversations">;
type SearchQuery = QueryOf<"searchConversations">;

/** Conversations, their messages and ratings, and who answers. */
export class Conversations extends Group {
  /** A page of the conversations that began through the API, newest first. */
  list(agentId: string, query: ConversationQuery = {}, options: CallOptions = {}): Promise<ReplyOf<"listConversations">> {
    return this.transport.call("listConversations", { path: { agentId }, query, ...options });
  }

  /** Every conversation that began through the API. */
  all(agentId: string, query: ConversationQuery = {}, options: CallOptions = {}) {
    return items((q: ConversationQuery) => this.list(agentId, q, options), query);
  }

  /** A page of the conversations that an end user has begun through the API. */
  ofUser(agentId: string, userId: string, query: QueryOf<"listUserConversations"> = {}, options: CallOptions = {}): Promise<ReplyOf<"listUserConversations">> {
    return this.transport.call("listUserConversations", { path: { agentId, userId }, query, ...options });
  }

  /** Every conversation that an end user has begun through the API. */
  ofUserAll(agentId: string, userId: string, query: QueryOf<"listUserConversations"> = {}, options: CallOptions = {}) {
    return items((q: QueryOf<"listUserConversations">) => this.ofUser(agentId, userId, q, options), query);
  }

  /** A page of conversations of every origin, with their messages. */
  export(agentId: string, query: ExportQuery = {}, options: CallOptions = {}): Promise<ReplyOf<"exportConversations">> {
    return this.transport.call("exportConversations", { path: { agentId }, query, ...options });
  }

  /** Every conversation of every origin, with its messages. */
  exportAll(agentId: string, query: ExportQuery = {}, options: CallOptions = {}) {
    return items((q: ExportQuery) => this.export(agentId, q, options), query);
  }

  /** A page of the results of a search, of every origin: the best first if the search has words, otherwise the latest activity first. */
  search(agentId: string, query: SearchQuery = {}, options: CallOptions = {}): Promise<ReplyOf<"searchConversations">> {
    return this.transport.call("searchConversations", { path: { agentId }, query, ...options });
  }

  /** Every result of a search. */
  searchAll(agentId: string, query: SearchQuery = {}, options: CallOptions = {}) {
    return items((q: SearchQuery) => this.search(agentId, q, options), query);
  }

  /** A conversation with its newest messages. */
  get(path: ConversationRef, options: CallOptions = {}): Promise<ReplyOf<"getConversation">> {
    return this.transport.call("getConversation", { path, ...options });
  }

  /** A page of messages: the first holds the newest, and within a page they run from old to new. */
  messages(path: ConversationRef, query: QueryOf<"listMessages"> = {}, options: CallOptions = {}): Promise<ReplyOf<"listMessages">> {
    return this.transport.call("listMessages", { path, query, ...options });
  }

  /** Every message, from the newest to the oldest. */
  messagesAll(path: ConversationRef, query: QueryOf<"listMessages"> = {}, options: CallOptions = {}) {
    return items(async (q: QueryOf<"listMessages">) => {
      const page = await this.messages(path, q, options);
      return { ...page, data: [...page.data].reverse() };
    }, query);
  }

  /** Rates an answer; null removes the rating. */
  rate(path: ConversationRef & { messageId: string }, feedback: BodyOf<"rateMessage">["feedback"], options: CallOptions = {}): Promise<ReplyOf<"rateMessage">> {
    return this.transport.call("rateMessage", { path, body: { feedback }, ...options });
  }

  /** Pauses the agent in a conversation, or resumes it. */
  pause(path: ConversationRef, paused = true, options: CallOptions = {}): Promise<ReplyOf<"pauseConversation">> {
    return this.transport.call("pauseConversation", { path, body: { paused }, ...options });
  }

  /** Writes to the person who has taken the conversation over. */
  write(path: ConversationRef, message: string, options: CallOptions = {}): Promise<ReplyOf<"writeMessage">> {
    return this.transport.call("writeMessage", { path, body: { message }, ...options });
  }

  /**
   * Follows a conversation: its status, and each message from now on, until it has ended. With `after`, the id of a message
   * event, it begins behind that message. A connection that breaks, or that a stopping server ends, is opened again behind what was
   * received, however long that takes. Leaving the loop, or the signal, closes the connection. Fails with a ParleyError when the
   * conversation cannot be followed, also later: RESOURCE_NOT_FOUND once it is deleted.
   */
  follow(path: ConversationRef, { after, ...options }: CallOptions & { after?: string | undefined } = {}): AsyncGenerator<ConversationEvent, void, undefined> {
    return follow({
      after,
      signal: options.signal,
      open: (behind) => {
        const headers = { ...options.headers, ...(behind !== undefined && { "last-event-id": behind }) };
        return this.transport.send("followConversation", { path, ...options, headers });
      },
      newest: async () => (await this.messages(path, { limit: 1 }, { signal: options.signal, headers: options.headers })).data.at(-1)?.id,
    });
  }
}
