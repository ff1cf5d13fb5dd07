// Calls of the console's own server.

/** A refusal of the server, or no answer at all (status 0). */
export class APIError extends Error {
  override name = "APIError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** Seconds to wait, from Retry-After. */
    readonly wait: number | null = null,
  ) {
    super(message);
  }
}

/** Reports whether a request was about something that is not there. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof APIError && error.status === 404 && error.code !== accountCode;

/** What the program does about refusals that end no request: it asks for the password, or to sign in again. */
export interface Hooks {
  account: string | null;
  /** For whom the page was drawn. */
  person: { id: string; email: string } | null;
  /** Resolves to true when the person has confirmed who they are. */
  stepUp: () => Promise<boolean>;
  /**
   * Resolves to true when the same person has signed in again. `isOwn` is of a request that the person has made, and not
   * of one that the page sends by itself.
   */
  signedOut: (isOwn: boolean) => Promise<boolean>;
  /** Is told that another person has signed in, in another tab, or that the person does not belong to the account. */
  userChanged: () => void;
  /** Is called when the server did not answer a request: the stream of events may be dead as well. */
  unreachable: () => void;
}

export const hooks: Hooks = {
  account: null,
  person: null,
  stepUp: async () => false,
  signedOut: async () => false,
  userChanged: () => {},
  unreachable: () => {},
};

export const base = "/console/api";
const stepUpCode = "AUTH_STEP_UP_REQUIRED";
const signInCode = "AUTH_SIGN_IN_REQUIRED";
const userCode = "AUTH_USER_CHANGED";
const ssoCode = "AUTH_SINGLE_SIGN_ON_REQUIRED"; // to enter the account
const otherCode = "AUTH_OTHER_SIGN_IN_REQUIRED"; // likewise, or to change how the person signs in
const passkeyCode = "AUTH_PASSKEY_REQUIRED"; // likewise
const unknownCode = "UNKNOWN"; // the answer is not the server's
const ofProxies = [502, 503, 504]; // what a proxy answers in place of a server that is gone
const accountCode = "ACCOUNT_NOT_FOUND"; // the person is no member of it, or not any more
const ofAccounts = [ssoCode, otherCode, passkeyCode];

// What the page sends by itself.
const isOfPage = (method: string, path: string) => method === "GET" || path === "/v1/presence" || path.endsWith("/read-mark");

/** Sends a request below /console/api and returns what was answered. */
export const request = <T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  account?: string,
): Promise<T> =>
  sendAsPerson(path, () => send<T>(method, path, body, signal, account), signal, !isOfPage(method, path));

/**
 * Sends a request that must not have its effect twice. Sent again with the same key, after an answer that was lost, it is
 * answered as it was the first time.
 */
export const requestOnce = <T>(method: string, path: string, body: unknown, key: string): Promise<T> =>
  sendAsPerson(path, () => send<T>(method, path, body, undefined, undefined, { "Idempotency-Key": key }));

/** Sends a request whose answer is a stream, and returns its bytes. */
export const openStream = (path: string, body: unknown, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> =>
  sendAsPerson(path, () => sendForStream(path, body, signal), signal);

/** Asks for a file. `tell` is told how many bytes of it have come. */
export const requestFile = (path: string, tell?: (bytes: number) => void): Promise<Blob> =>
  sendAsPerson(path, () => sendForFile(path, tell));

/**
 * Sends a request, and once more when the person has signed in again or confirmed who they are, where the server wants
 * that. Somebody else who signs in sends nothing of it.
 */
export async function sendAsPerson<T>(
  path: string,
  send: () => Promise<T>,
  signal?: AbortSignal,
  isOwn = true,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    const isOfPerson = /^\/v1\/(session|me)\b/.test(path); // and of no account
    if (isOfOthers(error.code) && !(isOfPerson && ofAccounts.includes(error.code))) hooks.userChanged();
    if (error.code === stepUpCode && (await hooks.stepUp())) return send();
    const isExpired = error.code === signInCode && !path.startsWith("/v1/session");
    if (isExpired && (await hooks.signedOut(isOwn)) && !signal?.aborted) return send();
    throw error;
  }
}

/** Reports whether a refusal says that the page is not this person’s, or of an account that is not theirs or shut to them. */
export const isOfOthers = (code: string) => [userCode, accountCode, ...ofAccounts].includes(code);

/** Headers of every request: the server takes none without the first from a browser. The others say for whom the page is. */
export function pageHeaders(account = hooks.account): Record<string, string> {
  const { person } = hooks;
  return { "Parley-Console": "1", ...(account && { "Parley-Account": account }), ...(person && { "Parley-User": person.id }) };
}

async function sendForStream(path: string, body: unknown, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const headers = { ...pageHeaders(), Accept: "text/event-stream", "Content-Type": "application/json" };
  const reply = await fetchReply(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (reply.ok && reply.body) return reply.body;
  throw await readError(reply);
}

async function sendForFile(path: string, tell: (bytes: number) => void = () => {}): Promise<Blob> {
  const reply = await fetchReply(path, { method: "GET", headers: pageHeaders(), signal: undefined });
  if (!reply.ok) throw await readError(reply);
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, to) {
      tell((bytes += chunk.byteLength));
      to.enqueue(chunk);
    },
  });
  try {
    return await new Response(reply.body?.pipeThrough(count), { headers: { "Content-Type": reply.headers.get("Content-Type") ?? "" } }).blob();
  } catch {
    throw new APIError(0, "NO_ANSWER", "", null); // the server has cut it
  }
}

async function send<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  account?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  const headers: Record<string, string> = { ...pageHeaders(account), Accept: "application/json", ...more };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const reply = await fetchReply(path, { method, headers, body: body === undefined ? null : JSON.stringify(body), signal });
  if (reply.ok) return (reply.status === 204 ? undefined : await reply.json()) as T;
  throw await readError(reply);
}

async function fetchReply(path: string, init: Omit<RequestInit, "signal"> & { signal: AbortSignal | undefined }) {
  try {
    return await fetch(base + path, { ...init, signal: init.signal ?? null, credentials: "same-origin" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    hooks.unreachable();
    throw new APIError(0, "NO_ANSWER", "", null);
  }
}

interface Envelope {
  error?: { code?: string; message?: string; details?: Record<string, unknown> };
}

async function readError(reply: Response): Promise<APIError> {
  const text = await reply.text().catch(() => "");
  const error = newAPIError(reply.status, text, (name) => reply.headers.get(name));
  if (error.code === unknownCode && ofProxies.includes(error.status)) hooks.unreachable();
  return error;
}

/** A refusal, out of its text and headers. A proxy may answer with a page in place of an envelope. */
export function newAPIError(status: number, text: string, header: (name: string) => string | null): APIError {
  const { error = {} } = parseEnvelope(text);
  const wait = Number(header("Retry-After")) || null;
  return new APIError(status, error.code ?? unknownCode, error.message ?? "", header("X-Request-Id"), error.details, wait);
}

function parseEnvelope(text: string): Envelope {
  try {
    return (JSON.parse(text) as Envelope | null) ?? {};
  } catch {
    return {};
  }
}
