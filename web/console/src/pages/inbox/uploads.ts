// Files on their way to the server, before the reply or the note that they go with is sent.
import { request } from "../../api/client";
import type { components } from "../../api/operator";
import { forgetOnLeave } from "../../api/session";
import { upload } from "../../api/upload";

export const mostFiles = 5;
export const mostBytes = 10 * 1024 * 1024;

/** Why a file is not taken. */
export type Refusal = "saved.tooMany" | "saved.tooLarge" | "saved.empty";

export interface ReplyFile {
  key: number;
  name: string;
  size: number;
  state: "sending" | "done" | "failed";
  /** The share that is on its way, from 0 to 1. */
  share: number;
  fileId: string;
  error: unknown;
}

interface Work {
  source: File;
  controller: AbortController;
}

/** The files of what is being written in one place. They stay while the person looks at other screens. */
export class Uploads {
  files: readonly ReplyFile[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly work = new Map<number, Work>();
  private count = 0;

  constructor(private readonly agentId: string) {}

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Sends files, as many as there is room for, and returns why others were not taken. */
  add(sources: readonly File[]): { name: string; reason: Refusal }[] {
    return sources.flatMap((source) => {
      const reason = this.refuse(source);
      if (reason) return [{ name: source.name, reason }];
      this.begin(source);
      return [];
    });
  }

  private refuse(source: File): Refusal | "" {
    if (this.files.length >= mostFiles) return "saved.tooMany";
    if (source.size > mostBytes) return "saved.tooLarge";
    return source.size === 0 ? "saved.empty" : "";
  }

  private begin(source: File): void {
    const key = ++this.count;
    const file: ReplyFile = { key, name: source.name, size: source.size, state: "sending", share: 0, fileId: "", error: null };
    this.show([...this.files, file]);
    void this.send(key, source);
  }

  private get path(): string {
    return `/v1/agents/${encodeURIComponent(this.agentId)}/files`;
  }

  private async send(key: number, source: File): Promise<void> {
    const controller = new AbortController();
    this.work.set(key, { source, controller });
    try {
      const onProgress = (share: number) => this.change(key, { share });
      const { fileId } = await upload<components["schemas"]["MemberFile"]>(this.path, source, onProgress, controller.signal);
      if (this.files.some((file) => file.key === key)) this.change(key, { state: "done", share: 1, fileId });
      else this.drop(fileId); // it was taken back meanwhile
    } catch (error) {
      this.change(key, { state: "failed", error });
    }
  }

  /** Sends a file again that did not arrive. */
  retry(key: number): void {
    const source = this.work.get(key)?.source;
    if (!source || this.files.find((file) => file.key === key)?.state !== "failed") return;
    this.change(key, { state: "sending", share: 0, error: null });
    void this.send(key, source);
  }

  /** Takes a file back; one that is on its way is stopped. */
  remove(key: number): void {
    const fileId = this.files.find((file) => file.key === key)?.fileId;
    this.work.get(key)?.controller.abort();
    this.work.delete(key);
    this.show(this.files.filter((file) => file.key !== key));
    if (fileId) this.drop(fileId);
  }

  /** Forgets files that were sent with a message. */
  forget(fileIds: readonly string[]): void {
    this.show(this.files.filter(({ fileId }) => !fileIds.includes(fileId)));
  }

  // drop has the server forget a file, which it does itself within a day.
  private drop(fileId: string): void {
    request("DELETE", `${this.path}/${encodeURIComponent(fileId)}`).catch(() => {});
  }

  private change(key: number, change: Partial<ReplyFile>): void {
    this.show(this.files.map((file) => (file.key === key ? { ...file, ...change } : file)));
  }

  private show(files: readonly ReplyFile[]): void {
    this.files = files;
    for (const listener of this.listeners) listener();
  }
}

const places = new Map<string, Uploads>();
forgetOnLeave(() => places.clear());

/** The files of a place: those of a note are no others' than the note's. */
export function uploadsOf(agentId: string, place: string): Uploads {
  const found = places.get(place) ?? new Uploads(agentId);
  places.set(place, found);
  return found;
}
