// Files on their way to the server, before the message that they go with is sent.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Upload } from "../form/form";
import type { UploadedFile } from "../state";

export const maxFiles = 5;
export const maxFileBytes = 10 * 1024 * 1024;

/** Why a file was not taken. */
export type Refusal = "file.tooMany" | "file.tooLarge" | "file.empty";

export interface Attachment {
  key: number;
  name: string;
  size: number;
  state: "sending" | "done" | "failed";
  /** The share that is on its way, from 0 to 1. */
  progress: number;
  file: UploadedFile | null;
}

interface Work {
  source: File;
  controller: AbortController;
}

/** The files of the message that is being written. */
export class Uploads {
  private readonly list = signal<readonly Attachment[]>([]);
  private readonly work = new Map<number, Work>();
  private count = 0;
  readonly attachments: ReadonlySignal<readonly Attachment[]> = this.list;
  /** The message cannot be sent yet. */
  readonly isBusy = computed(() => this.list.value.some((a) => a.state === "sending"));

  constructor(private readonly upload: Upload) {}

  /** Sends files, as many as there is room for, and returns why others were not taken. */
  add(files: readonly File[]): { name: string; reason: Refusal }[] {
    const refused: { name: string; reason: Refusal }[] = [];
    for (const source of files) {
      const reason = this.refuse(source);
      if (reason) refused.push({ name: source.name, reason });
      else this.begin(source);
    }
    return refused;
  }

  private refuse(source: File): Refusal | "" {
    if (this.list.value.length >= maxFiles) return "file.tooMany";
    if (source.size > maxFileBytes) return "file.tooLarge";
    return source.size === 0 ? "file.empty" : "";
  }

  private begin(source: File): void {
    const key = ++this.count;
    this.list.value = [
      ...this.list.value,
      { key, name: source.name, size: source.size, state: "sending", progress: 0, file: null },
    ];
    void this.send(key, source);
  }

  private async send(key: number, source: File): Promise<void> {
    const controller = new AbortController();
    this.work.set(key, { source, controller });
    const onProgress = (progress: number) => this.change(key, { progress });
    try {
      const file = await this.upload(source, onProgress, controller.signal);
      this.change(key, { state: "done", progress: 1, file });
    } catch {
      this.change(key, { state: "failed" });
    }
  }

  /** Sends a file again that did not arrive. */
  retry(key: number): void {
    const failed = this.list.value.find((a) => a.key === key && a.state === "failed");
    const source = this.work.get(key)?.source;
    if (!failed || !source) return;
    this.change(key, { state: "sending", progress: 0 });
    void this.send(key, source);
  }

  /** Takes a file back; one that is on its way is stopped. */
  remove(key: number): void {
    this.work.get(key)?.controller.abort();
    this.work.delete(key);
    this.list.value = this.list.value.filter((a) => a.key !== key);
  }

  /** Hands out what has arrived, for a message that is sent now. What has not stays. */
  take(): UploadedFile[] {
    const done = this.list.value.flatMap((a) => (a.file ? [a.file] : []));
    const left = this.list.value.filter((a) => !a.file);
    for (const { key, file } of this.list.value) if (file) this.work.delete(key);
    this.list.value = left;
    return done;
  }

  private change(key: number, change: Partial<Attachment>): void {
    this.list.value = this.list.value.map((a) => (a.key === key ? { ...a, ...change } : a));
  }
}
