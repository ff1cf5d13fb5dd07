// A server of models is connected, tested, fails, works again and is removed, in the browser and against the real
// program; its key is in no answer, page, log or file.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { signUp, startServer } from "./server.js";

const key = "sk-of-the-browser-0123456789abcdef";

/** Stands for a server of models. It refuses with what it was sent, as some do, while `isFailing`. */
class Stub {
  isFailing = false;
  keys = [];

  async start() {
    this.server = createServer((request, response) => this.#answer(request, response));
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
  }

  async #answer(request, response) {
    for await (const _ of request);
    this.keys.push(request.headers.authorization);
    if (this.isFailing) {
      response.writeHead(401, { "Content-Type": "application/json" });
      return response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }));
    }
    const chunks = [{ delta: { content: "Mine says so." } }, { delta: {}, finish_reason: "stop" }];
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const choice of chunks) response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
    response.end("data: [DONE]\n\n");
  }
}

const allFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));

describe("a server of models, with the real program", { skip }, () => {
  const stub = new Stub();
  let browser, server, person;
  before(async () => {
    await stub.start();
    server = await startServer({ env: { PARLEY_SECRET_KEY: "a secret of the tests, long enough", PARLEY_FETCH_ALLOW: "127.0.0.1" }, keepLog: true });
    [browser, person] = await Promise.all([launch(), signUp(server)]);
    await person.call("POST", "/v2/agents", { name: "Help desk" });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    stub.server?.close();
  });

  test("connected, tested, failing, working again, removed; the key is nowhere", async () => {
    const told = [];
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    page.context().on("response", (r) => r.url().includes("/v1/events") || told.push(r.text().catch(() => "")));
    await page.goto(`${server.url}/workspace/models`);

    await page.getByText("No model server is connected").waitFor();
    await page.getByRole("button", { name: "Connect a server" }).click();
    await page.getByRole("menuitem", { name: "Answers" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await page.getByLabel("Base URL").fill(stub.url);
    await page.getByLabel("API key").fill(key);
    await page.getByLabel("Model", { exact: true }).fill("m-1");
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("It works, and answered within").waitFor();
    await page.getByText("Mine says so.").waitFor();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("answers for 1 agent").waitFor();
    await page.getByText("Not asked yet").waitFor();

    const other = await page.context().newPage(); // follows by events alone
    await other.goto(page.url());
    await other.getByText("live", { exact: true }).waitFor({ state: "attached" });
    stub.isFailing = true;
    await page.getByRole("button", { name: "Test: Mine" }).click();
    await page.getByText("It does not work.").waitFor();
    await page.getByText("The server does not accept the key.").waitFor();
    await other.getByText(/^Failing since/).waitFor();
    await other.getByText("The server does not accept the key.").waitFor();

    await other.getByRole("link", { name: "Mine" }).click();
    await other.getByText(/^Set on .+ by .+ A key is stored\./).waitFor();
    assert.equal(await other.getByLabel("API key").inputValue(), "");
    stub.isFailing = false;
    await page.getByRole("button", { name: "Test: Mine" }).click();
    await other.getByText(/^Works since/).waitFor();
    await other.getByLabel("Name", { exact: true }).fill("Ours");
    await other.keyboard.press("Control+s");
    await other.getByText("Saved", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Ours" }).waitFor();
    for (const one of [page, other]) assert.ok(!(await one.content()).includes(key));
    assert.ok(stub.keys.length >= 3 && stub.keys.every((sent) => sent === `Bearer ${key}`));

    await other.getByRole("button", { name: "Remove" }).click();
    const question = other.getByRole("alertdialog", { name: "Remove: Ours" });
    await question.getByText("It answers for 1 agent now.").waitFor();
    await question.getByRole("button", { name: "Remove" }).click();
    for (const one of [page, other]) await one.getByText("No model server is connected").waitFor();
    assert.deepEqual([await page.reports(), page.problems], [[], []]);
    const answered = await Promise.all(told);
    assert.ok(answered.some((text) => text.includes('"lastError":"the provider answered 401')), "the failure was told");
    await page.context().close();

    const files = allFiles(server.data).map((file) => readFileSync(file, "latin1"));
    const all = { answers: answered.join("\n"), log: server.log(), files: files.join("\n") };
    for (const [name, text] of Object.entries(all)) {
      assert.ok(text.length > 0, `there are no ${name}`);
      assert.ok(!text.includes(key), `the key is in the ${name}`);
    }
  });
});
