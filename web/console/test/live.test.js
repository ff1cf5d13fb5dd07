// What happens in the server is on the screen: cut streams, sleep, a killed server, several tabs; and two people who
// change the same agent. Against the real program.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip, untilNothing } from "./browser.js";
import { isLost, Program } from "./live-server.js";
import { owner, signUp } from "./server.js";

describe("live", { skip }, () => {
  const server = new Program();
  let browser, person;

  before(async () => {
    await server.start();
    [browser, person] = await Promise.all([launch(), signUp(server)]);
  });
  after(async () => {
    await browser?.close();
    await server.remove();
  });

  const open = async (path, use) => {
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    try {
      await page.goto(server.url + path);
      await use(page);
      assert.deepEqual([await page.reports(), page.problems.filter((one) => !isLost(one))], [[], []]);
    } finally {
      await page.context().close();
    }
  };
  const create = async (name) => (await person.call("POST", "/v2/agents", { name })).id;
  const live = (page) => page.getByText("live", { exact: true }).waitFor({ state: "attached" });
  const card = (page, name) => page.getByRole("main").getByRole("link", { name, exact: true }).waitFor();

  /** The names of the list are those of the server. */
  const isWhole = async (page) => {
    const { data } = await person.call("GET", "/v2/agents?limit=50");
    const names = data.map(({ name }) => name).sort();
    const shown = () => page.getByRole("main").getByRole("listitem").getByRole("link").allTextContents();
    const list = page.getByRole("main").getByRole("listitem").getByRole("link");
    for (const name of names) await list.filter({ hasText: name }).first().waitFor();
    assert.deepEqual((await shown()).sort(), names);
  };

  test("what others do appears, in every tab, over one stream", async () => {
    await create("First");
    await open("/agents", async (page) => {
      const streams = [];
      page.context().on("request", (r) => r.url().endsWith("/v1/events") && streams.push(r));
      await card(page, "First");
      await live(page);
      const other = await page.context().newPage();
      await other.goto(`${server.url}/agents`);
      await live(other);
      const id = await create("Second");
      await Promise.all([card(page, "Second"), card(other, "Second")]);
      assert.ok(streams.length <= 1, `${streams.length} streams`);
      await page.goto("about:blank"); // the other one goes on with a stream of its own
      await person.call("PUT", `/v2/agents/${id}`, { name: "Renamed" });
      await card(other, "Renamed");
      await isWhole(other);
      assert.ok(streams.length <= 2, `${streams.length} streams`);
    });
  });

  test("a stream that is cut, sleep and a killed server lose nothing", async () => {
    await open("/agents", async (page) => {
      await live(page);
      await page.context().setOffline(true);
      await create("While offline");
      await page.context().setOffline(false);
      await card(page, "While offline");
      await live(page);
      await server.kill();
      await page.getByText(/^offline since /).waitFor();
      await server.start();
      await create("After the restart");
      await page.getByRole("button", { name: "Try now" }).click({ timeout: 3000 }).catch(() => {}); // it may be back already
      await card(page, "After the restart");
      await live(page);
      await isWhole(page);
    });
  });

  test("after ten minutes of sleep the list is right", async () => {
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.clock.install();
    await page.context().addCookies([person.cookie]);
    let streams = 0;
    page.on("request", (r) => (streams += r.url().endsWith("/v1/events")));
    await page.goto(`${server.url}/agents`);
    await page.clock.runFor(1000);
    await card(page, "First");
    const began = streams;
    await create("Dreamt");
    await page.clock.fastForward(10 * 60_000);
    const missing = await untilNothing(async () => {
      await page.clock.runFor(500);
      return streams === began && "a new stream";
    });
    assert.equal(missing, null);
    await page.clock.runFor(2000);
    await card(page, "Dreamt");
    await isWhole(page);
    assert.deepEqual([await page.reports(), page.problems.filter((one) => !isLost(one))], [[], []]);
    await page.context().close();
  });

  test("two people change an agent: each setting is asked for once, and nothing else is lost", async () => {
    const id = await create("Help");
    await open(`/agents/${id}/settings`, async (page) => {
      const save = () => page.keyboard.press("Control+s");
      await page.getByLabel("Instructions").fill("Be kind.");
      await person.call("PUT", `/v2/agents/${id}`, { temp: 0.7 });
      await save();
      await page.getByText("Saved", { exact: true }).waitFor();
      assert.equal(await page.getByLabel("Creativity").inputValue(), "0.7");
      await page.getByLabel("Name", { exact: true }).fill("Mine");
      await person.call("PUT", `/v2/agents/${id}`, { name: "Theirs" });
      await save();
      const dialog = page.getByRole("alertdialog", { name: "Someone else has saved changes" });
      await dialog.getByRole("row", { name: "Name Mine Theirs" }).waitFor();
      await dialog.getByRole("button", { name: "Save mine" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      const { settings } = await person.call("GET", `/v1/agents/${id}/settings`);
      assert.deepEqual([settings.name, settings.instructions, settings.temp], ["Mine", "Be kind.", 0.7]);
      await page.getByLabel("Name", { exact: true }).fill("Mine again");
      await person.call("PUT", `/v2/agents/${id}`, { name: "Theirs again" });
      await save();
      await dialog.getByRole("button", { name: "Keep theirs" }).click();
      await page.waitForFunction(() => document.querySelector('[name="settings.name"]').value === "Theirs again");
      assert.equal(await page.getByRole("region", { name: "Changes that are not saved" }).count(), 0);
    });
  });

  test("leaving asks, and a session that has ended loses nothing", async () => {
    const id = await create("Careful");
    await open(`/agents/${id}/settings`, async (page) => {
      await page.getByLabel("Instructions").fill("A long text.");
      await page.getByRole("link", { name: "Agents", exact: true }).click();
      const question = page.getByRole("alertdialog", { name: "Changes are not saved" });
      await question.getByRole("button", { name: "Stay" }).click();
      assert.equal(await page.getByLabel("Instructions").inputValue(), "A long text.");
      await page.context().clearCookies();
      await page.keyboard.press("Control+s");
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      await dialog.getByLabel("E-mail").fill(owner.email);
      await dialog.getByLabel("Password").fill(owner.password);
      await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      const { settings } = await person.call("GET", `/v1/agents/${id}/settings`);
      assert.equal(settings.instructions, "A long text.");
      await page.getByLabel("Instructions").fill("Another.");
      await page.getByRole("link", { name: "Agents", exact: true }).click();
      await question.getByRole("button", { name: "Leave" }).click();
      await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    });
  });
});
