// What the client does on a bad day, against replies made up here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Parley, ParleyError, walk } from "../dist/index.js";

const fine = () => Response.json({ status: "ok", timestamp: 1 });
const refused = (status, headers = {}) => () => Response.json({ error: { code: "SOME_CODE", message: "No." } }, { status, headers });

/** A client whose server sends these replies, one after the other. */
function against(replies, options = {}) {
  const requests = [];
  const fetch = async (url, init) => {
    requests.push({ url, ...init });
    return replies.shift()();
  };
  return { requests, client: new Parley({ baseURL: "http://parley.example", apiKey: "k", fetch, ...options }) };
}

/** Takes the place of the clock: `wait` is told of each wait, which then is over. */
const withoutClock = (t, wait) => t.mock.method(globalThis, "setTimeout", (done, milliseconds) => {
  wait(milliseconds);
  queueMicrotask(done);
});

test("429 and 503 are tried again when the server says", async (t) => {
  const { client, requests } = against([refused(429, { "retry-after": "0" }), refused(503, { "retry-after": "7" }), fine]);
  const waits = [];
  withoutClock(t, (milliseconds) => waits.push(milliseconds));
  assert.equal((await client.health()).status, "ok");
  assert.equal(requests.length, 3);
  assert.deepEqual(waits, [0, 7000]);
});

test("tries are bounded, and can be given up", async () => {
  const busy = Array.from({ length: 9 }, () => refused(503, { "retry-after": "0" }));
  const { client, requests } = against(busy);
  await assert.rejects(client.health(), { status: 503, retryAfter: 0 });
  assert.equal(requests.length, 3);
  await assert.rejects(client.health({ maxRetries: 0 }), { status: 503 });
  assert.equal(requests.length, 4);
});

test("a server that asks for an hour is not waited for", async () => {
  const { client, requests } = against([refused(429, { "retry-after": "3600" })]);
  await assert.rejects(client.health(), { retryAfter: 3600 });
  assert.equal(requests.length, 1);
});

test("other failures are not tried again", async () => {
  for (const status of [400, 401, 402, 409, 500]) {
    const { client, requests } = against([refused(status)]);
    await assert.rejects(client.health(), { status, code: "SOME_CODE" });
    assert.equal(requests.length, 1);
  }
});

test("a wait for another try can be ended", async (t) => {
  const { client, requests } = against([refused(503, { "retry-after": "30" })]);
  const end = new AbortController();
  t.mock.method(globalThis, "setTimeout", () => queueMicrotask(() => end.abort(new Error("enough")))); // the wait has begun, and does not end
  await assert.rejects(client.health({ signal: end.signal }), /enough/);
  assert.equal(requests.length, 1);
});

test("each try of a POST carries the same key", async () => {
  const { client, requests } = against([refused(503, { "retry-after": "0" }), () => Response.json({ id: "a" }, { status: 201 })]);
  await client.agents.create({ name: "A" }, { idempotencyKey: "once", headers: { "x-mine": "1" } });
  assert.deepEqual(requests.map((r) => [r.headers["idempotency-key"], r.headers["x-mine"], r.body]), [["once", "1", '{"name":"A"}'], ["once", "1", '{"name":"A"}']]);
});

test("a POST that nobody gave a key gets one, which its tries share and no other call has", async () => {
  const busy = refused(503, { "retry-after": "0" });
  const answer = () => Response.json({ data: { id: "m" } });
  const { client, requests } = against([busy, busy, answer, refused(429, { "retry-after": "0" }), stream(), fine, answer, answer]);
  await client.chat.send("a", { message: "hi" });
  await client.chat.stream("a", { message: "hi" });
  await client.health();
  await client.chat.send("a", { message: "hi" }, { headers: { "Idempotency-Key": "mine" } });
  await client.chat.send("a", { message: "hi" }, { maxRetries: 0 });
  const keys = requests.map((r) => new Headers(r.headers).get("idempotency-key"));
  assert.match(keys[0], /^[!-~]{1,255}$/);
  assert.deepEqual(keys, [keys[0], keys[0], keys[0], keys[3], keys[3], null, "mine", null]);
  assert.notEqual(keys[0], keys[3]);
});

test("a reply that is not Parley's is told as such", async () => {
  const { client } = against([() => new Response("<html>proxy</html>", { status: 502, statusText: "Bad Gateway" })]);
  const failure = await client.health().catch((e) => e);
  assert.ok(failure instanceof ParleyError);
  assert.equal(failure.code, "HTTP_502");
});

