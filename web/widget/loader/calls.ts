// Functions of the page that the agent calls: tools, and what describes forms.
import type { PageCall } from "../channel";

type Handler = (args: unknown, user: unknown) => unknown;
export type Handlers = Record<string, Handler>;

const maxResult = 20_000; // bytes of JSON
const limit = 30_000; // milliseconds

/** Calls the function of a name, and returns what it returns as plain data. */
async function run(handlers: Handlers, { name, args, user }: PageCall): Promise<unknown> {
  const handler = Object.entries(handlers).find(([known]) => known === name)?.[1];
  if (typeof handler !== "function") throw new Error(`The page has nothing of the name ${name}.`);
  const late = new Promise((_, fail) => setTimeout(() => fail(new Error("The page did not answer in 30 seconds.")), limit));
  const text = JSON.stringify((await Promise.race([handler(args, user), late])) ?? null);
  if (new Blob([text]).size > maxResult) throw new Error("The result is larger than 20 kB.");
  return JSON.parse(text);
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Runs a tool. What is not a result with a status is the data of one; what goes wrong is a result as well. */
export async function runTool(tools: Handlers, call: PageCall): Promise<unknown> {
  try {
    const result = (await run(tools, call)) as { status?: unknown } | null;
    return result?.status ? result : { status: "success", data: result };
  } catch (error) {
    return { status: "error", error: textOf(error) };
  }
}

/** Has the page describe a form. */
export async function describeForm(forms: Handlers, call: PageCall): Promise<{ schema: unknown } | { error: string }> {
  try {
    return { schema: await run(forms, call) };
  } catch (error) {
    return { error: textOf(error) };
  }
}
