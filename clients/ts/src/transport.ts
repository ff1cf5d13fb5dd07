import { failureOf, ParleyError } from "./error.js";
import { routes } from "./operations.js";
import type { Call, CallOptions, OperationId, ReplyOf } from "./types.js";

export interface ParleyOptions {
  /** Where the server is, such as http://127.0.0.1:8080; with or without the path /api/v2. */
  baseURL: string;
  /** Sent as `Authorization: Bearer …`. Keep it on your server: it opens the account. */
  apiKey: string;
  /** In place of the global fetch. */
  fetch?: typeof fetch | undefined;
  /** How often a call is tried again after 429, 503, or while its idempotency key is in use: 2 when left out, 0 for never. */
  maxRetries?: number | undefined;
  /** Longest wait for another try, in seconds: 60 when left out. A server that asks for more is not tried again. */
  maxRetryWait?: number | undefined;
}

/** Sends requests and reads replies. */
export class Transport {
  readonly base: string;
  readonly #key: string;
  readonly #fetch: typeof fetch;
  readonly #retries: number;
  readonly #longest: number;

  constructor(options: ParleyOptions) {
    this.base = options.baseURL.replace(/\/+$/, "").replace(/\/api\/v2$/, "") + "/api/v2";
    this.#key = options.apiKey;
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
    this.#retries = options.maxRetries ?? 2;
    this.#longest = options.maxRetryWait ?? 60;
  }

  /** Calls an operation and returns its JSON reply. Fails with a ParleyError, or with the error of fetch. */
  async call<Id extends OperationId>(id: Id, call: Call<Id>): Promise<ReplyOf<Id>> {
    const response = await this.send(id, call);
    return (await response.json()) as ReplyOf<Id>;
  }

  /** Calls an operation and returns its successful response, unread. */
  async send<Id extends OperationId>(id: Id, call: Call<Id>): Promise<Response> {
    const { method, path } = routes[id];
    const url = this.base + fill(path, call.path as Record<string, string | number> | undefined) + search(call.query);
    return this.#insist(url, this.#init(method, call, this.#tries(call)), call);
  }

  #tries(options: CallOptions): number {
    return 1 + (options.maxRetries ?? this.#retries);
  }

  /** A POST that may be sent again carries an idempotency key: what a server has done before it stopped is not done twice. */
  #init(method: string, call: CallOptions & { body?: unknown }, tries: number): RequestInit {
    const headers: Record<string, string> = { accept: "application/json, text/event-stream", ...call.headers, authorization: `Bearer ${this.#key}` };
    const given = Object.keys(headers).some((name) => name.toLowerCase() === "idempotency-key");
    if (call.idempotencyKey !== undefined) headers["idempotency-key"] = call.idempotencyKey;
    else if (method === "POST" && tries > 1 && !given) headers["idempotency-key"] = crypto.randomUUID();
    if (call.body === undefined) return { method, headers, signal: call.signal ?? null };
    return { method, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(call.body), signal: call.signal ?? null };
  }

  async #insist(url: string, init: RequestInit, options: CallOptions): Promise<Response> {
    for (let left = this.#tries(options); ; ) {
      const response = await this.#fetch(url, init);
      if (response.ok) return response;
      const failure = await failureOf(response);
      if (--left <= 0 || !this.#passing(failure)) throw failure;
      await pause(failure.retryAfter ?? 1, options.signal);
    }
  }

  #passing(failure: ParleyError): boolean {
    const passing = failure.status === 429 || failure.status === 503 || failure.code === "IDEMPOTENCY_KEY_IN_USE";
    return passing && (failure.retryAfter ?? 1) <= this.#longest;
  }
}

function fill(path: string, values: Record<string, string | number> | undefined): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values?.[name];
    if (value === undefined || value === "") throw new TypeError(`${name} is missing`);
    return encodeURIComponent(value);
  });
}

function search(query: object | undefined): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) params.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const text = params.toString();
  return text && `?${text}`;
}

/** Waits for so many seconds, or until the signal ends the wait. */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", end, { once: true });
  });
}
