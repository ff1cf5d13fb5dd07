import { walk, type Page } from "./pages.js";
import type { Transport } from "./transport.js";

/** What the groups of methods share. */
export class Group {
  constructor(protected readonly transport: Transport) {}
}

/** A conversation, by its agent's id and its own. */
export interface ConversationRef {
  agentId: string;
  conversationId: string;
}

/** Gives the items of a list that is read page by page. */
export function items<Query extends object, T>(page: (query: Query) => Promise<Page<T>>, query: Query): AsyncGenerator<T, void, undefined> {
  return walk((cursor) => page(cursor === undefined ? query : { ...query, cursor }));
}
