// The client against the real server and its built-in model.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { ChatStream, Parley, ParleyError } from "../dist/index.js";
import { routes } from "../dist/operations.js";
import { makeAgent, startServer, until } from "./server.js";

const handbook = "# Opening hours\n\nThe shop is open from nine to five on weekdays. On Saturdays the shop closes at noon.";
let server, client, agent;

before(async () => {
  server = await startServer();
  client = new Parley({ baseURL: server.url, apiKey: server.apiKey });
  agent = await makeAgent(client, handbook);
});
after(() => server?.stop());

test("the server is up, and the key is ours", async () => {
  assert.equal((await client.health()).status, "ok");
  assert.equal((await client.me()).workspace.id, server.accountId);
});

test("the client knows every operation of the server, and only those", async () => {
  const doc = await (await fetch(`${server.url}/openapi.json`)).json();
  const served = Object.entries(doc.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, op]) => [op.operationId, `${method.toUpperCase()} ${path}`]));
  const known = Object.entries(routes).map(([id, route]) => [id, `${route.method} ${route.path}`]);
  assert.deepEqual(Object.fromEntries(known), Object.fromEntries(served), "run: npm run generate");
});

test("each operation has a method of its own", () => {
  const folder = new URL("../dist/", import.meta.url);
  const code = readdirSync(folder).filter((name) => name.endsWith(".js")).map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  assert.deepEqual(Object.keys(routes).filter((id) => !code.includes(`call("${id}"`) && !code.includes(`send("${id}"`)), []);
});

test("a search finds what was said, and the agent's insights count it", async () => {
  const asked = await client.chat.send(agent, { message: "Do you repair umbrellas of tortoiseshell?" });
  const found = async () => {
    const list = [];
    for await (const c of client.conversations.searchAll(agent, { query: "tortoiseshell umbrellas", limit: 1 })) list.push(c);
    return list;
  };
  const list = await until("the search knows it", async () => {
    const list = await found();
    if (list.length > 0) return list;
    await new Promise((go) => setTimeout(go, 200)); // an account has ten searches a second
  });
  assert.deepEqual(list.map((c) => c.id), [asked.metadata.conversationId]);
  assert.equal(list[0].snippet.highlights.map((h) => h.value).join(""), "Do you repair umbrellas of tortoiseshell?");
  assert.equal((await client.agents.insights(agent, { groupBy: "topic" })).data.groupBy, "topic");
});

test("an answer comes whole", async () => {
  const answer = await client.chat.send(agent, { message: "When does the shop close on Saturdays?", userId: "jo" });
  assert.match(answer.parts[0].text, /noon/);
  assert.equal(answer.metadata.userId, "jo");
  assert.equal(answer.metadata.citations.length, 1);
});

test("an answer comes as events, and ends with its metadata", async () => {
  const stream = await client.chat.stream(agent, { message: "When does the shop close on Saturdays?" });
  assert.ok(stream instanceof ChatStream);
  const types = [];
  for await (const event of stream) types.push(event.type);
  const answer = await stream.final();
  assert.equal(types[0], "start");
  assert.equal(types.at(-1), "finish");
  assert.match(answer.text, /noon/);
  assert.equal(answer.metadata.messageId, answer.messageId);
  const again = await client.chat.stream(agent, { message: "And on weekdays?", conversationId: answer.metadata.conversationId });
  let text = "";
  for await (const delta of again.deltas()) text += delta;
  assert.equal(text, (await again.final()).text);
  assert.equal((await again.final()).metadata.conversationId, answer.metadata.conversationId);
});

test("leaving a stream early leaves the answer to the server", async () => {
  const stream = await client.chat.stream(agent, { message: "When does the shop close on Saturdays?" });
  for await (const event of stream) if (event.type === "start") break;
  await assert.rejects(stream.final(), { code: "STREAM_ENDED_EARLY" });
  const conversations = await client.conversations.list(agent, { limit: 1 });
  const path = { agentId: agent, conversationId: conversations.data[0].id };
  await until("the answer is stored", async () => (await client.conversations.messages(path)).data.length === 2);
});

test("a list is walked page by page", async () => {
  for (let i = 0; i < 5; i++) await client.sources.create(agent, { type: "text", name: `Note ${i}`, content: `This is note number ${i}.` });
  const names = [];
  for await (const source of client.sources.all(agent, { limit: 2 })) names.push(source.name);
  assert.equal(names.length, 6);
  assert.equal(new Set(names).size, 6);
});

test("a failure is told with its code", async () => {
  const failure = await client.agents.get("nobody").catch((e) => e);
  assert.ok(failure instanceof ParleyError);
  assert.equal(failure.code, "AGENT_NOT_FOUND");
  assert.equal(failure.status, 404);
  assert.match(failure.requestId, /./);
  await assert.rejects(client.agents.create({ name: "" }), { code: "VALIDATION_INVALID_BODY", details: { name: "must have at least 1 character" } });
  const stranger = new Parley({ baseURL: `${server.url}/api/v2/`, apiKey: "wrong" });
  await assert.rejects(stranger.me(), { code: "AUTH_INVALID_API_KEY", status: 401 });
});

test("an id that is not one does not lead elsewhere", async () => {
  await assert.rejects(client.agents.get(""), TypeError);
  await assert.rejects(client.agents.get("../me"), { code: "AGENT_NOT_FOUND" });
});

