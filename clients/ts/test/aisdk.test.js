// The chat of the AI SDK, in every version that is supported, against the real server and a scripted model.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Parley } from "../dist/index.js";
import { chatOf, textOf, transportOf } from "./aisdk.js";
import { startModel } from "./model.js";
import { makeAgent, startServer, until } from "./server.js";

const versions = ["ai5oldest", "ai5", "ai6", "ai7"];

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

for (const version of versions) {
  describe(`ai ${JSON.parse(readFileSync(new URL(`../node_modules/${version}/package.json`, import.meta.url))).version}`, async () => {
    const sdk = await import(version);
    const begin = (to = agent, options = {}) => {
      const api = `${server.api}/agents/${to}`;
      const transport = transportOf(sdk, { api, headers: { authorization: `Bearer ${server.apiKey}` }, messages: options.messages });
      return chatOf(sdk, { transport, ...options });
    };
    /** Sends a message, or does what else is given, and stops the answer in the middle. */
    const stopped = async (chat, act) => {
      const going = typeof act === "string" ? chat.sendMessage({ text: act }) : act();
      await until("the answer has begun", () => chat.status === "streaming" && textOf(chat.lastMessage).includes("word3"));
      await chat.stop();
      await going;
      assert.equal(chat.status, "ready");
    };
    const once = (what) => `[${what} once] ${randomUUID()}`;

    test("two turns are one conversation", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "hello" });
      assert.equal(chat.error, undefined);
      assert.equal(textOf(chat.lastMessage), "You said: hello");
      await chat.sendMessage({ text: "and more" });
      assert.equal(chat.status, "ready");
      const [first, second] = chat.messages.filter((m) => m.role === "assistant");
      assert.equal(textOf(second), "You said: and more");
      assert.equal(second.metadata.conversationId, first.metadata.conversationId);
      const stored = await client.conversations.messages({ agentId: agent, conversationId: first.metadata.conversationId });
      assert.deepEqual(stored.data.filter((m) => m.role === "assistant").map((m) => m.id), [first.id, second.id]);
    });

    test("another answer replaces the first", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "hello" });
      const first = chat.lastMessage;
      await chat.regenerate({ messageId: first.id });
      assert.equal(chat.error, undefined);
      assert.equal(chat.messages.length, 2);
      assert.notEqual(chat.lastMessage.id, first.id);
      assert.equal(textOf(chat.lastMessage), "You said: hello");
      const stored = await client.conversations.messages({ agentId: agent, conversationId: first.metadata.conversationId });
      assert.deepEqual(stored.data.map((m) => m.id).slice(1), [chat.lastMessage.id]);
      await chat.regenerate();
      assert.equal(chat.error, undefined);
      assert.equal((await client.conversations.messages({ agentId: agent, conversationId: first.metadata.conversationId })).data.at(-1).id, chat.lastMessage.id);
    });

    test("stopped in mid-stream, it answers the next message at once", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "hello" });
      const asked = model.requests.length;
      const slow = chat.sendMessage({ text: "[slow]" });
      await until("the answer has begun", () => chat.status === "streaming" && textOf(chat.lastMessage).includes("word3"));
      await chat.stop();
      await slow;
      await chat.sendMessage({ text: "again" }); // the answer before it would not end by itself
      assert.equal(chat.error, undefined);
      assert.equal(textOf(chat.lastMessage), "You said: again");
      await until("the model is left alone", () => model.requests[asked].cut);
    });

    test("the first answer, stopped, is made again", async () => {
      const chat = begin();
      const question = once("slow");
      await stopped(chat, question);
      const { conversationId } = chat.lastMessage.metadata;
      await chat.regenerate();
      assert.equal(chat.error, undefined);
      assert.equal(chat.lastMessage.metadata.conversationId, conversationId);
      assert.deepEqual(said(chat), [question, `You said: ${question}`]);
      assert.deepEqual(await stored(conversationId), said(chat));
    });

    test("the second answer, stopped, is made again, and the first stays", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "hello" });
      const { id, metadata: { conversationId } } = chat.lastMessage;
      const question = once("slow");
      await stopped(chat, question);
      await chat.regenerate({ messageId: chat.lastMessage.id });
      assert.equal(chat.error, undefined);
      assert.equal(chat.messages[1].id, id);
      assert.deepEqual(said(chat), ["hello", "You said: hello", question, `You said: ${question}`]);
      assert.deepEqual(await stored(conversationId), said(chat));
    });

    test("an answer that was stopped twice is made again, and then the one before it", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "hello" });
      const { id, metadata: { conversationId } } = chat.lastMessage;
      await stopped(chat, `[slow twice] ${randomUUID()}`);
      await stopped(chat, () => chat.regenerate());
      await chat.regenerate();
      assert.equal(chat.error, undefined);
      assert.deepEqual(await stored(conversationId), said(chat));
      assert.equal(chat.messages.length, 4);
      await chat.regenerate({ messageId: id });
      assert.deepEqual(said(chat), ["hello", "You said: hello"]);
      assert.deepEqual(await stored(conversationId), said(chat));
    });

    test("the first answer, stopped, leaves the next message in its conversation", async () => {
      const chat = begin();
      await stopped(chat, "[slow]");
      const { conversationId } = chat.lastMessage.metadata;
      await chat.sendMessage({ text: "hello" });
      assert.equal(chat.error, undefined);
      assert.equal(chat.lastMessage.metadata.conversationId, conversationId);
      assert.deepEqual((await stored(conversationId)).slice(2), ["hello", "You said: hello"]);
    });

    test("an answer that failed halfway is made again", async () => {
      for (const first of [[], ["hello"]]) {
        const chat = begin();
        for (const text of first) await chat.sendMessage({ text });
        const question = once("break");
        await chat.sendMessage({ text: question });
        assert.equal(chat.status, "error");
        const { conversationId } = chat.lastMessage.metadata;
        await chat.regenerate();
        assert.equal(chat.error, undefined);
        assert.deepEqual(said(chat), [...first.flatMap((text) => [text, `You said: ${text}`]), question, `You said: ${question}`]);
        assert.deepEqual(await stored(conversationId), said(chat));
      }
    });

    test("a message whose request failed is answered again, and is kept once", async () => {
      for (const first of [[], ["hello"]]) {
        const chat = begin();
        for (const text of first) await chat.sendMessage({ text });
        const question = once("refuse");
        await chat.sendMessage({ text: question });
        assert.equal(chat.status, "error");
        const { conversationId } = JSON.parse(chat.error.message).error.details;
        await chat.regenerate();
        assert.equal(chat.error, undefined);
        assert.equal(chat.lastMessage.metadata.conversationId, conversationId);
        const before = first.flatMap((text) => [text, `You said: ${text}`]);
        assert.deepEqual(said(chat), [...before, question, `You said: ${question}`]);
        assert.deepEqual(await stored(conversationId), [...before, question, `You said: ${question}`]);
      }
    });

    test("a message that was stopped before its answer began is sent again", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "hello" });
      const { conversationId } = chat.lastMessage.metadata;
      const [asked, question] = [model.requests.length, once("late")];
      const going = chat.sendMessage({ text: question });
      await until("the model is asked", () => model.requests.length > asked);
      await chat.stop();
      await going;
      await chat.regenerate();
      assert.equal(chat.error, undefined);
      assert.deepEqual(said(chat), ["hello", "You said: hello", question, `You said: ${question}`]);
      const whole = await stored(conversationId);
      assert.deepEqual(whole.slice(0, 3), ["hello", "You said: hello", question]);
      assert.deepEqual(whole.slice(-2), [question, `You said: ${question}`]);
    });

    test("a message whose request failed is followed by another in its conversation", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "[refuse]" });
      const { conversationId } = JSON.parse(chat.error.message).error.details;
      await chat.sendMessage({ text: "hello" });
      assert.equal(chat.lastMessage.metadata.conversationId, conversationId);
    });

    test("an answer whose retry failed is made again", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "hello" });
      const [a, b, { conversationId }] = [...said(chat), chat.lastMessage.metadata];
      const question = once("slow");
      await stopped(chat, question);
      chat.transport.headers = { authorization: "Bearer wrong" };
      await chat.regenerate();
      assert.equal(JSON.parse(chat.error.message).error.code, "AUTH_INVALID_API_KEY");
      chat.transport.headers = { authorization: `Bearer ${server.apiKey}` };
      await chat.regenerate();
      assert.equal(chat.error, undefined);
      assert.deepEqual(await stored(conversationId), [a, b, question, `You said: ${question}`]);
    });

    test("a question that was changed is asked as it is now", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "hello" });
      const { conversationId } = chat.lastMessage.metadata;
      await chat.sendMessage({ text: "[refuse]", messageId: chat.messages[0].id });
      assert.equal(chat.status, "error");
      const asked = model.requests.length;
      await chat.regenerate();
      assert.equal(chat.status, "error");
      assert.equal(JSON.parse(chat.error.message).error.details.conversationId, conversationId);
      assert.equal(model.requests.length, asked + 1);
      assert.match(model.requests[asked].asked.messages.at(-1).content, /\[refuse\]/);
    });

    test("two chats with one transport are two conversations", async () => {
      const one = begin();
      const other = begin(agent, { transport: one.transport });
      await one.sendMessage({ text: "hello" });
      await other.sendMessage({ text: "hello" });
      assert.notEqual(other.lastMessage.metadata.conversationId, one.lastMessage.metadata.conversationId);
      await one.regenerate();
      assert.deepEqual(await stored(one.lastMessage.metadata.conversationId), said(one));
    });

    test("a chat that was stored goes on", async () => {
      const earlier = begin();
      await earlier.sendMessage({ text: "hello" });
      await stopped(earlier, once("slow"));
      const { conversationId } = earlier.lastMessage.metadata;
      const chat = begin(agent, { messages: JSON.parse(JSON.stringify(earlier.messages)) });
      await chat.regenerate();
      assert.equal(chat.error, undefined);
      assert.deepEqual(await stored(conversationId), said(chat));
      await chat.sendMessage({ text: "and more" });
      assert.deepEqual(await stored(conversationId), said(chat));
      assert.equal(chat.messages.length, 6);
    });

    test("a failure before the answer is told with its code", async () => {
      const failures = [];
      const lost = begin("nobody", { onError: (e) => failures.push(e) });
      await lost.sendMessage({ text: "hello" });
      assert.equal(lost.status, "error");
      assert.equal(JSON.parse(lost.error.message).error.code, "AGENT_NOT_FOUND");
      const refused = begin();
      await refused.sendMessage({ text: "[refuse]" });
      assert.equal(JSON.parse(refused.error.message).error.code, "CHAT_STREAMING_ERROR");
      assert.equal(failures.length, 1);
    });

    test("a failure in the answer keeps what was said before it", async () => {
      const chat = begin();
      await chat.sendMessage({ text: "[break]" });
      assert.equal(chat.status, "error");
      assert.match(chat.error.message, /answer/i);
      assert.equal(textOf(chat.lastMessage), "You said: [break]");
    });

    test("a tool runs at the client, and the answer goes on", async () => {
      const calls = [];
      const to = await agentWithTool();
      const chat = begin(to, { onToolCall: ({ toolCall }) => calls.push(toolCall) });
      await chat.sendMessage({ text: "[tool] Rome" });
      assert.equal(chat.error, undefined);
      assert.deepEqual(calls.map((call) => [call.toolName, call.input]), [["weather", { city: "Rome" }]]);
      const { toolCallId } = calls[0];
      const { conversationId } = chat.lastMessage.metadata;
      assert.equal(chat.lastMessage.metadata.finishReason, "tool-calls");
      const output = { degrees: 31 };
      await client.chat.toolResult({ agentId: to, conversationId }, { toolCallId, output });
      await (chat.addToolOutput ?? chat.addToolResult)({ tool: "weather", toolCallId, output });
      await chat.sendMessage();
      assert.equal(chat.error, undefined);
      assert.match(textOf(chat.lastMessage), /The tool says .*31/);
    });
  });
}

/** The texts of a chat. */
const said = (chat) => chat.messages.map(textOf);

/** The texts of a conversation, as the server has them. */
async function stored(conversationId) {
  return (await client.conversations.messages({ agentId: agent, conversationId })).data.map(textOf);
}

let tooled;
/** An agent that may call the client's tool "weather". */
function agentWithTool() {
  tooled ??= (async () => {
    const file = join(server.folder, "agent.yaml");
    writeFileSync(file, manifest);
    await server.run("apply", "-f", file, "--account", server.accountId);
    for await (const a of client.agents.all()) if (a.name === "Weather") return a.id;
  })();
  return tooled;
}

const manifest = `agent:
  key: weather
settings:
  name: Weather
actions:
  - key: weather
    kind: client
    name: weather
    description: Tells the weather of a city.
    inputs:
      - name: city
        type: string
        description: The city.
        required: true
`;
