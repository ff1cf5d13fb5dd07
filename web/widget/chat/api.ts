// Calls the public chat API as the visitor, who is made at the first call that needs one.

const headerOfToken = "Parley-Visitor";
const silenceLimit = 40_000; // milliseconds; the server sends something every 15 s
const replyLimit = 30_000;

/** A reply that refuses a request. `code` is empty where the reply says none. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds after which the request may be repeated; 0 where that is not known. */
    readonly retryAfter: number,
    /** What is wrong, by field; of a message that is kept although it could not be answered, its ids. */
    readonly details: Partial<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Where the visitor's token is kept. Other tabs of the same visitor may have put one there. */
export interface TokenKeeper {
  token(): string;
  keepToken(token: string): void;
  /** Reads again what is kept. */
  reload(): Promise<void>;
}

export interface Visit {
  page: string;
  locale: string;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The Idempotency-Key: a request that is repeated with it has its effect once. */
  key?: string | undefined;
  /** The last event that has come, to go on behind it. */
  lastEventId?: string | undefined;
}

interface VisitorReply {
  token: string | null;
  userId: string | null;
}

export class Api {
  private beginning: Promise<void> | null = null;
  /** Called when the server does not know the visitor any more, whose conversations are out of reach. */
  onVisitorLost: () => void = () => {};

  constructor(
    readonly agentId: string,
    private readonly keeper: TokenKeeper,
    private readonly visit: () => Visit,
  ) {}

  /** The address of a path of the agent's. */
  address(path: string): string {
    return `/api/chat/${encodeURIComponent(this.agentId)}${path}`;
  }

  /** Sends a request and returns the data of its reply. */
  async request<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
    const timer = new AbortController();
    const end = setTimeout(() => timer.abort(), replyLimit);
    const signal = options.signal ? AbortSignal.any([options.signal, timer.signal]) : timer.signal;
    try {
      const reply = await this.call(method, path, body, { ...options, signal });
      const text = await reply.text();
      return (text ? (JSON.parse(text) as { data: T }).data : undefined) as T;
    } finally {
      clearTimeout(end);
    }
  }

  /** Sends a request and returns its reply as it comes. One that is silent for too long fails. */
  async stream(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const reply = await this.call(method, path, body, options);
    if (!reply.body) throw new TypeError("no body");
    return limitSilence(reply.body);
  }

  /** The visitor's token, as requests show it. */
  get authorization(): string {
    return `Visitor ${this.keeper.token()}`;
  }

  private call(method: string, path: string, body: unknown, options: CallOptions): Promise<Response> {
    return this.asVisitor(async () => {
      const reply = await this.fetch(method, path, body, options);
      if (reply.ok) return reply;
      throw readError(reply.status, await reply.text(), reply.headers.get("Retry-After"));
    });
  }

  /** Sends something as the visitor, and once more as another where the server does not know this one. */
  async asVisitor<T>(send: () => Promise<T>): Promise<T> {
    await this.beginVisitor();
    const sent = this.keeper.token();
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    }
    await this.replaceVisitor(sent);
    return send();
  }

  private async fetch(method: string, path: string, body: unknown, { signal, key, lastEventId }: CallOptions) {
    const headers: Record<string, string> = {};
    const token = this.keeper.token();
    if (token) headers.Authorization = `Visitor ${token}`;
    if (key) headers["Idempotency-Key"] = key;
    if (lastEventId) headers["Last-Event-ID"] = lastEventId;
    const isRaw = body instanceof Blob;
    if (body !== undefined) headers["Content-Type"] = isRaw ? body.type : "application/json";
    const content = body === undefined ? null : isRaw ? body : JSON.stringify(body);
    const init = { method, headers, body: content, credentials: "omit", cache: "no-store", signal: signal ?? null } as const;
    const reply = await fetch(this.address(path), init);
    const renewed = reply.headers.get(headerOfToken);
    if (renewed) this.keeper.keepToken(renewed);
    return reply;
  }

  /** Gets a token if there is none yet. Several calls at a time get one visitor. */
  beginVisitor(): Promise<void> {
    if (this.keeper.token()) return Promise.resolve();
    this.beginning ??= this.begin().finally(() => (this.beginning = null));
    return this.beginning;
  }

  private async begin() {
    await this.keeper.reload();
    if (this.keeper.token()) return;
    const { page, locale } = this.visit();
    const reply = await this.fetch("POST", "/visitor", { page: page || null, locale: locale || null }, {});
    const text = await reply.text();
    if (!reply.ok) throw readError(reply.status, text, reply.headers.get("Retry-After"));
    this.takeToken((JSON.parse(text) as { data: VisitorReply }).data);
  }

  /** Gets another visitor in place of one whom the server does not know, unless that has been done. */
  private async replaceVisitor(refused: string) {
    if (this.keeper.token() === refused) {
      this.keeper.keepToken("");
      this.onVisitorLost();
    }
    await this.beginVisitor();
  }

  /** Shows who the visitor is, and returns the user's id. */
  async identify(proof: Record<string, unknown>): Promise<string | null> {
    const reply = await this.request<VisitorReply>("POST", "/identify", proof);
    this.takeToken(reply);
    return reply.userId;
  }

  private takeToken({ token }: VisitorReply) {
    if (token) this.keeper.keepToken(token);
  }
}

/** Reads a refusal. What is no error of the server's, such as a page of a proxy, has no code. */
export function readError(status: number, text: string, retryAfter: string | null): ApiError {
  let error: { code?: string; message?: string; details?: Record<string, string> } | undefined;
  try {
    error = JSON.parse(text).error;
  } catch {
    // the status says enough
  }
  return new ApiError(status, error?.code ?? "", error?.message ?? "", Number(retryAfter) || 0, error?.details ?? {});
}

function limitSilence(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      let timer = 0;
      const silence = new Promise<never>((_, reject) => {
        timer = window.setTimeout(() => reject(new TypeError("silence")), silenceLimit);
      });
      try {
        const { done, value } = await Promise.race([reader.read(), silence]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        void reader.cancel().catch(() => {});
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
