// Talks to a server through openapi-fetch with the types that openapi-typescript makes: <address> <API key>.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "../v2/openapi-typescript.js";

const [address, key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: `${address}/api/v2`, headers: { Authorization: `Bearer ${key}` } });

const created = await client.POST("/agents", { body: { name: "Shop", visibility: "private" } });
const path = { agentId: created.data!.id };

const source: components["schemas"]["NewSource"] = { type: "text", name: "Hours", content: "The shop opens at nine and closes at five." };
const { data: written } = await client.POST("/agents/{agentId}/sources", { params: { path }, body: source });
for (let status = ""; status !== "trained"; await setTimeout(50)) {
  const now = await client.GET("/agents/{agentId}/sources/{sourceId}", { params: { path: { ...path, sourceId: written!.id } } });
  status = now.data!.status;
}

const chat = await client.POST("/agents/{agentId}/chat", { params: { path }, body: { message: "When does the shop open?" } });
assert.ok(typeof chat.data === "object"); // with stream: true it is the text of the events
assert.match(chat.data.data.parts[0].text!, /nine/);
const { conversationId } = chat.data.data.metadata;

const stream = await client.POST("/agents/{agentId}/chat", {
  params: { path },
  body: { message: "And when does it close?", conversationId, stream: true },
  parseAs: "stream",
});
const events = await new Response(stream.data).text();
assert.match(events, /"text-delta"/);
assert.ok(events.endsWith("data: [DONE]\n\n"));

const list = await client.GET("/agents/{agentId}/conversations", { params: { path, query: { limit: 10 } } });
assert.deepEqual(list.data!.data.map(({ id, status }) => [id, status]), [[conversationId, "ongoing"]]);

const none = await client.GET("/agents/{agentId}", { params: { path: { agentId: "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50" } } });
const failure: components["schemas"]["Envelope"] = none.error!;
assert.equal(none.response.status, 404);
assert.equal(failure.error.code, "AGENT_NOT_FOUND");
