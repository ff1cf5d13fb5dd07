// Prism is between the client and the server and holds both to the OpenAPI document.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { Parley } from "../dist/index.js";
import { makeAgent, startServer } from "./server.js";

let server, prism, client;
const calls = []; // what prism had to say of each

before(async () => {
  server = await startServer();
  const file = join(server.folder, "openapi.json");
  writeFileSync(file, await (await fetch(`${server.url}/openapi.json`)).text());
  const bin = new URL("../node_modules/.bin/prism", import.meta.url).pathname;
  prism = spawn(bin, ["proxy", "--host", "127.0.0.1", "--port", "0", file, server.api], { stdio: ["ignore", "pipe", "inherit"] });
  let origin;
  for await (const line of createInterface({ input: prism.stdout })) if ((origin = /listening on (http:\S+\d)/.exec(line)?.[1])) break;
  prism.stdout.resume();
  const through = async (url, init) => {
    const response = await fetch(url.replace(server.api, origin), init); // prism takes the paths of the document
    const violations = response.headers.get("sl-violations");
    calls.push(`${init.method} ${new URL(url).pathname} ${violations ?? "fine"}`);
    return response;
  };
  client = new Parley({ baseURL: server.url, apiKey: server.apiKey, fetch: through });
});
after(async () => {
  prism?.kill();
  await server?.stop();
});

test("prism has nothing to say about a day's work", async () => {
  await client.health();
  await client.me();
  const agentId = await makeAgent(client, "On Saturdays the shop closes at noon.");
  await client.agents.update(agentId, { temp: 0.5, ipRateLimits: { limit: 30 } });
  await client.agents.updateStyles(agentId, { styles: { chat: { theme: "dark" } } });
  await client.agents.setAutoRetrain(agentId, { enabled: true });
  await client.agents.get(agentId);
  await client.agents.list({ limit: 5 });
  const answer = await client.chat.send(agentId, { message: "When does the shop close on Saturdays?", userId: "jo" });
  const path = { agentId, conversationId: answer.metadata.conversationId };
  await (await client.chat.stream(agentId, { message: "And on weekdays?", conversationId: path.conversationId })).final();
  const again = await client.chat.retry(path, { messageId: answer.id });
  await client.conversations.rate({ ...path, messageId: again.id }, "positive");
  await client.conversations.pause(path);
  await client.conversations.pause(path, false);
  await client.conversations.get(path);
  await client.conversations.messages(path, { limit: 1 });
  await client.conversations.list(agentId);
  await client.conversations.ofUser(agentId, "jo");
  await client.conversations.export(agentId);
  await client.agents.train(agentId);
  const copy = await client.agents.clone(agentId);
  await client.agents.delete(copy.id);
  for await (const source of client.sources.all(agentId)) await client.sources.delete(agentId, source.id);
  await client.agents.delete(agentId);
  await assert.rejects(client.agents.get(agentId), { code: "AGENT_NOT_FOUND" });
  assert.deepEqual(calls.filter((call) => !call.endsWith(" fine")), []);
  assert.ok(calls.length > 25);
});
