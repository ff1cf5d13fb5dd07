// The package can be required where a program is CommonJS, and is the same client there.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as imported from "parley-client";
import { startServer } from "./server.js";

const required = createRequire(import.meta.url)("parley-client");

test("it has the same exports", () => {
  assert.deepEqual(Object.keys(required).sort(), Object.keys(imported).sort());
});

test("it talks to a server", async () => {
  const server = await startServer();
  try {
    const parley = new required.Parley({ baseURL: server.url, apiKey: server.apiKey });
    const { id } = await parley.agents.create({ name: "Shop" });
    assert.equal((await parley.agents.get(id)).name, "Shop");
    await assert.rejects(parley.agents.get("nobody"), (failure) => failure instanceof required.ParleyError && failure.code === "AGENT_NOT_FOUND");
  } finally {
    await server.stop();
  }
});
