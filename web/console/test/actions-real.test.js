// An action is added, tried, fails and works in the browser, against the real program and a service; a procedure runs it
// step by step. Its secret is in no answer, page, log or file.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { signUp, startServer } from "./server.js";

const secret = "sk-of-the-action-0123456789abcdef";

/** Stands for a shop. While `isFailing` it refuses with the key that it was sent, as some do. */
class Shop {
  isFailing = false;
  requests = [];

  async start() {
    this.server = createServer((request, response) => {
      const { method, url, headers } = request;
      this.requests.push({ method, url, key: headers.authorization });
      response.writeHead(this.isFailing ? 401 : 200, { "Content-Type": "application/json" });
      const order = { status: "sent", customer: "Jo", key: headers.authorization };
      response.end(JSON.stringify(this.isFailing ? { error: `wrong key: ${headers.authorization}` } : order));
    });
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }
}

const allFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));

describe("an action, with the real program", { skip }, () => {
  const shop = new Shop();
  let browser, server, person, agent;
  before(async () => {
    await shop.start();
    server = await startServer({ env: { PARLEY_SECRET_KEY: "a secret of the tests, long enough", PARLEY_FETCH_ALLOW: "127.0.0.1" }, keepLog: true });
    [browser, person] = await Promise.all([launch(), signUp(server)]);
    agent = (await person.call("POST", "/v2/agents", { name: "Help desk" })).id;
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    shop.server?.close();
  });

  test("added, tried, failing, working again, run by a procedure, removed; the secret is nowhere", async () => {
    const told = [];
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    page.context().on("response", (r) => r.url().includes("/v1/events") || told.push(r.text().catch(() => "")));
    const address = `${server.url}/agents/${agent}/actions`;
    const section = (name) => page.locator("main section").filter({ has: page.getByRole("heading", { name, exact: true }) });
    const trial = section("Try it");
    await page.goto(address);

    await page.getByText("This agent has no actions yet").waitFor();
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("menuitem", { name: "Call a service" }).click();
    await page.getByLabel("Name", { exact: true }).fill("track_order");
    await page.getByLabel("When to use it").fill("Looks up where an order is.");
    await page.getByRole("button", { name: "Add an input" }).click();
    await section("Inputs").getByLabel("Name", { exact: true }).fill("number");
    await page.getByLabel("Address").fill(`${shop.url}/orders/{number}`);
    await page.getByRole("button", { name: "Add a header" }).click();
    const header = page.getByRole("group", { name: "Headers" });
    await header.getByLabel("Name").fill("Authorization");
    await header.getByLabel("Value").fill("Bearer ${SHOP_KEY}");
    await page.getByLabel("What the model may see").fill("status");
    await page.getByRole("textbox", { name: "SHOP_KEY" }).fill(secret);
    await trial.getByLabel("number").fill("4711");
    await trial.getByRole("button", { name: "Try it now" }).click();
    await trial.getByText(/^The service answered 200 within/).waitFor();
    assert.match(await trial.getByRole("region", { name: "Request, as it was sent" }).textContent(), /orders\/4711[^]*Authorization: Bearer \*\*\*/);
    assert.match(await trial.getByRole("region", { name: "Reply" }).textContent(), /"customer": "Jo"[^]*"Bearer \*\*\*"/);
    assert.doesNotMatch(await trial.getByRole("region", { name: "What the model would get" }).textContent(), /Jo/);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "track_order" }).waitFor();

    await page.reload();
    await page.getByText(/^Set on .+ by .+ A value is stored\./).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "SHOP_KEY" }).inputValue(), "");
    shop.isFailing = true;
    await trial.getByLabel("number").fill("4712");
    await trial.getByRole("button", { name: "Try it now" }).click();
    await trial.getByText(/^The service answered 401/).waitFor();
    await trial.getByText("The service refused it, or has a fault of its own.").waitFor();
    await page.getByLabel("Address").fill(`${shop.url.replace("127.0.0.1", "localhost")}/orders/{number}`);
    await page.keyboard.press("Control+s");
    await page.getByText("Give it again: the address leads to another host").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    shop.isFailing = false;
    await page.getByLabel("When to use it").fill("Looks up an order.");
    await page.keyboard.press("Control+s");
    await page.getByText("Saved", { exact: true }).waitFor();

    await page.goto(`${address}/new/procedure`);
    await page.getByLabel("Name", { exact: true }).fill("refund");
    await page.getByLabel("When to use it").fill("Starts a refund.");
    await page.getByRole("button", { name: "Say something" }).click();
    await page.getByLabel("What the customer is told").fill("I am looking.");
    await page.getByRole("button", { name: "Run an action" }).click();
    await section("Steps").getByLabel("number").fill("4713");
    await trial.getByRole("button", { name: "Run step 1" }).click();
    await trial.getByText("I am looking.").waitFor();
    await trial.getByRole("button", { name: "Run step 2" }).click();
    await trial.getByText(/^The service answered 200/).waitFor();
    await trial.getByText("The procedure is completed.").waitFor();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "refund" }).waitFor();
    assert.deepEqual(shop.requests.map(({ url, key }) => [url, key]), ["4711", "4712", "4713"].map((n) => [`/orders/${n}`, `Bearer ${secret}`]));

    await page.goto(address);
    await page.getByRole("switch", { name: "On: track_order" }).press("Space");
    await page.getByText("The procedure refund runs it, and would not work any more.").waitFor();
    await page.getByRole("switch", { name: "On: refund" }).press("Space");
    await page.getByRole("switch", { name: "On: refund", checked: false }).waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await page.getByRole("link", { name: "refund" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { level: 3, name: "track_order" }).waitFor();
    await page.getByRole("heading", { level: 3, name: "refund" }).waitFor({ state: "detached" });

    assert.deepEqual([await page.reports(), page.problems], [[], []]);
    const answered = await Promise.all(told);
    await page.context().close();
    const files = allFiles(server.data).map((file) => readFileSync(file, "latin1"));
    const all = { answers: answered.join("\n"), log: server.log(), files: files.join("\n") };
    for (const [name, text] of Object.entries(all)) {
      assert.ok(text.length > 0, `there are no ${name}`);
      assert.ok(!text.includes(secret), `the secret is in the ${name}`);
    }
  });
});
