// The chat of the AI SDK, in every version that is supported, against the real server and a scripted model.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Parley } from "../dist/index.js";
import { agentChat, chatOf, textOf } from "./aisdk.js";
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
    const begin = (to = agent, options = {}) => chatOf(sdk, { ...agentChat(sdk, { api: server.api, agent: to, apiKey: server.apiKey }), ...options });

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
      const began = Date.now();
      await chat.sendMessage({ text: "again" });
      assert.equal(chat.error, undefined);
      assert.equal(textOf(chat.lastMessage), "You said: again");
      assert.ok(Date.now() - began < 1500, `it took ${Date.now() - began} ms`);
      await until("the model is left alone", () => model.requests[asked].cut);
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
