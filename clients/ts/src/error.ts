/** A failure that the server reported. Programs look at `code`. */
export class ParleyError extends Error {
  override readonly name = "ParleyError";
  /** Machine-readable name, such as AGENT_NOT_FOUND; HTTP_<status> when the reply was not Parley's. */
  readonly code: string;
  /** HTTP status; 0 when an answer failed in the middle of its stream. */
  readonly status: number;
  /** What is wrong, by field. Of an answer that failed: its `conversationId`, and its `userMessageId`, which `retry` takes. */
  readonly details: Readonly<Record<string, string>>;
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | undefined;

  constructor(failure: {
    code: string;
    message: string;
    status: number;
    details?: Record<string, string> | undefined;
    requestId?: string | undefined;
    retryAfter?: number | undefined;
  }) {
    super(failure.message);
    this.code = failure.code;
    this.status = failure.status;
    this.details = failure.details ?? {};
    this.requestId = failure.requestId;
    this.retryAfter = failure.retryAfter;
  }
}

/** Reads the failure that a response holds. */
export async function failureOf(response: Response): Promise<ParleyError> {
  const text = await response.text().catch(() => "");
  const told = envelope(text);
  return new ParleyError({
    code: told?.code ?? `HTTP_${response.status}`,
    message: told?.message ?? `The server answered ${response.status} ${response.statusText}`.trim(),
    details: told?.details,
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    retryAfter: secondsOf(response.headers.get("retry-after")),
  });
}

function envelope(text: string): { code: string; message: string; details?: Record<string, string> } | undefined {
  try {
    const { error } = JSON.parse(text);
    return typeof error?.code === "string" && typeof error.message === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a Retry-After header: seconds, or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
