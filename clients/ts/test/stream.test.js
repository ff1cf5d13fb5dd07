// What a stream tells of an answer beside its text, against the real server and a scripted model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Parley, ParleyError } from "../dist/index.js";
import { startModel } from "./model.js";
import { makeAgent, startServer, until } from "./server.js";

let model, server, client, agent;
before(async () => {
  model = await startModel();
  server = await startServer({ model: model.url });
  client = new Parley({ baseURL: server.url, apiKey: server.apiKey });
  agent = await makeAgent(client);
});
after(async () => {
  await server?.stop();
  await model?.stop();
});

test("where an answer belongs is known before its text, and nothing of it is lost", async () => {
  const stream = await client.chat.stream(agent, { message: "hello", userId: "jo" });
  assert.equal(stream.conversationId, undefined);
  const beginning = await stream.begun();
  assert.equal(stream.text, "");
  assert.deepEqual([stream.conversationId, stream.userMessageId, "jo"], [beginning.conversationId, beginning.userMessageId, beginning.userId]);
  const types = [];
  for await (const event of stream) types.push(event.type);
  assert.equal(types[0], "start");
  assert.equal(types.filter((type) => type === "start").length, 1);
  const answer = await stream.final();
  assert.equal(answer.text, "You said: hello");
  const { messageId, conversationId, userMessageId, userId } = answer.metadata;
  assert.deepEqual(await stream.begun(), { messageId, userMessageId, conversationId, userId });
});

test("an answer that was stopped can be made again", async () => {
  const stop = new AbortController();
  const stream = await client.chat.stream(agent, { message: `[slow once] ${Date.now()}` }, { signal: stop.signal });
  await assert.rejects(async () => { for await (const _ of stream.deltas()) stop.abort(new Error("enough")); }, /enough/);
  const path = { agentId: agent, conversationId: stream.conversationId };
  const again = await client.chat.retry(path, { messageId: stream.userMessageId });
  assert.deepEqual((await client.conversations.messages(path)).data.map((m) => m.id), [stream.userMessageId, again.id]);
});

test("an answer that failed can be made again", async () => {
  const stream = await client.chat.stream(agent, { message: `[break once] ${Date.now()}` });
  const failure = await stream.final().catch((e) => e);
  assert.ok(failure instanceof ParleyError);
  assert.equal(failure.code, "CHAT_STREAMING_ERROR");
  const { conversationId, userMessageId } = failure.details;
  const again = await client.chat.retry({ agentId: agent, conversationId }, { messageId: userMessageId });
  assert.equal(again.metadata.userMessageId, userMessageId);
});

test("an answer that was cut short says so", async () => {
  const stream = await client.chat.stream(agent, { message: "[slow]" });
  const { conversationId } = await stream.begun();
  const seen = [];
  for await (const event of stream) {
    if (event.type === "text-delta" && seen.push(event.delta) === 3) server.run("conversations", "takeover", conversationId);
    assert.notEqual(event.type, "error");
  }
  const answer = await stream.final();
  assert.equal(answer.finishReason, "error");
  assert.ok(answer.text.startsWith("word1 word2 word3 ")); // there would be words without end
});

test("all messages of a conversation, and all conversations of a user", async () => {
  const { metadata: { conversationId } } = await client.chat.send(agent, { message: "hello", userId: "ada" });
  const path = { agentId: agent, conversationId };
  for (const message of ["two", "three"]) await client.chat.send(agent, { message, conversationId });
  const whole = (await client.conversations.messages(path)).data.map((m) => m.id);
  const ids = [];
  for await (const message of client.conversations.messagesAll(path, { limit: 4 })) ids.push(message.id);
  assert.equal(ids.length, 6);
  assert.deepEqual(ids, whole.reverse());
  const begun = [conversationId];
  for (let i = 0; i < 2; i++) begun.push((await client.chat.send(agent, { message: "hello", userId: "ada" })).metadata.conversationId);
  const found = [];
  for await (const conversation of client.conversations.ofUserAll(agent, "ada", { limit: 1 })) found.push(conversation.id);
  assert.deepEqual(found.sort(), begun.sort());
});

/** Follows a conversation in the background: what was told, the end of it, and a way to stop it. */
function follow(path, options = {}) {
  const end = new AbortController();
  const told = [];
  const done = (async () => {
    for await (const event of client.conversations.follow(path, { signal: end.signal, ...options })) told.push(event.type === "status" ? event.status : event.message.parts[0].text);
  })();
  done.catch(() => undefined); // it is looked at in the end
  return { told, done, end };
}

test("a conversation is followed over a restart of the server, until it has ended", async () => {
  const say = (message, conversationId) => client.chat.send(agent, { message, ...(conversationId && { conversationId }) });
  const { metadata: { conversationId } } = await say("hello");
  const path = { agentId: agent, conversationId };
  const [quiet, lively, stopped] = [follow(path), follow(path, { after: "0" }), follow(path)];
  await until("they follow", () => quiet.told.length === 1 && lively.told.length === 3 && stopped.told.length === 1);
  await server.halt();
  stopped.end.abort(new Error("enough"));
  await assert.rejects(stopped.done, /enough/);
  await server.begin();
  await say("again", conversationId); // perhaps before they are back
  await until("they are told", () => quiet.told.length === 3 && lively.told.length === 5);
  await server.halt();
  await server.begin();
  await say("more", conversationId);
  await server.run("conversations", "end", conversationId);
  await Promise.all([quiet.done, lively.done]);
  const news = ["again", "You said: again", "more", "You said: more", "ended"];
  assert.deepEqual(quiet.told, ["ongoing", ...news]);
  assert.deepEqual(lively.told, ["ongoing", "hello", "You said: hello", ...news]);
  assert.deepEqual(stopped.told, ["ongoing"]);
});

test("a conversation that is deleted is not followed any more", async () => {
  const { metadata: { conversationId } } = await client.chat.send(agent, { message: "hello" });
  const followed = follow({ agentId: agent, conversationId });
  await until("it follows", () => followed.told.length === 1);
  await server.run("conversations", "delete", conversationId, "--yes");
  await assert.rejects(followed.done, { code: "RESOURCE_NOT_FOUND" });
});
