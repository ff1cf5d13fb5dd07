// Making a company of an archive. The file goes up and events come back in one request; fetch does not tell how much of a
// file is sent, so this is XMLHttpRequest.
import { APIError, base, hooks, newAPIError, pageHeaders, sendAsPerson } from "./client";
import { isSteppedUp } from "./session";

/** How far an import is. */
export interface ImportProgress {
  step: "send" | "check" | "check files" | "files" | "import";
  /** From 0 to 1; null where nobody knows. */
  share: number | null;
}

/** What an import has brought. */
export interface Imported {
  accountId: string;
  name: string;
  agents: number;
  messages: number;
  files: number;
  /** Files that were gone when the archive was made. */
  missing: readonly string[];
  /** The company's plan, where the server does not have it. */
  unknownPlan?: string;
}

interface Events {
  progress?: { step: ImportProgress["step"]; done: number; all: number };
  done?: Imported;
  error?: { code: string; message: string };
}

/**
 * Imports an archive as a company. With `newIDs` everything in it gets another id. The person is asked who they are before
 * the file is sent: a server that refuses it hangs up in the middle of it.
 */
export async function importAccount(file: File, newIDs: boolean, tell: (progress: ImportProgress) => void): Promise<Imported> {
  const path = `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/archive?newIds=${newIDs}`;
  if (!(await isSteppedUp()) && !(await hooks.stepUp())) throw new APIError(403, "AUTH_STEP_UP_REQUIRED", "", null);
  return sendAsPerson(path, () => send(path, file, tell));
}

function send(path: string, file: File, tell: (progress: ImportProgress) => void): Promise<Imported> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    const failed = () => reject(new APIError(0, "NO_ANSWER", "", null));
    call.open("POST", base + path);
    const headers = { ...pageHeaders(), Accept: "text/event-stream", "Content-Type": "application/zip" };
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
    call.upload.onprogress = ({ loaded, total }) => tell({ step: "send", share: total > 0 ? loaded / total : null });
    call.onprogress = () => {
      const { progress } = call.status === 200 ? lastEvents(call.responseText) : {};
      if (progress) tell({ step: progress.step, share: progress.all > 0 ? progress.done / progress.all : null });
    };
    call.onerror = call.onabort = failed;
    call.onload = () => {
      const header = (name: string) => call.getResponseHeader(name);
      if (call.status !== 200) return reject(newAPIError(call.status, call.responseText, header));
      const { done, error } = lastEvents(call.responseText);
      if (done) return resolve(done);
      if (error) return reject(new APIError(400, error.code, error.message, header("X-Request-Id")));
      failed(); // the server has cut it
    };
    call.send(file);
  });
}

/** The last event of each name that is whole. */
function lastEvents(text: string): Events {
  const events: Record<string, unknown> = {};
  for (const event of text.slice(0, text.lastIndexOf("\n\n")).split("\n\n")) {
    const [, name = "", data = ""] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
    if (name) events[name] = JSON.parse(data);
  }
  return events as Events;
}
