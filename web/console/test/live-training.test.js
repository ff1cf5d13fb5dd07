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

  test("a text, an answer and a website are changed on the screen, and the server has it", async () => {
    const { id } = await person.call("POST", "/v2/agents", { name: "Changed" });
    const at = `/v2/agents/${id}/sources`;
    const add = async (source) => (await person.call("POST", at, source)).id;
    const text = await add({ type: "text", name: "Parcels", content: "Parcels come on Monday." });
    const answer = await add({ type: "qna", name: "Open?", questions: ["Open?"], answer: "From nine to five." });
    const site = await add({ type: "link", url: "http://127.0.0.1:9/", linkType: "crawl" });
    const details = (source) => person.call("GET", `/v1/agents/${id}/sources/${source}`);
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    for (const [source, label, value] of [
      [text, "Text", "Parcels come on Friday."],
      [answer, "Answer", "From ten to six."],
      [site, "Leave out pages that match", "^/cart"],
    ]) {
      await page.goto(`${server.url}/agents/${id}/sources/${source}?tab=settings`);
      await page.getByRole("textbox", { name: label, exact: true }).fill(value);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.").waitFor();
    }
    const { versions } = await person.call("GET", `/v1/agents/${id}/sources/${text}/versions`);
    const written = await person.call("GET", `/v1/agents/${id}/sources/${text}/text?version=${versions[0].version}`);
    assert.equal(written.text, "Parcels come on Friday.");
    assert.deepEqual([(await details(text)).name, (await details(answer)).answer], ["Parcels", "From ten to six."]);
    assert.deepEqual((await details(site)).metadata.excludePaths, ["^/cart"]);
    assert.deepEqual([await page.reports(), page.problems], [[], []]);
    await page.context().close();
  });
});
