// What happens in the account while it happens: one stream of events for all tabs of a browser. Events name what has
// changed; what is on the screen of that is read again.
import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { hooks, isOfOthers, newAPIError, pageHeaders } from "./client";
import { Invalidator, type Change } from "./invalidate";
import { readEventLists, type ServerEvent } from "../../../shared/stream/sse";

/** "none" is a server without events; "refused" is one that does not send them any more. */
export type LiveState = { name: "none" | "live" | "catchingUp" } | { name: "offline" | "refused"; since: number };

const address = "/console/api/v1/events";
const firstPause = 500; // milliseconds before the first new attempt; doubled by each
const longestPause = 15_000;
const longestSilence = 20_000; // after which a stream is dead: the server says something every 15 seconds
const longestJump = 30_000; // of the clock: the computer has slept
const tick = 1_000;
const lateness = 5_000; // of a timer on a busy computer
const longPause = 60_000; // before a stream that was refused is asked for again
const patience = 1_500; // before a lost stream is called offline: most come back

/** How long to wait before an attempt, with some chance in it, so that not all tabs of a company come at once. */
export const pauseBefore = (attempt: number, chance = Math.random()) =>
  Math.min(longestPause, firstPause * 2 ** attempt) * (0.75 + chance / 2);

/** Reports whether the server means an event for the console. Whatever has no name is called "message", as what tells of messages is. */
const tellsOfSomething = ({ event, data }: ServerEvent) => event !== "message" || data.startsWith("{");

interface Watch {
  isVisible: boolean;
  isConnected: boolean;
  lastTick: number;
  /** Of the server. */
  lastSign: number;
}

/**
 * Reports whether the clock has jumped, as after a closed lid, or the server has been silent for too long. The timers of
 * a page that nobody sees are late without a reason.
 */
export function needsNewStream(now: number, { isVisible, isConnected, lastTick, lastSign }: Watch): boolean {
  const hasJumped = isVisible && now - lastTick > longestJump + lateness;
  return hasJumped || (isConnected && now - lastSign > longestSilence);
}

type Message =
  | { type: "event"; event: ServerEvent }
  | { type: "state"; state: LiveState }
  | { type: "position"; position: string }
  | { type: "ask" | "now" };

/** A person's stream in an account. Of several tabs one has it, and tells the others what comes. */
export class Live {
  state: LiveState = { name: "catchingUp" };
  private readonly listeners = new Set<() => void>();
  private readonly presence = new Set<(event: ServerEvent) => void>();
  private readonly changes = new Set<(name: string, change: Change) => void>();
  private readonly each = new Set<(name: string, change: Change) => void>();
  private readonly channel: BroadcastChannel | null;
  private readonly ended = new AbortController();
  private readonly invalidator: Invalidator;
  private connection: AbortController | null = null;
  private position = "";
  private attempt = 0;
  private lastSign = Date.now(); // of the server
  private lastTick = Date.now();
  private lostAt = 0;
  private isUrgent = false; // the next attempt is at once
  private isRefused = false; // the last one, by a server that is there
  private role = "";
  private isLeader = false;
  private wake: () => void = () => {};

  constructor(
    private readonly client: QueryClient,
    private readonly account: string,
    person: string,
  ) {
    this.invalidator = new Invalidator(client, () => this.show({ name: "live" }));
    const name = `parley-events ${person} ${account}`;
    const canShare = "BroadcastChannel" in globalThis && "locks" in navigator;
    this.channel = canShare ? new BroadcastChannel(name) : null;
    this.channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => this.hear(data));
    this.listen();
    hooks.unreachable = () => this.state.name === "live" && this.tryNow();
    if (!canShare) {
      void this.run();
      return;
    }
    this.tell({ type: "ask" });
    // Whoever has the lock has the stream. When its tab is closed another one gets it, and goes on at the same position.
    navigator.locks.request(name, { signal: this.ended.signal }, () => this.run()).catch(() => {});
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Calls `listener` with what others look at. */
  onPresence(listener: (event: ServerEvent) => void): () => void {
    this.presence.add(listener);
    return () => void this.presence.delete(listener);
  }

  /** Calls `listener` with what changes, once in all tabs together. */
  onChange(listener: (name: string, change: Change) => void): () => void {
    this.changes.add(listener);
    return () => void this.changes.delete(listener);
  }

  /** Calls `listener` with what changes, in every tab. */
  onEach(listener: (name: string, change: Change) => void): () => void {
    this.each.add(listener);
    return () => void this.each.delete(listener);
  }

  close(): void {
    hooks.unreachable = () => {};
    this.ended.abort();
    this.connection?.abort();
    this.invalidator.close();
    this.channel?.close();
    this.wake();
  }

  /** Tries at once, in whichever tab has the stream. */
  tryNow = () => {
    if (!this.isLeader) return this.tell({ type: "now" });
    this.attempt = 0;
    this.isUrgent = this.connection !== null;
    this.connection?.abort();
    this.wake();
  };

