// The example of the README runs as it is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { startServer } from "./server.js";

test("examples/chat.mjs", async (t) => {
  const server = await startServer();
  t.after(() => server.stop());
  const file = new URL("../examples/chat.mjs", import.meta.url).pathname;
  const env = { ...process.env, PARLEY_BASE_URL: server.url, PARLEY_API_KEY: server.apiKey };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  assert.match(stdout, /noon/);
  assert.match(stdout, /from Opening hours; credits: 1/);
});

test("examples/voice.mjs", async (t) => {
  const server = await startServer();
  t.after(() => server.stop());
  const file = new URL("../examples/voice.mjs", import.meta.url).pathname;
  const env = { ...process.env, PARLEY_BASE_URL: server.url, PARLEY_API_KEY: server.apiKey };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  const session = JSON.parse(stdout);
  assert.equal(session.userId, "customer-8421");
  assert.ok(session.participantToken && session.roomName.endsWith(`${session.conversationId}-${session.sessionId}`), stdout);
});
