// Talks to a server through the client that orval generates: <address> <API key>. The address is the one in the document.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { chat, createAgent, createSource, getAgent, getSource, listConversations } from "../v2/orval.js";

const [, key] = process.argv.slice(2);
const options = { headers: { Authorization: `Bearer ${key}` } };

const created = await createAgent({ name: "Shop", visibility: "private" }, options);
assert.ok(created.status === 201);
const agent = created.data.id;

const written = await createSource(agent, { type: "text", name: "Hours", content: "The shop opens at nine and closes at five." }, options);
assert.ok(written.status === 201);
for (let status = ""; status !== "trained"; await setTimeout(50)) {
  const now = await getSource(agent, written.data.id, options);
  assert.ok(now.status === 200);
  status = now.data.status;
}

const said = await chat(agent, { message: "When does the shop open?" }, options);
assert.ok(said.status === 200 && typeof said.data === "object");
assert.match(said.data.data.parts[0].text!, /nine/);
const { conversationId } = said.data.data.metadata;

// A stream is read to its end.
const stream = await chat(agent, { message: "And when does it close?", conversationId, stream: true }, options);
assert.ok(typeof stream.data === "string" && stream.data.includes('"text-delta"') && stream.data.endsWith("data: [DONE]\n\n"));

const list = await listConversations(agent, { limit: 10 }, options);
assert.ok(list.status === 200);
assert.deepEqual(list.data.data.map(({ id, status }) => [id, status]), [[conversationId, "ongoing"]]);

const none = await getAgent("01998b2d-1f00-7c21-8a44-0b1c2d3e4f50", options);
assert.ok(none.status === 404);
assert.equal(none.data.error.code, "AGENT_NOT_FOUND");
