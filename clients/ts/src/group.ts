import { walk, type Page } from "./pages.js";
import type { Transport } from "./transport.js";

/** The base of the groups of methods. */
export class Group {
  constructor(protected readonly transport: Transport) {}
}

/** A conversation, by its agent's id and its own. */
export interface ConversationRef {
  agentId: string;
  conversationId: string;
}

/** Yields the items of a list that is read page by page. */
export function items<Query extends object, T>(page: (query: Query) => Promise<Page<T>>, query: Query): AsyncGenerator<T, void, undefined> {
  return walk((cursor) => page(cursor === undefined ? query : { ...query, cursor }));
}
