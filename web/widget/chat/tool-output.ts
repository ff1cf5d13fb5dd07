// What a tool of the page returns, in the form that the server takes.
import type { ToolOutput } from "./tools";

export const maxOutputBytes = 20_000;

export const failed = (error: string): ToolOutput => ({ status: "error", error });

/** Brings what a page's function has returned into the form that the server takes, within its limit. */
export function limitOutput(result: unknown): ToolOutput {
  const output = readOutput(result);
  let text: string | undefined;
  try {
    text = JSON.stringify(output);
  } catch {
    return failed("the result of the tool is not JSON");
  }
  if (new TextEncoder().encode(text).length > maxOutputBytes)
    return failed(`the result of the tool is larger than ${maxOutputBytes / 1_000} kB`);
  return JSON.parse(text) as ToolOutput;
}

// readOutput takes {status, data}, {status, error}, {status, message} of older pages, and anything else as the data.
function readOutput(result: unknown): ToolOutput {
  const { status, data, error, message } = (typeof result === "object" && result !== null ? result : {}) as Record<string, unknown>;
  if (status === "error") return failed(errorText(error ?? message ?? "the tool has failed"));
  if (status === "success") return data === undefined ? { status } : { status, data };
  return { status: "success", ...(result !== undefined && { data: result }) };
}

export function errorText(error: unknown): string {
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { message?: unknown };
  const text = typeof error === "string" ? error : typeof message === "string" ? message : JSON.stringify(error);
  return (text ?? "the tool has failed").slice(0, 1_000);
}
