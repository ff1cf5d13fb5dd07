// A webhook is added, tried, changed, switched off and removed, what it sent is seen and sent again, and what an answer
// cost is counted: in the browser and against the real program.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { signUp, startServer } from "./server.js";

describe("webhooks and usage, with the real program", { skip }, () => {
  let browser, server, person, endpoint, page;
  const received = [];
  let status = 500;
  before(async () => {
    endpoint = createServer((request, answer) => {
      received.push(request.headers);
      endpoint.emit("delivery");
      request.resume().on("end", () => answer.writeHead(status).end());
    });
    await new Promise((done) => endpoint.listen(0, "127.0.0.1", done));
    server = await startServer({ env: { PARLEY_SECRET_KEY: "a key of the tests, long enough", PARLEY_FETCH_ALLOW: "127.0.0.1" } });
    [browser, person] = await Promise.all([launch(), signUp(server)]);
    page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    endpoint?.close();
  });
  const main = () => page.getByRole("main");
  const choose = async (name) => {
    await main().getByRole("button", { name: /^More:/ }).click();
    await page.getByRole("menuitem", { name }).click();
  };

  test("a webhook", async () => {
    await page.goto(`${server.url}/workspace/webhooks`);
    await page.getByText("No webhooks yet").waitFor();
    await main().getByRole("button", { name: "Add a webhook" }).click();
    await page.getByLabel("Address").fill(`http://127.0.0.1:${endpoint.address().port}/in`);
    await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
    const secret = await page.getByRole("dialog").locator("pre").textContent();
    assert.match(secret, /^whsec_/);
    await page.getByRole("button", { name: "Done" }).click();
    await choose("Send a test");
    await main().getByText("answered with status 500").waitFor(); // by itself
    assert.equal(received[0]["x-parley-event"], "webhook.test");
    status = 200;
    await page.getByRole("link", { name: "All webhooks" }).click();
    await choose("Make a new secret");
    await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: "Make a new secret" }).click();
    assert.notEqual(await page.getByRole("dialog").locator("pre").textContent(), secret);
    await page.getByRole("button", { name: "Done" }).click();
    await choose("Send a test");
    const delivered = main().getByRole("listitem").filter({ hasText: "Delivered" });
    await delivered.waitFor();
    await delivered.getByRole("button", { name: /^What was sent/ }).click();
    await delivered.getByRole("region", { name: /^What was sent/ }).getByText("eventType").waitFor();
    const again = once(endpoint, "delivery");
    await delivered.getByRole("button", { name: /^Send again/ }).click();
    await again;
    await main().getByText("answered with status 200").waitFor();
    await page.getByRole("link", { name: "All webhooks" }).click();
    await choose("Switch off");
    await main().getByText("Off: nothing is sent").waitFor();
    await choose("Switch on");
    await main().getByText("Off: nothing is sent").waitFor({ state: "detached" });
    await choose("Change");
    await page.getByLabel("Address").fill("https://shop.example/hooks?key=private");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await main().getByRole("heading", { name: "https://shop.example/hooks?key=private" }).waitFor();
    await choose("Remove");
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No webhooks yet").waitFor();
    await page.goto(`${server.url}/workspace/audit`);
    const acts = ["Added the webhook", "Sent a test to the webhook", "Made a new secret for the webhook", "Changed the webhook", "Removed a webhook"];
    for (const act of acts) await main().getByRole("listitem").filter({ hasText: act }).first().waitFor();
    assert.ok(!(await main().textContent()).includes("key=private"));
  });

  test("plan and usage", async () => {
    await page.goto(`${server.url}/workspace/usage`);
    await page.getByText("No credits were used.").waitFor();
    await page.getByRole("heading", { name: "Plan: unlimited" }).waitFor();
    for (const [table, head] of [["By agent", "day,agentId,agent,credits"], ["By model", "day,kind,model,credits,charges"]]) {
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export (CSV)" }).click();
      await page.getByRole("menuitem", { name: table }).click();
      assert.equal(readFileSync(await (await saved).path(), "utf8"), `${head}\n`);
    }
    assert.deepEqual([await page.reports(), page.problems], [[], []]);
  });
});