test("a key of a POST makes it take effect once", async () => {
  const idempotencyKey = `create-${Date.now()}`;
  const first = await client.agents.create({ name: "Once" }, { idempotencyKey });
  const second = await client.agents.create({ name: "Once" }, { idempotencyKey });
  assert.equal(second.id, first.id);
  await assert.rejects(client.agents.create({ name: "Twice" }, { idempotencyKey }), { code: "IDEMPOTENCY_KEY_REUSED" });
});

test("another answer takes the place of the first", async () => {
  const first = await client.chat.send(agent, { message: "When does the shop close on Saturdays?" });
  const path = { agentId: agent, conversationId: first.metadata.conversationId };
  const second = await client.chat.retry(path, { messageId: first.id });
  assert.notEqual(second.id, first.id);
  const third = await (await client.chat.retryStream(path, { messageId: second.id })).final();
  const stored = await client.conversations.get(path);
  assert.deepEqual(stored.data.messages.map((m) => m.id), [first.metadata.userMessageId, third.messageId]);
});

test("an answer is rated", async () => {
  const answer = await client.chat.send(agent, { message: "When does the shop close on Saturdays?" });
  const path = { agentId: agent, conversationId: answer.metadata.conversationId, messageId: answer.id };
  assert.equal((await client.conversations.rate(path, "positive")).data.feedback, "positive");
  assert.equal((await client.conversations.rate(path, null)).data.feedback, undefined);
});

test("a conversation is followed", async () => {
  const answer = await client.chat.send(agent, { message: "When does the shop close on Saturdays?" });
  const path = { agentId: agent, conversationId: answer.metadata.conversationId };
  const told = [];
  for await (const event of client.conversations.follow(path)) {
    told.push(event);
    if (event.type === "status") client.chat.send(agent, { message: "And on weekdays?", conversationId: path.conversationId }).catch(() => undefined);
    if (event.type === "message" && event.message.role === "assistant") break;
  }
  assert.equal(told[0].status, "ongoing");
  assert.deepEqual(told.slice(1).map((event) => event.message.role), ["user", "assistant"]);
  const behind = [];
  for await (const event of client.conversations.follow(path, { after: told[1].id })) {
    behind.push(event.type === "message" ? event.id : event.type);
    if (event.type === "message") break;
  }
  assert.deepEqual(behind, ["status", told[2].id]);
});

test("a ticket is opened, found, changed and answered", async () => {
  const shop = await makeAgent(client);
  const { email } = await server.run("member", "add", "--account", server.accountId, "--email", "kim@shop.example", "--name", "Kim");
  const statuses = await client.helpdesk.statuses(shop);
  assert.equal(statuses.filter((status) => status.isDefault).length, 6);
  const [team] = await client.helpdesk.teams(shop);
  const customer = { email: "jo@example.com", name: "Jo" };
  const ticket = await client.helpdesk.create(shop, { subject: "Parcel", description: "Where is it?", customer, assigneeId: null, teamId: team.id });
  assert.equal(ticket.ticketNumber, 1);
  assert.equal(ticket.assigneeId, null);
  const path = { agentId: shop, ticketNumber: ticket.ticketNumber };
  assert.equal((await client.helpdesk.search(shop, { query: "parcel" })).data[0].ticketNumber, 1);
  assert.equal((await client.helpdesk.update(path, { priority: "high", assigneeEmail: email })).priority, "high");
  const reply = await client.helpdesk.reply(path, { type: "reply", content: "It is **on its way**.", authorEmail: email }, { idempotencyKey: "reply" });
  assert.match(reply.content, /<strong>on its way<\/strong>/);
  const said = [];
  for await (const message of client.helpdesk.messagesAll(path, { types: ["reply", "event"], limit: 2 })) said.push(message.type);
  assert.deepEqual(said.filter((type) => type === "reply").length, 2);
  assert.ok(said.includes("event"));
  assert.equal((await client.helpdesk.messages(path, { order: "desc", limit: 1 })).data[0].id, reply.id);
  await client.helpdesk.create(shop, { subject: "Invoice", description: "It is wrong.", customer });
  const listed = [];
  for await (const each of client.helpdesk.all(shop, { limit: 1, sortBy: "createdAt", order: "asc" })) listed.push(each.ticketNumber);
  assert.deepEqual(listed, [1, 2]);
  assert.equal((await client.helpdesk.list(shop, { includeTotal: true, status: ["on_customer"] })).pagination.total, 1);
  assert.equal((await client.helpdesk.get(path)).statusCategory, "on_customer");
  await assert.rejects(client.helpdesk.get({ agentId: shop, ticketNumber: 9 }), { code: "TICKET_NOT_FOUND" });
});

test("a voice session is asked for", async () => {
  const shop = await makeAgent(client);
  await assert.rejects(client.voice.createSession(shop), { code: "VOICE_NOT_AVAILABLE", status: 403 });
  await client.agents.update(shop, { voiceSettings: { maxDailyCallsPerUser: 1 } });
  const wrong = { timezone: "Mars/Olympus_Mons" };
  await assert.rejects(client.voice.createSession(shop, wrong), { code: "VALIDATION_INVALID_BODY", details: { timezone: "must be an IANA time zone, such as Europe/Berlin" } });
  await assert.rejects(client.voice.createSession(shop, { conversationId: "x" }), { code: "CONVERSATION_NOT_FOUND" });
});

test("what was said is exported", async () => {
  const ids = new Set();
  for await (const conversation of client.conversations.exportAll(agent, { limit: 2 })) {
    ids.add(conversation.id);
    assert.ok(conversation.messages.length >= 1);
  }
  assert.equal(ids.size, (await client.conversations.list(agent)).pagination.total);
});
