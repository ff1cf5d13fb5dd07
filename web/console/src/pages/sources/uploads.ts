// A queue of files on their way to the server: one after the other, and a wait where the server asks for one.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { APIError } from "../../api/client";
import { useSession, type UploadLimits } from "../../api/session";
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

export function useUploads(agentId: string): Uploads {
  const client = useQueryClient();
  const limits = useSession().data?.uploads;
  const [list, setList] = useState<readonly Upload[]>([]);
  const last = useRef(0);
  const isRunning = useRef(false);
  const change = (id: number, part: Partial<Upload>) =>
    setList((before) => before.map((one) => (one.id === id ? { ...one, ...part } : one)));

  const send = async ({ id, file }: Upload) => {
    change(id, { state: "sending", sent: 0 });
    try {
      await upload(uploadPath(agentId), file, (sent) => change(id, { sent }));
      change(id, { state: "done", sent: 1 });
      void invalidateSources(client, agentId);
    } catch (error) {
      const isLimit = error instanceof APIError && error.status === 429;
      if (!isLimit) return change(id, { state: "failed", error });
      const wait = (error.wait ?? patience) * 1000;
      change(id, { state: "paused", until: Date.now() + wait, sent: 0 });
      await new Promise((done) => setTimeout(done, wait));
      change(id, { state: "waiting" });
    }
  };

  const next = list.find(({ state }) => state === "waiting");
  useEffect(() => {
    if (!next || !agentId || isRunning.current) return;
    isRunning.current = true;
    void send(next).finally(() => {
      isRunning.current = false;
      setList((before) => [...before]); // looks for the next one
    });
  });
  useEffect(() => {
    if (!list.some(({ state }) => state === "waiting" || state === "sending" || state === "paused")) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [list]);

  return {
    list,
    add: (files) =>
      setList((before) => [
        ...before,
        ...files.map((file): Upload => {
          const error = checkSize(file, limits);
          return { id: (last.current += 1), file, state: error ? "failed" : "waiting", sent: 0, until: 0, error };
        }),
      ]),
    retry: (id) => change(id, { state: "waiting", error: null }),
    remove: (id) => setList((before) => before.filter((one) => one.id !== id)),
  };
}
