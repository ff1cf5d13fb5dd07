// Somebody is invited and becomes an owner, a key is made, used and revoked, and the audit chain has it all: in the
// browser and against the real program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { owner, signUp, startServer } from "./server.js";

describe("the workspace, with the real program", { skip }, () => {
  let browser, server, person;
  before(async () => {
    server = await startServer();
    [browser, person] = await Promise.all([launch(), signUp(server)]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("members, keys and audit", async () => {
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    const row = (name) => page.getByRole("main").getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
    await page.goto(`${server.url}/workspace/members`);
    await row(owner.name).getByText("The only owner who can sign in").waitFor();

    await page.getByRole("button", { name: "Invite" }).first().click();
    await page.getByLabel("E-mail").fill("lee@shop.example");
    await page.getByRole("radio", { name: /^Owner/ }).press("Space");
    await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
    const link = await page.getByRole("dialog").locator("pre").textContent();
    await page.getByRole("button", { name: "Done" }).click();
    const other = await newPage(browser, server.origin, { locale: "en" });
    await other.goto(link);
    await other.locator("[name=name]").fill("Lee");
    await other.locator("[name=password]").fill(owner.password);
    await other.locator("button[type=submit]").click();
    await row("Lee").waitFor(); // by itself
    await page.getByText("Nobody is invited at the moment.").waitFor();
    assert.equal(await page.getByText("The only owner who can sign in").count(), 0);

    await page.goto(`${server.url}/workspace/keys`);
    await page.getByRole("button", { name: "New key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("Shop system");
    await page.getByRole("button", { name: "Create the key" }).click();
    const key = await page.getByRole("dialog").locator("pre").textContent();
    const use = () => fetch(`${server.origin}/api/v2/agents`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal((await use()).status, 200);
    await page.getByRole("checkbox", { name: "I have stored it" }).press("Space");
    await page.getByRole("button", { name: "Done" }).click();
    await row("Shop system").getByText(`created by ${owner.email}`).waitFor();
    await page.getByRole("button", { name: "Revoke: Shop system" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await row("Shop system").waitFor({ state: "detached" });
    assert.equal((await use()).status, 401);

    await page.goto(`${server.url}/workspace/audit?action=key.create`);
    await page.getByText("Created the API key Shop system").first().waitFor();
    await page.getByRole("button", { name: "Check the chain" }).click();
    await page.getByText(/Nothing was changed: all \d+ entries fit/).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "JSON lines" }).click();
    const rows = readFileSync(await (await saved).path(), "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(rows.map(({ action }) => action), ["key.create"]);

    await page.goto(`${server.url}/workspace/server`);
    await row("Database").getByText(/Answers within/).waitFor();
    await row("Disk").getByText(/are free where the data is/).waitFor();

    await page.goto(`${server.url}/workspace/general`);
    await page.locator("[name=name]").fill("Shop and more");
    await page.keyboard.press("Control+s");
    await page.getByText("Saved", { exact: true }).waitFor();
    const [company] = await person.call("GET", "/v1/accounts");
    assert.equal(company.name, "Shop and more");
    assert.ok(!JSON.stringify(rows).includes(key));
    assert.deepEqual([await page.reports(), page.problems], [[], []]);
  });
});
