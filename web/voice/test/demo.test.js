// A whole call with the real program: `parley demo`, a spoken question, a spoken answer.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, open } from "./chromium.js";
import { startProgram } from "./program.js";
import { skip, spoken } from "./spoken.js";

const question = "How do I back up Parley?";

describe("parley demo in a browser", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-call-"));
  let server, recognition, microphone;

  before(async () => {
    recognition = await recognize();
    server = await startProgram(folder, { PARLEY_STT: "openai", PARLEY_STT_URL: `http://127.0.0.1:${recognition.address().port}/v1`, PARLEY_TTS: "flite" });
    microphone = spoken(folder, question, 12, 30); // after the greeting
  });
  after(async () => {
    await server?.stop();
    recognition?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const inBrowser = async (options, use) => {
    const browser = await launch(options);
    const page = await open(browser, server);
    try {
      await use(page);
    } finally {
      await browser.close();
    }
  };

  test("a spoken question has a spoken answer, and both are kept", async () => {
    await inBrowser({ sound: microphone }, async (page) => {
      const given = await page.evaluate(async () => {
        const given = await session();
        await make().connect(given);
        return given;
      });
      await page.until(() => loud > 1000 && lines().some((l) => l.startsWith("assistant: Hello!")));
      await page.until(() => lines().includes("user: How do I back up Parley?"));
      await page.evaluate(() => (window.loud = 0));
      await page.until(() => loud > 1000 && lines().some((l) => l.startsWith("assistant: To back up Parley")));
      const states = await page.evaluate(() => told("agentState"));
      for (const state of ["initializing", "listening", "thinking", "speaking"]) assert.ok(states.includes(state), `${state} in ${states}`);
      await page.evaluate(() => voice.disconnect());
      assert.deepEqual(await page.evaluate(() => [told("sessionEnd"), told("error")]), [["client_left"], []]);
      const messages = await server.ask("GET", `/conversations/${given.conversationId}/messages`);
      const text = JSON.stringify(messages);
      assert.ok(text.includes(question) && text.includes("To back up Parley"), text);
    });
  });

  test("the longest duration ends a call, and the browser learns why", async () => {
    const { voiceSettings } = await server.ask("GET", "");
    await server.ask("PUT", "", { voiceSettings: { ...voiceSettings, maxCallDurationSeconds: 20 } });
    try {
      await inBrowser({ microphone: "refused" }, async (page) => {
        await page.evaluate(() => call());
        await page.until(() => told("sessionEnd").length > 0);
        assert.deepEqual(await page.evaluate(() => [told("sessionEnd"), told("connectionState").at(-1)]), [["max_duration"], "disconnected"]);
      });
    } finally {
      await server.ask("PUT", "", { voiceSettings: { ...voiceSettings, maxCallDurationSeconds: null } });
    }
  });

  test("only the page has sessions made", async () => {
    const reply = await fetch(`${server.url}/demo/voice/session`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
    assert.equal(reply.status, 404);
  });
});

/** A speech server in OpenAI's wire format that always understands the question. */
async function recognize() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ text: question })));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}
