// Follows what others do in a conversation: people take it over, write in it, hand it back and end it.
import { signal } from "@preact/signals";
import { readEvents, type ServerEvent } from "../../shared/stream/sse";
import { ApiError, type Api } from "./api";
import { isUnreachable, pauseBefore, type Connection } from "./connection";
import type { ConversationHead, Message, Person } from "./state";
import type { StoredMessage, Thread } from "./thread";
import type { Turns } from "./turns";

const firstPause = 300; // milliseconds
const shortStream = 5_000; // one that ends sooner is as good as none

/** Who answers: a person who has come or has left; or nobody is there, and may know where to write. */
interface Answering extends Person {
  state: "joined" | "left" | "away";
  canAnswerByEmail?: boolean;
}

export class Follower {
  readonly person = signal<Answering | null>(null);
  /** When a person who types has stopped unless they go on: epoch milliseconds; 0 for nobody. */
  readonly typingUntil = signal(0);
  private running: AbortController | null = null;
  private conversationId = "";
  /** What has come while this tab asks: it knows better what it has sent and gets. */
  private held: ServerEvent[] = [];

  constructor(
    private readonly api: Api,
    private readonly thread: Thread,
    private readonly connection: Connection,
    private readonly turns: Pick<Turns, "phase">,
    private readonly onMessages: (fresh: readonly Message[]) => void,
    /** Reads what has come meanwhile. */
    private readonly catchUp: () => void,
  ) {
    turns.phase.subscribe((phase) => {
      if (phase === "idle") for (const event of this.held.splice(0)) this.take(event);
    });
  }

  /** Follows the conversation from now on, once. */
  start() {
    const id = this.thread.head.value?.id;
    if (!id || (this.running && this.conversationId === id)) return;
    this.stop();
    this.conversationId = id;
    this.running = new AbortController();
    void this.follow(id, this.running.signal);
  }

  stop() {
    this.running?.abort();
    this.running = null;
    this.held = [];
    this.typingUntil.value = 0;
  }

  reset() {
    this.stop();
    this.person.value = null;
  }

  private async follow(id: string, signal: AbortSignal) {
    const alone = () => this.run(id, signal, () => {});
    // Hidden tabs follow people as well.
    const isShared = this.thread.head.value?.status === "taken_over" && "locks" in navigator;
    if (isShared) await this.share(id, signal).catch(alone);
    else await alone();
    if (this.running?.signal === signal) this.running = null;
  }

  /** Follows together with the visitor's other tabs. */
  private async share(id: string, signal: AbortSignal) {
    const { shareFollowing } = await import("./shared-following");
    if (signal.aborted) return;
    await shareFollowing(`parley:events:${id}`, signal, {
      lead: (until, relay) => this.run(id, until, relay),
      take: (event) => this.receive(event),
      catchUp: this.catchUp,
    });
  }

  private async run(id: string, signal: AbortSignal, relay: (event: ServerEvent) => void) {
    for (let failures = 0; !signal.aborted; ) {
      const begun = performance.now();
      let isLost = false;
      try {
        await this.read(id, signal, relay);
        if (this.thread.head.value?.status === "ended") break;
      } catch (error) {
        if (signal.aborted) return;
        isLost = !(error instanceof ApiError) || isUnreachable(error);
        if (!isLost && !(await this.mayAskLater(error as ApiError, signal))) break;
        if (!isLost) continue;
      }
      failures = performance.now() - begun > shortStream ? 0 : failures + 1;
      if (failures < 2) await this.connection.wait(firstPause, signal);
      else if (isLost) await this.connection.pause(failures - 2, signal);
      else await this.connection.wait(pauseBefore(failures), signal);
    }
  }

  private async read(id: string, signal: AbortSignal, relay: (event: ServerEvent) => void) {
    const options = { signal, lastEventId: String(this.thread.lastSeq) };
    const stream = await this.api.stream("GET", `/conversation/${id}/events`, undefined, options);
    this.connection.ok();
    for await (const event of readEvents(stream)) {
      if (signal.aborted) return;
      relay(event);
      this.receive(event);
    }
  }

  private receive(event: ServerEvent) {
    if (this.turns.phase.value === "idle") this.take(event);
    else this.held.push(event);
  }

  /** Waits as long as the server wants; nobody who waits for nothing is told. */
  private async mayAskLater(error: ApiError, signal: AbortSignal): Promise<boolean> {
    if (error.status !== 429) return false;
    const pause = Math.max(5, error.retryAfter) * 1000;
    await this.connection.wait(pause * (1 + Math.random() / 2), signal);
    return true;
  }

  private take({ event, data }: ServerEvent) {
    const read = parse(data);
    switch (event) {
      case "status":
        this.takeStatus(read.status as ConversationHead["status"]);
        break;
      case "message":
        this.takeMessage(read as unknown as StoredMessage);
        break;
      case "person":
        this.person.value = read as unknown as Answering;
        break;
      case "typing":
        this.typingUntil.value = Number(read.until) || Date.parse(String(read.until)) || 0;
    }
  }

  private takeStatus(status: ConversationHead["status"]) {
    this.thread.setStatus(status);
    if (status !== "taken_over") this.typingUntil.value = 0;
  }

  private takeMessage(stored: StoredMessage) {
    if (stored.author === "human") this.typingUntil.value = 0;
    const fresh = this.thread.merge([stored]);
    if (fresh.length > 0) this.onMessages(fresh);
  }
}

function parse(data: string): Record<string, unknown> {
  try {
    return JSON.parse(data) as Record<string, unknown>;
  } catch {
    return {};
  }
}