  private listen(): void {
    const { signal } = this.ended;
    addEventListener("online", this.tryNow, { signal });
    const look = () => {
      if (document.visibilityState !== "visible") return;
      if (this.isLeader && this.connection === null) this.tryNow();
      else this.check();
    };
    document.addEventListener("visibilitychange", look, { signal });
    const timer = setInterval(() => this.check(), tick);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  // check looks whether the clock has jumped, or the server has been silent for too long.
  private check(): void {
    const now = Date.now();
    const { lastTick, lastSign } = this;
    const isVisible = document.visibilityState === "visible";
    this.lastTick = now;
    if (!this.isLeader) return;
    if (needsNewStream(now, { isVisible, isConnected: this.connection !== null, lastTick, lastSign })) this.tryNow();
  }

  private show(state: LiveState): void {
    if (state.name === this.state.name) return;
    this.state = state;
    for (const listener of this.listeners) listener();
    if (this.isLeader) this.tell({ type: "state", state });
  }

  private tell(message: Message): void {
    if (!this.ended.signal.aborted) this.channel?.postMessage(message);
  }

  // hear is told by another tab.
  private hear(message: Message): void {
    if (message.type === "event") this.take(message.event);
    if (message.type === "state" && !this.isLeader) this.show(message.state);
    if (message.type === "position") this.position = message.position;
    if (message.type === "now" && this.isLeader) this.tryNow();
    if (message.type === "ask" && this.isLeader) {
      this.tell({ type: "state", state: this.state });
      this.tell({ type: "position", position: this.position });
    }
  }

  private take(event: ServerEvent): void {
    if (event.id) this.position = event.id;
    if (event.event === "presence") return this.presence.forEach((listener) => listener(event));
    const change = JSON.parse(event.data) as Change;
    this.each.forEach((listener) => listener(event.event, change));
    this.invalidator.add(event.event, change);
    if (this.isLeader) this.changes.forEach((listener) => listener(event.event, change));
  }

  private async run(): Promise<void> {
    this.isLeader = true;
    while (!this.ended.signal.aborted) {
      const pause = await this.connect();
      if (this.ended.signal.aborted) return; // and the next one has the lock at once
      if (pause === null) return this.show({ name: "none" });
      if (this.isRefused) this.refused();
      else this.lost();
      if (!this.isUrgent) await this.sleep(pause);
      this.isUrgent = false;
    }
  }

  private refused(): void {
    this.connection = null;
    this.lostAt ||= Date.now();
    this.show({ name: "refused", since: this.lostAt });
  }

  private lost(): void {
    this.connection = null;
    this.lostAt ||= Date.now();
    if (this.attempt > 1 || Date.now() - this.lostAt > patience || !navigator.onLine) {
      this.show({ name: "offline", since: this.lostAt });
    } else if (this.state.name !== "offline") this.show({ name: "catchingUp" });
  }

  private sleep(pause: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  // connect reads a stream to its end. It returns how long to wait before the next one, null for never.
  private async connect(): Promise<number | null> {
    const connection = new AbortController();
    this.connection = connection;
    this.isRefused = false;
    this.lastSign = Date.now();
    const stillborn = setTimeout(() => connection.abort(), longestSilence);
    try {
      const reply = await fetch(address, { headers: this.headers(), credentials: "same-origin", signal: connection.signal });
      clearTimeout(stillborn);
      const isStream = reply.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (reply.ok && isStream && reply.body) {
        const noteSign = () => void (this.lastSign = Date.now());
        for await (const events of readEventLists(reply.body, noteSign)) events.forEach((event) => this.receive(event));
        return pauseBefore(0);
      }
      return await this.pauseAfter(reply);
    } catch {
      return pauseBefore(this.attempt++);
    } finally {
      clearTimeout(stillborn);
    }
  }

  private headers(): Record<string, string> {
    return {
      ...pageHeaders(this.account),
      Accept: "text/event-stream",
      ...(this.position && { "Last-Event-ID": this.position }),
    };
  }

  private async pauseAfter(reply: Response): Promise<number | null> {
    const { code, status } = newAPIError(reply.status, await reply.text(), () => null);
    if (status === 401) {
      this.show({ name: "none" }); // until somebody has signed in again
      return (await hooks.signedOut(false)) ? 0 : null;
    }
    if (isOfOthers(code)) hooks.userChanged();
    if (reply.status === 429 || reply.status >= 500) {
      const asked = Number(reply.headers.get("Retry-After")) * 1000 || 0;
      return Math.max(asked, pauseBefore(this.attempt++));
    }
    if (status === 404 && code.endsWith("NOT_FOUND") && code !== "ACCOUNT_NOT_FOUND") return null;
    this.isRefused = true;
    return longPause;
  }

  private receive(event: ServerEvent): void {
    if (!tellsOfSomething(event)) return;
    if (event.event === "hello") {
      const isFirst = !this.position;
      const { role } = JSON.parse(event.data) as { role: string };
      if (this.role && this.role !== role) void this.client.invalidateQueries({ queryKey: ["session"] });
      this.role = role;
      this.attempt = this.lostAt = 0;
      // What was read before the stream began may be old. After a pause the events of it follow, or a reset.
      if (isFirst) event = { ...event, event: "reset" };
      else this.show({ name: "live" });
    }
    this.take(event);
    this.tell({ type: "event", event });
  }
}

let current: Live | null = null;

const none: LiveState = { name: "none" };
const ignore = () => () => {};

/** Keeps what is on the screen as it is in the server, for as long as the component is there. */
export function useLive(client: QueryClient, person: string, account: string | undefined): Live | null {
  useEffect(() => {
    if (!account) return;
    const live = new Live(client, account, person);
    current = live;
    for (const listener of waiting) listener();
    return () => {
      live.close();
      if (current === live) current = null;
    };
  }, [client, person, account]);
  return useCurrentLive();
}

const waiting = new Set<() => void>();
const awaitCurrent = (listener: () => void) => {
  waiting.add(listener);
  return () => void waiting.delete(listener);
};

/** The stream of this tab; null before there is one. */
export const useCurrentLive = () => useSyncExternalStore(awaitCurrent, () => current);

export const useLiveState = (live: Live | null) =>
  useSyncExternalStore(live?.subscribe ?? ignore, () => live?.state ?? none);