test("a list whose cursor comes twice is an error, not an endless walk", async () => {
  let pages = 0;
  const list = walk(async () => {
    pages += 1;
    return { data: [pages], pagination: { cursor: "same", hasMore: true } };
  });
  await assert.rejects(async () => { for await (const _ of list); }, /does not end/);
  assert.equal(pages, 2);
});

test("queries and paths are written as the server reads them", async () => {
  const page = () => Response.json({ data: [], pagination: { cursor: null, hasMore: false, total: 0 } });
  const { client, requests } = against([page]);
  await client.sources.list("a/b", { type: ["text", "link"], name: "x&y", cursor: undefined });
  assert.equal(requests[0].url, "http://parley.example/api/v2/agents/a%2Fb/sources?type=text%2Clink&name=x%26y");
});

const stream = (...chunks) => () => new Response(new ReadableStream({
  start(controller) {
    for (const chunk of chunks) controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    controller.close();
  },
}), { headers: { "content-type": "text/event-stream" } });

const finish = { type: "finish", finishReason: "stop", messageMetadata: { messageId: "m" } };

test("events are read however the bytes are cut", async () => {
  const text = `: hello\n\ndata: {"type":"start","messageId":"m"}\r\n\r\ndata:{"type":"text-delta","id":"t","delta":"né\\n😀"}\n\ndata: {"type":"data-new","x":1}\n\ndata: ${JSON.stringify(finish)}\n\ndata: [DONE]\n\n`;
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, 1000]) {
    const chunks = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
    const { client } = against([stream(...chunks)]);
    const types = [];
    const answer = await client.chat.stream("a", { message: "hi" });
    for await (const event of answer) types.push(event.type);
    assert.deepEqual(types, ["start", "text-delta", "finish"]);
    assert.equal((await answer.final()).text, "né\n😀");
  }
});

test("an answer that fails, or ends early, is not taken for a whole one", async () => {
  const begun = 'data: {"type":"start","messageId":"m"}\n\ndata: {"type":"text-delta","id":"t","delta":"Hal"}\n\n';
  const failed = against([stream(begun, `data: {"type":"error","errorText":"The model is gone."}\n\ndata: ${JSON.stringify({ ...finish, finishReason: "error" })}\n\n`)]);
  await assert.rejects((await failed.client.chat.stream("a", { message: "hi" })).final(), { code: "CHAT_STREAMING_ERROR", message: "The model is gone." });
  const cut = against([stream(begun, 'data: {"type":"fin')]);
  const answer = await cut.client.chat.stream("a", { message: "hi" });
  await assert.rejects(async () => { for await (const _ of answer.deltas()); }, { code: "STREAM_ENDED_EARLY" });
  assert.equal(answer.text, "Hal");
  const empty = against([stream(": nothing\n\n")]);
  await assert.rejects((await empty.client.chat.stream("a", { message: "hi" })).begun(), { code: "STREAM_ENDED_EARLY" });
});

const news = (status, ...ids) => stream(`event: status\ndata: {"status":"${status}"}\n\n`, ...ids.map((id) => `id: ${id}\nevent: message\ndata: {"id":"msg_${id}"}\n\n`));
const newest = (id) => () => Response.json({ data: id ? [{ id: `msg_${id}` }] : [], pagination: { cursor: null, hasMore: false, total: 1 } });
const broken = () => { throw new TypeError("fetch failed"); };
const where = { agentId: "a", conversationId: "c" };

test("a broken connection to a conversation goes on behind what was told", async () => {
  const { client, requests } = against([news("ongoing"), newest(4), broken, refused(502), news("ongoing", 3, 4, 5), news("taken_over", 6), news("ended")]);
  const told = [];
  for await (const event of client.conversations.follow(where)) told.push(event.type === "status" ? event.status : event.id);
  assert.deepEqual(told, ["ongoing", "5", "taken_over", "6", "ended"]);
  const follows = requests.filter((r) => r.url.endsWith("/events"));
  assert.deepEqual(follows.map((r) => r.headers["last-event-id"]), [undefined, "0", "0", "0", "5", "6"]);
  const soon = against([news("ongoing", 4), newest(4), news("ongoing", 5), news("ended")]); // it came before the newest was asked for
  const ids = [];
  for await (const event of soon.client.conversations.follow(where)) if (event.type === "message") ids.push(event.id);
  assert.deepEqual(ids, ["4", "5"]);
});

test("a conversation that may not be followed any more is an error, and so is one that cannot be followed at all", async () => {
  const drain = async (client) => { for await (const _ of client.conversations.follow(where, { after: "1" })); };
  await assert.rejects(drain(against([news("ongoing"), refused(401)]).client), { status: 401 });
  await assert.rejects(drain(against([broken]).client), TypeError);
});
