// Talks to a server through the client that @hey-api/openapi-ts generates: <address> <API key>.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { client } from "../v2/hey-api/client.gen.js";
import { chat, createAgent, createSource, followConversation, getAgent, getSource, listConversations } from "../v2/hey-api/sdk.gen.js";

const [address, key] = process.argv.slice(2);
client.setConfig({ baseUrl: `${address}/api/v2`, auth: key });

const created = await createAgent({ body: { name: "Shop", visibility: "private" } });
const path = { agentId: created.data!.id };

const { data: written } = await createSource({ path, body: { type: "text", name: "Hours", content: "The shop opens at nine and closes at five." } });
for (let status = ""; status !== "trained"; await setTimeout(50)) {
  const now = await getSource({ path: { ...path, sourceId: written!.id } });
  status = now.data!.status;
}

const said = await chat({ path, body: { message: "When does the shop open?" }, throwOnError: true });
assert.ok(typeof said.data === "object"); // with stream: true it is the text of the events
assert.match(said.data.data.parts[0].text!, /nine/);
const { conversationId } = said.data.data.metadata;

const stream = await chat({ path, body: { message: "And when does it close?", conversationId, stream: true }, parseAs: "stream" });
const events = await new Response(stream.data as unknown as ReadableStream).text();
assert.match(events, /"text-delta"/);
assert.ok(events.endsWith("data: [DONE]\n\n"));

const list = await listConversations({ path, query: { limit: 10 } });
assert.deepEqual(list.data!.data.map(({ id, status }) => [id, status]), [[conversationId, "ongoing"]]);

const followed = await followConversation({ path: { ...path, conversationId } });
for await (const event of followed.stream) {
  assert.ok(event);
  break;
}

const none = await getAgent({ path: { agentId: "01998b2d-1f00-7c21-8a44-0b1c2d3e4f50" } });
assert.equal(none.response!.status, 404);
assert.equal(none.error!.error.code, "AGENT_NOT_FOUND");
process.exit(); // the followed conversation would go on
