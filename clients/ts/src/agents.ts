import { Group, items } from "./group.js";
import type { BodyOf, CallOptions, QueryOf, ReplyOf } from "./types.js";

/** An agent answers messages from its sources. */
export class Agents extends Group {
  /** A page of the account's agents. */
  list(query: QueryOf<"listAgents"> = {}, options: CallOptions = {}): Promise<ReplyOf<"listAgents">> {
    return this.transport.call("listAgents", { query, ...options });
  }

  /** Every agent of the account. */
  all(query: QueryOf<"listAgents"> = {}, options: CallOptions = {}) {
    return items((q: QueryOf<"listAgents">) => this.list(q, options), query);
  }

  create(body: BodyOf<"createAgent">, options: CallOptions = {}): Promise<ReplyOf<"createAgent">> {
    return this.transport.call("createAgent", { body, ...options });
  }

  get(agentId: string, options: CallOptions = {}): Promise<ReplyOf<"getAgent">> {
    return this.transport.call("getAgent", { path: { agentId }, ...options });
  }

  /** Changes the settings that are sent. */
  update(agentId: string, body: BodyOf<"updateAgent">, options: CallOptions = {}): Promise<ReplyOf<"updateAgent">> {
    return this.transport.call("updateAgent", { path: { agentId }, body, ...options });
  }

  /** Changes how the chat widget and the center stage look. */
  updateStyles(agentId: string, body: BodyOf<"updateStyles">, options: CallOptions = {}): Promise<ReplyOf<"updateStyles">> {
    return this.transport.call("updateStyles", { path: { agentId }, body, ...options });
  }

  /** Turns the weekly re-sync of websites on or off. */
  setAutoRetrain(agentId: string, body: BodyOf<"setAutoRetrain">, options: CallOptions = {}): Promise<ReplyOf<"setAutoRetrain">> {
    return this.transport.call("setAutoRetrain", { path: { agentId }, body, ...options });
  }

  /** Copies an agent with all its sources. */
  clone(agentId: string, options: CallOptions = {}): Promise<ReplyOf<"cloneAgent">> {
    return this.transport.call("cloneAgent", { path: { agentId }, ...options });
  }

  /** What an agent's conversations were about and how they ended, by days or by another measure. */
  insights(agentId: string, query: QueryOf<"getInsights"> = {}, options: CallOptions = {}): Promise<ReplyOf<"getInsights">> {
    return this.transport.call("getInsights", { path: { agentId }, query, ...options });
  }

  /** Deletes an agent and everything it holds. */
  delete(agentId: string, options: CallOptions = {}): Promise<ReplyOf<"deleteAgent">> {
    return this.transport.call("deleteAgent", { path: { agentId }, ...options });
  }

  /** @deprecated Does nothing: sources train when they are written. */
  train(agentId: string, options: CallOptions = {}): Promise<ReplyOf<"trainAgent">> {
    return this.transport.call("trainAgent", { path: { agentId }, ...options });
  }
}
