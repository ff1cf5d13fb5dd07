// A whole call with the real program: `parley demo`, a spoken question, a spoken answer.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { launch, open, skip as noBrowser } from "./chromium.js";
import { spoken } from "./spoken.js";

const root = new URL("../../../", import.meta.url).pathname;
const question = "How do I back up Parley?";

const installed = (name) => (process.env.PATH ?? "").split(delimiter).some((folder) => {
  try {
    accessSync(join(folder, name), constants.X_OK);
    return true;
  } catch {
    return false;
  }
});
const skip = noBrowser || (installed("flite") || process.env.CI ? false : "SKIP: no flite on the PATH: no spoken question is asked in a browser");
if (skip && !noBrowser) console.error(skip);

describe("parley demo in a browser", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-call-"));
  let server, recognition, microphone;

  before(async () => {
    recognition = await recognize();
    server = await demo(folder, `http://127.0.0.1:${recognition.address().port}/v1`);
    microphone = spoken(folder, question, 7, 30); // after the greeting
  });
  after(async () => {
    await server?.stop();
    recognition?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (method, path, body) => {
    const reply = await fetch(`${server.url}/api/v2/agents/${server.agentId}${path}`, {
      method, headers: { Authorization: `Bearer ${server.apiKey}`, "Content-Type": "application/json" }, ...(body && { body: JSON.stringify(body) }),
    });
    assert.equal(reply.status, 200, await reply.clone().text());
    return reply.json();
  };

  const inBrowser = async (options, use) => {
    const browser = await launch(options);
    const page = await open(browser, server.url);
    const until = async (look) => {
      try {
        await page.waitForFunction(look, null, { polling: 50, timeout: 30_000 });
      } catch (error) {
        throw new Error(`${look} did not come true: heard for ${await page.evaluate(() => `${loud} ms; ${JSON.stringify(log)}`)}; ${page.problems}; ${server.log()}`, { cause: error });
      }
    };
    try {
      await use(page, until);
    } finally {
      await browser.close();
    }
  };

  test("a spoken question has a spoken answer, and both are kept", async () => {
    await inBrowser({ sound: microphone }, async (page, until) => {
      const given = await page.evaluate(async () => {
        const given = await session();
        await make().connect(given);
        return given;
      });
      await until(() => loud > 1000 && lines().some((l) => l.startsWith("assistant: Hello!")));
      await until(() => lines().includes("user: How do I back up Parley?"));
      await page.evaluate(() => (window.loud = 0));
      await until(() => loud > 1000 && lines().some((l) => l.startsWith("assistant: To back up Parley")));
      const states = await page.evaluate(() => told("agentState"));
      for (const state of ["initializing", "listening", "thinking", "speaking"]) assert.ok(states.includes(state), `${state} in ${states}`);
      await page.evaluate(() => voice.disconnect());
      assert.deepEqual(await page.evaluate(() => [told("sessionEnd"), told("error")]), [["client_left"], []]);
      const messages = await ask("GET", `/conversations/${given.conversationId}/messages`);
      const text = JSON.stringify(messages);
      assert.ok(text.includes(question) && text.includes("To back up Parley"), text);
    });
  });

  test("the longest duration ends a call, and the browser learns why", async () => {
    const { voiceSettings } = await ask("GET", "");
    await ask("PUT", "", { voiceSettings: { ...voiceSettings, maxCallDurationSeconds: 3 } });
    try {
      await inBrowser({ microphone: "refused" }, async (page, until) => {
        await page.evaluate(() => call());
        await until(() => told("sessionEnd").length > 0);
        assert.deepEqual(await page.evaluate(() => [told("sessionEnd"), told("connectionState").at(-1)]), [["max_duration"], "disconnected"]);
      });
    } finally {
      await ask("PUT", "", { voiceSettings: { ...voiceSettings, maxCallDurationSeconds: null } });
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

/** Runs `parley demo` until `stop`. */
async function demo(folder, speech) {
  const file = process.env.PARLEY_PROGRAM || join(folder, "parley");
  if (!process.env.PARLEY_PROGRAM) execFileSync("go", ["build", "-o", file, "./cmd/parley"], { cwd: root, stdio: "inherit" });
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, PARLEY_STT: "openai", PARLEY_STT_URL: speech, PARLEY_TTS: "flite" };
  const child = spawn(file, ["demo", "--listen", "127.0.0.1:0", "--json"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const ready = await new Promise((resolve, reject) => {
    gone.then((status) => reject(new Error(`the demo ended with ${status}:\n${log}`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
  };
  return { ...ready, stop, log: () => log.slice(-4000) };
}
