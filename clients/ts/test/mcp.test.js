// The official clients of the Model Context Protocol list the tools and call them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Parley } from "../dist/index.js";
import { startModel } from "./model.js";
import { makeAgent, startServer, until } from "./server.js";

let model, server, url, agent;

before(async () => {
  model = await startModel();
  server = await startServer({ model: model.url });
  url = `${server.url}/api/mcp`;
  agent = await makeAgent(new Parley({ baseURL: server.url, apiKey: server.apiKey }), "We open at nine.");
});
after(async () => {
  await server?.stop();
  await model?.stop();
});

const about = { name: "tests", version: "1" };
const clients = {
  "TypeScript SDK 1": (key) => [new Client(about), new StreamableHTTPClientTransport(new URL(url), withKey(key))],
  "TypeScript SDK 2": (key) => [new NewClient(about), new NewTransport(new URL(url), withKey(key))],
  "TypeScript SDK 2, looking for the newest protocol": (key) => [new NewClient(about, { versionNegotiation: { mode: "auto" } }), new NewTransport(new URL(url), withKey(key))],
};
const withKey = (key) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

for (const [name, make] of Object.entries(clients)) {
  test(name, async () => {
    const [client, transport] = make(server.apiKey);
    await client.connect(transport);
    try {
      const { tools } = await client.listTools();
      assert.equal(tools.length, 27);
      assert.ok(tools.every((tool) => tool.name.startsWith("service_") && tool.inputSchema.type === "object" && tool.outputSchema && tool.annotations));
      // Having listed the tools, the client checks each result against its tool's schema.
      const call = (tool, args = {}) => client.callTool({ name: `service_${tool}`, arguments: args });
      assert.equal((await call("whoami")).structuredContent.workspace.id, server.accountId);
      assert.equal((await call("get_agent", { agentId: agent })).structuredContent.name, "Shop");
      assert.equal((await call("list_agents")).structuredContent.data.length, 1);
      assert.equal((await call("list_sources", { agentId: agent })).structuredContent.data[0].name, "Handbook");
      assert.equal((await call("get_sources_summary", { agentId: agent })).structuredContent.texts.count, 1);
      const answer = (await call("chat", { agentId: agent, message: `Hello from ${name}` })).structuredContent.data;
      assert.equal(answer.parts[0].text, `You said: Hello from ${name}`);
      const { conversationId } = answer.metadata;
      const searches = [{ agentId: agent, userId: "nobody" }, { agentId: agent, query: "hello" }, { agentId: "none" }, { agentId: agent, limit: 99 }];
      const { results } = await until("the search knows it", async () => {
        const found = (await call("search_conversations", { searches })).structuredContent;
        if (found.results[1].data?.some((each) => each.id === conversationId)) return found;
        await new Promise((resolve) => setTimeout(resolve, 500)); // an account has ten searches a second
      });
      assert.equal(results.length, 4);
      assert.deepEqual(results[0], { data: [], pagination: { cursor: null, hasMore: false } });
      assert.equal(results[2].error.code, "AGENT_NOT_FOUND");
      assert.equal(results[3].error.details.limit, "must be from 1 to 25");
      const [exported] = (await call("export_conversations", { agentId: agent, conversationId, include: "messages" })).structuredContent.data;
      assert.equal(exported.messages.length, 2);

      const { ticketNumber, assigneeId } = (await call("create_ticket", { agentId: agent, subject: name, description: "It is broken.", customer: { email: "jo@example.com" } })).structuredContent;
      assert.equal(assigneeId, null);
      const changed = await call("update_ticket", { agentId: agent, ticketNumber, statusCategory: "closed", priority: "high" });
      assert.equal(changed.structuredContent.statusCategory, "closed");
      const [listed] = (await call("list_tickets", { agentId: agent, status: ["closed"], includeMessages: true })).structuredContent.data;
      assert.deepEqual([listed.ticketNumber, listed.messages.length], [ticketNumber, 1]);
      assert.equal((await call("get_ticket", { agentId: agent, ticketNumber })).structuredContent.priority, "high");
      assert.equal((await call("list_ticket_messages", { agentId: agent, ticketNumber })).structuredContent.data[0].contentText, "It is broken.");

      const six = await call("search_conversations", { searches: Array(6).fill({ agentId: agent }) });
      assert.ok(six.isError && six.content[0].text.includes("VALIDATION_INVALID_BODY"));
      const none = await call("get_agent", { agentId: "none" });
      assert.ok(none.isError && none.content[0].text.includes("AGENT_NOT_FOUND"));
      await assert.rejects(call("nothing"));
    } finally {
      await client.close();
    }
  });

  test(`${name} with a wrong key`, async () => {
    const [client, transport] = make("wrong");
    await assert.rejects(client.connect(transport), /AUTH_INVALID_API_KEY|unauthorized|401/i);
    await client.close();
  });
}

const inspector = new URL("../node_modules/@modelcontextprotocol/inspector/", import.meta.url).pathname;

/** Runs the Inspector in its command-line mode and returns what it prints. */
async function inspect(...words) {
  const bin = (await import(`${inspector}package.json`, { with: { type: "json" } })).default.bin["mcp-inspector"];
  const args = [inspector + bin, "--cli", url, "--transport", "http", "--header", `Authorization: Bearer ${server.apiKey}`, ...words];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, HOME: server.folder } })).stdout);
}

test("Inspector", async () => {
  const { tools } = await inspect("--method", "tools/list");
  assert.equal(tools.length, 27);
  const me = await inspect("--method", "tools/call", "--tool-name", "service_whoami");
  assert.equal(me.structuredContent.workspace.id, server.accountId);
  const searches = JSON.stringify([{ agentId: agent, userId: "nobody" }]);
  const found = await inspect("--method", "tools/call", "--tool-name", "service_search_conversations", "--tool-arg", `searches=${searches}`);
  assert.deepEqual(found.structuredContent.results[0].data, []);
});
