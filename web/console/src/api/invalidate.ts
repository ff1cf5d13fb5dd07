// Has the queries read again that an event is about.
import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";
import { refreshRows } from "./source-rows";

/** What an event names. */
export interface Change {
  id?: string;
  agentId?: string;
  conversationId?: string;
  /** What has become of it, in one word. */
  change?: string;
}

/**
 * What each event is about, by the first word of the keys of queries. A key goes on with the ids of what it is about:
 * ["sources", agentId], ["source", agentId, id]. Whatever a key has behind them does not matter.
 */
const subjects: Readonly<Record<string, readonly string[]>> = {
  agent: ["agents", "agent", "settings", "actions", "savedViews"], // which say whether what they name is there
  source: ["sources", "source", "knowledge", "today", "agents", "agent"],
  training: ["source"], // and its row in lists, alone
  conversation: ["conversations", "conversation", "inbox", "foundConversations", "today", "customer"],
  message: ["conversation", "inbox", "foundConversations", "today", "ticket"],
  ticket: ["tickets", "ticket", "inbox", "conversation", "customer"],
  member: ["members", "invites", "inboxMembers", "savedViews"],
  modelServer: ["modelServers"],
  readMark: ["inbox", "foundConversations"],
  savedReply: ["savedReplies"],
  savedView: ["savedViews"],
};

/** How many ids follow the first word of a key. */
const idCounts: Readonly<Record<string, number>> = {
  agent: 1,
  settings: 1,
  actions: 1,
  sources: 1,
  knowledge: 1,
  today: 1,
  customer: 1,
  source: 2,
  conversations: 1,
  conversation: 2,
  tickets: 1,
  ticket: 2,
};

/** Reports whether an event is about what a query has read. */
export function isAbout(name: string, change: Change, key: QueryKey): boolean {
  const [word, ...rest] = key;
  if (typeof word !== "string" || !subjects[name]?.includes(word)) return false;
  if (word === "agent" && rest.length > 1) return false; // what is counted of an agent has events of its own
  if (name === "training" && rest.length > 2 && rest[2] !== "pages") return false; // the rest stays until it is read
  const ids = rest.slice(0, idCounts[word] ?? 0).filter((id) => typeof id === "string");
  const named = [change.id, change.agentId, change.conversationId];
  return ids.every((id) => named.includes(id));
}

const pause = 200; // milliseconds in which events gather, once some have been handled
const longestRead = 5_000; // that the next ones wait for

/** Gathers events, so that a hundred of them are one reading. */
export class Invalidator {
  private changes: [string, Change][] = [];
  private isReset = false;
  private isBusy = false;
  private isClosed = false;

  constructor(
    private readonly client: QueryClient,
    private readonly onCaughtUp: () => void,
  ) {}

  add(name: string, change: Change): void {
    if (name === "reset") this.isReset = true;
    else if (subjects[name]) this.changes.push([name, change]);
    else return;
    if (!this.isBusy) void this.work();
  }

  close(): void {
    this.isClosed = true;
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    await wait(0); // the events of one message
    while (!this.isClosed && (this.isReset || this.changes.length > 0)) {
      const { isReset, changes } = this;
      this.isReset = false;
      this.changes = [];
      const predicate = ({ queryKey }: Query) =>
        isReset ? queryKey[0] !== "session" : changes.some(([name, change]) => isAbout(name, change, queryKey));
      // The next reading waits for this one: else events that come faster than answers would end every reading.
      const reading = [this.readAgain(predicate), ...(isReset ? [] : this.refreshRows(changes))];
      await Promise.race([Promise.all(reading), wait(longestRead)]);
      if (isReset) this.onCaughtUp();
      await wait(pause);
    }
    this.isBusy = false;
  }

  // readAgain has queries read again. One that has no data yet goes on with the reading that is under way, which may be
  // older than the event: it is read once more.
  private async readAgain(predicate: (query: Query) => boolean): Promise<void> {
    const reading = this.client.getQueryCache().findAll({ predicate, fetchStatus: "fetching" });
    const first = new Set(reading.filter(({ state }) => state.data === undefined));
    await this.client.invalidateQueries({ predicate });
    if (first.size > 0) await this.client.invalidateQueries({ predicate: (query) => first.has(query) });
  }

  // refreshRows has the rows read again of sources that are being read.
  private refreshRows(changes: readonly [string, Change][]): Promise<void>[] {
    const byAgent = new Map<string, Set<string>>();
    for (const [name, { id, agentId }] of changes) {
      if (name !== "training" || !id || !agentId) continue;
      byAgent.set(agentId, (byAgent.get(agentId) ?? new Set()).add(id));
    }
    return [...byAgent].map(([agentId, ids]) => refreshRows(this.client, agentId, [...ids]));
  }
}

const wait = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time));
