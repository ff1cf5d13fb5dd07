// Files on their way to the server, a queue for each agent: one after the other, and a wait where the server asks for
// one. They go on while other screens are looked at.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { APIError } from "../../api/client";
import { forgetOnLeave, useSession, type UploadLimits } from "../../api/session";
import { invalidateSources, uploadPath } from "../../api/sources";
import { upload } from "../../api/upload";

export interface Upload {
  id: number;
  file: File;
  state: "waiting" | "sending" | "paused" | "done" | "failed";
  /** The share that is sent, 0 to 1. */
  sent: number;
  /** When it is tried again, while it is paused. */
  until: number;
  error: unknown;
}

export interface Uploads {
  list: readonly Upload[];
  add: (files: readonly File[]) => void;
  retry: (id: number) => void;
  remove: (id: number) => void;
}

const patience = 10; // seconds to wait where the server names none

const megabyte = 1 << 20;

// checkSize returns the refusal that the server would answer with, in its own words: nothing of the file is sent then.
function checkSize({ size }: File, limits: UploadLimits | undefined): APIError | null {
  let said = "";
  if (size === 0) said = "is refused: the file is empty";
  else if (limits && size < limits.minBytes) said = `must have at least ${limits.minBytes} bytes`;
  else if (limits && size > limits.maxBytes) said = `must have at most ${Math.floor(limits.maxBytes / megabyte)} MB`;
  return said ? new APIError(400, "VALIDATION_INVALID_BODY", "", null, { file: said }) : null;
}

/** Reports whether the same file may arrive at another try: not where the server has refused what is in it. */
export const isWorthRetrying = (error: unknown) =>
  !(error instanceof APIError) || error.status === 0 || error.status >= 500;

let lastID = 0;

function newUpload(file: File, limits: UploadLimits | undefined): Upload {
  const error = checkSize(file, limits);
  return { id: (lastID += 1), file, state: error ? "failed" : "waiting", sent: 0, until: 0, error };
}

const hasEnded = ({ state }: Upload) => state === "done" || state === "failed";

class UploadQueue {
  private list: readonly Upload[] = [];
  private readonly listeners = new Set<() => void>();
  private isRunning = false;

  constructor(
    private readonly agentId: string,
    private readonly client: QueryClient,
  ) {}

  readonly getList = () => this.list;
  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Sends files. What was sent before is not counted any more where nothing of it is shown. */
  add(files: readonly File[], limits: UploadLimits | undefined): void {
    const before = this.list.every(({ state }) => state === "done") ? [] : this.list;
    this.set([...before, ...files.map((file) => newUpload(file, limits))]);
  }

  readonly retry = (id: number) => this.change(id, { state: "waiting", error: null });
  readonly remove = (id: number) => this.set(this.list.filter((one) => one.id !== id));

  /** Sends nothing more. */
  readonly close = () => this.set([]);

  private change(id: number, part: Partial<Upload>): void {
    this.set(this.list.map((one) => (one.id === id ? { ...one, ...part } : one)));
  }

  private set(list: readonly Upload[]): void {
    this.list = list;
    if (list.every(hasEnded)) removeEventListener("beforeunload", this.ask);
    else addEventListener("beforeunload", this.ask);
    for (const listener of this.listeners) listener();
    if (!this.isRunning) void this.run();
  }

  private readonly ask = (event: BeforeUnloadEvent) => event.preventDefault();

  private async run(): Promise<void> {
    this.isRunning = true;
    let next: Upload | undefined;
    while ((next = this.list.find(({ state }) => state === "waiting"))) await this.send(next);
    this.isRunning = false;
  }

  private async send({ id, file }: Upload): Promise<void> {
    this.change(id, { state: "sending", sent: 0 });
    try {
      await upload(uploadPath(this.agentId), file, (sent) => this.change(id, { sent }));
      this.change(id, { state: "done", sent: 1 });
      void invalidateSources(this.client, this.agentId);
    } catch (error) {
      const isLimit = error instanceof APIError && error.status === 429;
      if (!isLimit) return this.change(id, { state: "failed", error });
      const wait = (error.wait ?? patience) * 1000;
      this.change(id, { state: "paused", until: Date.now() + wait, sent: 0 });
      await new Promise((done) => setTimeout(done, wait));
      this.change(id, { state: "waiting" });
    }
  }
}

const queues = new Map<string, UploadQueue>(); // by agent
forgetOnLeave(() => {
  queues.forEach((queue) => queue.close());
  queues.clear();
});

function queueOf(agentId: string, client: QueryClient): UploadQueue {
  const queue = queues.get(agentId) ?? new UploadQueue(agentId, client);
  queues.set(agentId, queue);
  return queue;
}

/** Returns what sends files to an agent. */
export function useSending(): (agentId: string, files: readonly File[]) => void {
  const client = useQueryClient();
  const limits = useSession().data?.uploads;
  return (agentId, files) => queueOf(agentId, client).add(files, limits);
}

/** The files on their way to an agent. */
export function useUploads(agentId: string): Uploads {
  const queue = queueOf(agentId, useQueryClient());
  const send = useSending();
  const list = useSyncExternalStore(queue.subscribe, queue.getList);
  return { list, add: (files) => send(agentId, files), retry: queue.retry, remove: queue.remove };
}
