// Compiled by `npm run check` and never run: what must be typed, and what must be refused.
import { Parley, ParleyError, type BodyOf, type ChatEvent, type ReplyOf, type Schemas } from "../src/index.js";

const client = new Parley({ baseURL: "http://127.0.0.1:8080", apiKey: "key" });

export async function typed(): Promise<void> {
  const agent = await client.agents.get("a");
  agent.name satisfies string;
  agent.lastMessageAt satisfies string | null;
  agent satisfies Schemas["Agent"];
  // @ts-expect-error there is no such field
  agent.nothing;

  const body: BodyOf<"createAgent"> = { name: "Shop" };
  (await client.agents.create(body, { idempotencyKey: "k" })).id satisfies string;
  // @ts-expect-error a name is required
  await client.agents.create({});

  const page: ReplyOf<"listSources"> = await client.sources.list("a", { limit: 10 });
  page.pagination.cursor satisfies string | null;
  for await (const source of client.sources.all("a")) source.status satisfies string;

  await client.request("getSource", { path: { agentId: "a", sourceId: "s" } });
  // @ts-expect-error the path lacks the source
  await client.request("getSource", { path: { agentId: "a" } });
  // @ts-expect-error a body is due
  await client.request("chat", { path: { agentId: "a" } });

  const answer = await client.chat.send("a", { message: "Hi", userId: "u" });
  answer.metadata.usage.credits satisfies number;
  // @ts-expect-error the method decides about streaming
  await client.chat.send("a", { message: "Hi", stream: true });
  const stream = await client.chat.stream("a", { message: "Hi" }, { signal: AbortSignal.timeout(1000) });
  for await (const event of stream) event satisfies ChatEvent;
  (await stream.begun()).userMessageId satisfies string;
  stream.conversationId satisfies string | undefined;
  for await (const message of client.conversations.messagesAll({ agentId: "a", conversationId: "c" })) message.role satisfies string;
  for await (const conversation of client.conversations.ofUserAll("a", "u")) conversation.status satisfies string;
  (await stream.final()).metadata.conversationId satisfies string;
}

export const isBusy = (e: unknown): boolean => e instanceof ParleyError && e.status === 409 && e.code.endsWith("_BUSY");
