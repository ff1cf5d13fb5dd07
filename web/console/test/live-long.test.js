// The live view over a longer time, where PARLEY_LONG is set: a stream that is cut after each of its events, and a
// thousand events that are missed. What is on the screen is what the server holds in the end.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip, untilNothing } from "./browser.js";
import { cutBefore } from "./live-server.js";
import { signUp, startServer } from "./server.js";

const isLong = Boolean(process.env.PARLEY_LONG);

describe("live, for long", { skip: skip || (isLong ? false : "PARLEY_LONG is not set") }, () => {
  const state = { most: Infinity, streams: 0 };
  let server, front, browser, person;
  before(async () => {
    server = await startServer();
    [front, browser, person] = await Promise.all([cutBefore(server.origin, state), launch(), signUp(server)]);
  });
  after(async () => {
    await browser?.close();
    front?.stop();
    await server?.stop();
  });

  const create = async (name) => (await person.call("POST", "/v2/agents", { name })).id;
  const rename = (id, name) => person.call("PUT", `/v2/agents/${id}`, { name });
  const live = (page) => page.getByText("live", { exact: true }).waitFor({ state: "attached" });
  const isWhole = async (page) => {
    const { data } = await person.call("GET", "/v2/agents?limit=50");
    const names = data.map(({ name }) => name).sort();
    const shown = () => page.getByRole("main").getByRole("listitem").getByRole("link").allTextContents();
    await untilNothing(async () => (await shown()).sort().join() !== names.join());
    assert.deepEqual((await shown()).sort(), names);
  };
  const open = async (use) => {
    const page = await newPage(browser, front.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    try {
      await page.goto(`${front.url}/agents`);
      await use(page);
      assert.deepEqual(await page.reports(), []);
    } finally {
      await page.context().close();
    }
  };

  test("a stream that is cut after each of its events", async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await create(`Agent ${i}`));
    await open(async (page) => {
      await live(page);
      for (let most = 1; most <= 20; most++) {
        const before = state.streams;
        state.most = most;
        for (let i = 0; i < most + 3; i++) await rename(ids[i % 3], `Cut ${most} ${i}`);
        state.most = Infinity;
        await isWhole(page);
        assert.ok(state.streams >= before);
      }
      assert.ok(state.streams > 5, `${state.streams} streams`);
    });
  });

  test("a thousand events that are missed", async () => {
    const id = await create("Changed often");
    await open(async (page) => {
      await live(page);
      await page.context().setOffline(true);
      for (let i = 0; i < 1_000; i++) await rename(id, `Change ${i}`);
      await page.context().setOffline(false);
      await page.getByRole("main").getByRole("link", { name: "Change 999", exact: true }).waitFor();
      await live(page);
      await isWhole(page);
    });
  });
});
