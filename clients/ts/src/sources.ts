import { Group, items } from "./group.js";
import type { BodyOf, CallOptions, QueryOf, ReplyOf } from "./types.js";

type SourceQuery = QueryOf<"listSources">;

/** What an agent has read. */
export class Sources extends Group {
  /** A page of an agent's sources. */
  list(agentId: string, query: SourceQuery = {}, options: CallOptions = {}): Promise<ReplyOf<"listSources">> {
    return this.transport.call("listSources", { path: { agentId }, query, ...options });
  }

  /** Every source of an agent. */
  all(agentId: string, query: SourceQuery = {}, options: CallOptions = {}) {
    return items((q: SourceQuery) => this.list(agentId, q, options), query);
  }

  create(agentId: string, body: BodyOf<"createSource">, options: CallOptions = {}): Promise<ReplyOf<"createSource">> {
    return this.transport.call("createSource", { path: { agentId }, body, ...options });
  }

  get(agentId: string, sourceId: string, options: CallOptions = {}): Promise<ReplyOf<"getSource">> {
    return this.transport.call("getSource", { path: { agentId, sourceId }, ...options });
  }

  /** Changes the name or the content of a text source. While the new version trains, the earlier one answers. */
  update(agentId: string, sourceId: string, body: BodyOf<"updateSource">, options: CallOptions = {}): Promise<ReplyOf<"updateSource">> {
    return this.transport.call("updateSource", { path: { agentId, sourceId }, body, ...options });
  }

  /** How many sources of each kind there are, and how large they are. */
  summary(agentId: string, options: CallOptions = {}): Promise<ReplyOf<"summarizeSources">> {
    return this.transport.call("summarizeSources", { path: { agentId }, ...options });
  }

  delete(agentId: string, sourceId: string, options: CallOptions = {}): Promise<ReplyOf<"deleteSource">> {
    return this.transport.call("deleteSource", { path: { agentId, sourceId }, ...options });
  }

  /** The bytes of a version that a citation names, and whether they still hold. */
  passage(agentId: string, sourceId: string, query: QueryOf<"checkPassage"> = {}, options: CallOptions = {}): Promise<ReplyOf<"checkPassage">> {
    return this.transport.call("checkPassage", { path: { agentId, sourceId }, query, ...options });
  }

  /** @deprecated Does nothing: a deletion is final. */
  restore(agentId: string, sourceId: string, options: CallOptions = {}): Promise<ReplyOf<"restoreSource">> {
    return this.transport.call("restoreSource", { path: { agentId, sourceId }, ...options });
  }
}
