// Calls of the functions of the page, by message. Most visitors never need them.
import type { ToPage } from "../channel";
import type { FormSchema } from "./form/schema";
import { errorText, failed, limitOutput } from "./tool-output";
import type { PageToolCall, PageToolsOptions, PageUser, ToolOutput } from "./tools";

export const toolTimeLimit = 30_000;

type Answer = { result: unknown } | { schema: unknown } | { error: string };
type Waiting = { resolve(answer: Answer): void; timer: ReturnType<typeof setTimeout> };

export class PageCalls {
  private waiting = new Map<string, Waiting>();
  private count = 0;

  constructor(private options: PageToolsOptions) {}

  async run(call: PageToolCall, user: PageUser, isKnown: boolean): Promise<ToolOutput> {
    if (!isKnown) return failed(`the page has no tool ${call.name}`);
    const answer = await this.ask("tool-run", call, user);
    if ("error" in answer) return failed(answer.error);
    return limitOutput("result" in answer ? answer.result : undefined);
  }

  async describeForm(call: PageToolCall, user: PageUser, isKnown: boolean): Promise<FormSchema> {
    const { readSchema, SchemaError } = await import("./form/schema");
    if (!isKnown) throw new SchemaError(`the page has no form ${call.name}`);
    const answer = await this.ask("form-run", call, user);
    const where = `form ${call.name}`;
    try {
      if ("error" in answer) throw new SchemaError(answer.error);
      return readSchema("schema" in answer ? answer.schema : undefined, (message) => this.options.complain(`${where}: ${message}`));
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      this.options.complain(`${where}: ${error.message}`);
      throw error;
    }
  }

  receive(type: "tool-result" | "form-schema", data: unknown): void {
    if (typeof data !== "object" || data === null) return;
    const { id, result, schema, error } = data as Record<string, unknown>;
    const waiting = typeof id === "string" ? this.waiting.get(id) : undefined;
    if (!waiting) return;
    this.waiting.delete(String(id));
    clearTimeout(waiting.timer);
    if (error !== undefined && error !== null) waiting.resolve({ error: errorText(error) });
    else waiting.resolve(type === "tool-result" ? { result } : { schema });
  }

  private ask(type: "tool-run" | "form-run", { name, args }: PageToolCall, user: PageUser): Promise<Answer> {
    const { post, timeLimit = toolTimeLimit } = this.options;
    const id = `${type}-${++this.count}`;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        resolve({ error: `the page did not answer in ${timeLimit / 1_000} seconds` });
      }, timeLimit);
      this.waiting.set(id, { resolve, timer });
      post(type, { id, name, args, user: { ...user } } satisfies ToPage["tool-run"]);
    });
  }
}
