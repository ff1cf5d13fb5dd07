// Sources that are read while somebody looks on, against the real program: what is on the screen is what the server has.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { signUp, startServer } from "./server.js";

describe("training", { skip }, () => {
  let browser, server, person;
  before(async () => {
    server = await startServer();
    [browser, person] = await Promise.all([launch(), signUp(server)]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("texts that others add, change and delete are there by events", async () => {
    const { id } = await person.call("POST", "/v2/agents", { name: "Help" });
    const at = `/v2/agents/${id}/sources`;
    const add = (name) => person.call("POST", at, { type: "text", name, content: `# ${name}\n\nParcels come on Monday.` });
    const page = await newPage(browser, server.origin, { locale: "en", viewport: { width: 1280, height: 2400 } });
    page.setDefaultTimeout(60_000);
    await page.context().addCookies([person.cookie]);
    await page.goto(`${server.url}/agents/${id}/sources`);
    await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
    const row = (name) => page.getByRole("row", { name: new RegExp(name) });
    const first = await add("Parcels");
    await row("Parcels").getByText("Live", { exact: true }).waitFor();
    await page.context().setOffline(true);
    for (let i = 0; i < 20; i++) await add(`Text ${i} of many`);
    await person.call("PUT", `${at}/${first.id}`, { name: "Letters" });
    await page.context().setOffline(false);
    await row("Letters").getByText("Live", { exact: true }).waitFor();
    await page.getByRole("grid").and(page.locator('[aria-rowcount="22"]')).waitFor();
    await page.waitForFunction(() => !/Reading|Updating/.test(document.querySelector("[role=grid]").textContent));
    await person.call("DELETE", `${at}/${first.id}`);
    await row("Letters").waitFor({ state: "detached" });
    const { data } = await person.call("GET", `/v1/agents/${id}/sources?limit=100`);
    const shown = await page.getByRole("row").locator("bdi").allTextContents();
    const names = data.map(({ name }) => name);
    assert.equal(names.length, 20);
    assert.ok(shown.length > 0 && shown.every((name) => names.includes(name)), shown.join());
    assert.deepEqual([await page.reports(), page.problems.filter((text) => !/ERR_INTERNET|ERR_NETWORK/.test(text))], [[], []]);
    await page.context().close();
  });
});
