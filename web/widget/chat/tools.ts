// What the page can do for the chat: tools that run in it, and forms that it describes. The page tells names; its
// functions stay there and are called by message.
import type { PageCall } from "../channel";
import type { FormSchema } from "./form/schema";
import type { PageCalls } from "./page-calls";

/** What a tool returns, as the server takes it. */
export type ToolOutput = { status: "success"; data?: unknown } | { status: "error"; error: string };

/** A call of a tool, out of an answer. */
export interface PageToolCall {
  toolCallId: string;
  name: string;
  args: unknown;
}

/** Who asks, as pages' functions are told. */
export interface PageUser {
  user_id?: string;
  user_hash?: string;
  user_metadata?: unknown;
  anon_user_id: string;
  chatbase_anon_id: string;
}

interface Identified {
  user_id?: unknown;
  user_hash?: unknown;
  user_metadata?: unknown;
}

const maxNames = 200;

export interface PageToolsOptions {
  post(type: "tool-run" | "form-run", data: PageCall): void;
  /** Tells the developer of the page. */
  complain(message: string): void;
  timeLimit?: number;
}

/** The tools and the forms of the page. */
export class PageTools {
  private tools = new Set<string>();
  private forms = new Set<string>();
  private calls: PageCalls | undefined; // loaded with the first call

  constructor(private options: PageToolsOptions) {}

  /** Takes the names of the page's tools in place of all earlier ones. */
  registerTools(data: unknown): void {
    this.tools = new Set(readNames(data));
  }

  /** Takes the names of the forms that the page describes in place of all earlier ones. */
  registerForms(data: unknown): void {
    this.forms = new Set(readNames(data));
  }

  hasForm(name: string): boolean {
    return this.forms.has(name);
  }

  hasTool(name: string): boolean {
    return this.tools.has(name);
  }

  /** Runs a tool of the page. Never fails: what goes wrong is the result. */
  async run(call: PageToolCall, user: PageUser): Promise<ToolOutput> {
    return (await this.loadCalls()).run(call, user, this.hasTool(call.name));
  }

  /** Has the page describe a form. Fails with a SchemaError whose message is for the page's developer. */
  async describeForm(call: PageToolCall, user: PageUser): Promise<FormSchema> {
    return (await this.loadCalls()).describeForm(call, user, this.hasForm(call.name));
  }

  /** Takes the page's answer to a call; one that nobody waits for, as after the time limit, is dropped. */
  receive(type: "tool-result" | "form-schema", data: unknown): void {
    this.calls?.receive(type, data);
  }

  private async loadCalls(): Promise<PageCalls> {
    const { PageCalls } = await import("./page-calls");
    return (this.calls ??= new PageCalls(this.options));
  }
}

function readNames(data: unknown): string[] {
  const names = typeof data === "object" && data !== null ? (data as { names?: unknown }).names : undefined;
  if (!Array.isArray(names)) return [];
  return names.filter((name) => typeof name === "string").slice(0, maxNames);
}

/** Who asks: what the page has said of the customer, as it has said it, and the visitor. */
export function pageUser(identity: Identified | null, visitorId: string): PageUser {
  return {
    ...(typeof identity?.user_id === "string" && { user_id: identity.user_id }),
    ...(typeof identity?.user_hash === "string" && { user_hash: identity.user_hash }),
    ...(identity?.user_metadata !== undefined && { user_metadata: identity.user_metadata }),
    anon_user_id: visitorId,
    chatbase_anon_id: visitorId,
  };
}
