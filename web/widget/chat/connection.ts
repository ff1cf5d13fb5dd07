// Whether the server can be reached, and when it is tried again.
import { signal } from "@preact/signals";
import type { ConnectionState } from "./state";

const firstPause = 500; // milliseconds
const longestPause = 8_000;
const lostAfter = 2_000;
const stuckAfter = 30_000;

/** The pause before an attempt, of which the first is number 0. */
export const pauseBefore = (attempt: number, random = Math.random()) =>
  Math.min(longestPause, firstPause * 2 ** attempt) * (0.5 + random / 2);

export class Connection {
  readonly state = signal<ConnectionState>("ok");
  readonly isOnline = signal(navigator.onLine);
  private timers: number[] = [];
  private wakes = new Set<() => void>();

  constructor() {
    addEventListener("online", () => ((this.isOnline.value = true), this.wake()));
    addEventListener("offline", () => void (this.isOnline.value = false));
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.wake());
  }

  /** Says that a request has been answered. */
  ok() {
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
    this.state.value = "ok";
    this.isOnline.value = navigator.onLine;
  }

  /** Says that a request was not answered. People are told of it only when it lasts. */
  lost() {
    if (this.timers.length > 0) return;
    this.timers.push(
      window.setTimeout(() => void (this.state.value = "lost"), lostAfter),
      window.setTimeout(() => void (this.state.value = "stuck"), stuckAfter),
    );
  }

  /** Ends all pauses: the network is there again, or somebody wants to try. */
  wake() {
    for (const wake of [...this.wakes]) wake();
  }

  /** Waits before an attempt. */
  async pause(attempt: number, signal: AbortSignal): Promise<void> {
    this.lost();
    await this.wait(pauseBefore(attempt), signal);
  }

  /** Waits until the time is over, or until it is worth to try at once. */
  wait(duration: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.wakes.delete(end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, duration);
      this.wakes.add(end);
      signal.addEventListener("abort", end);
    });
  }
}

/** Whether a failure is that of the network, or of a server that is on its way up or down. */
export function isUnreachable(error: unknown): boolean {
  const status = (error as { status?: unknown } | null)?.status;
  if (typeof status === "number") return status === 502 || status === 503 || status === 504;
  return error instanceof TypeError || (error instanceof DOMException && error.name !== "SyntaxError");
}
