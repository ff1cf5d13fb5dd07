// A screen whose program does not arrive: the server is down for a while, or has another version by now.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { freePort } from "../../shared/test/port.mjs";
import { agents, answers } from "./answers.js";
import { launch, newPage, skip } from "./browser.js";
import { serveBefore } from "./proxy.js";
import { serve } from "./serve.js";
import { signUp, startServer } from "./server.js";

const built = process.env.PARLEY_CONSOLE_BUILD;
const title = "This screen cannot be shown";
// What a browser says of a server that is not there, and React of a screen that threw.
const isExpected = (problem) => /net::ERR_|LoadError|status of 404/.test(problem);

describe("outage", { skip }, () => {
  let browser, server, person, agent;
  before(async () => {
    [browser, server] = await Promise.all([launch(), startServer()]);
    person = await signUp(server);
    agent = (await person.call("POST", "/v2/agents", { name: "Help" })).id;
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

  // Opens a page of a server that `use` can stop, and start again at the same address.
  async function open(path, use) {
    const port = await freePort();
    let proxy = await serveBefore(built, server.origin, port);
    const { origin, url } = proxy;
    const stop = () => proxy.stop();
    const start = async () => void (proxy = await serveBefore(built, server.origin, port));
    const page = await newPage(browser, origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    try {
      await page.goto(url + path);
      await use(page, { stop, start });
      assert.deepEqual([await page.reports(), page.problems.filter((one) => !isExpected(one))], [[], []]);
    } finally {
      await page.context().close();
      proxy.stop();
    }
  }

  const hasSheet = () => [...document.styleSheets].some(({ href }) => /\/sources-[^/]*\.css$/.test(href));

  test("the frame stays, and the screen comes by itself once the server is back", async () => {
    await open(`/agents/${agent}`, async (page, { stop, start }) => {
      const live = () => page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      await live();
      await heading(page, "Help");
      stop();
      await page.getByRole("navigation").getByRole("link", { name: "Sources" }).click();
      await heading(page, title);
      assert.match(await page.getByRole("main").getByRole("alert").textContent(), /The server did not answer/);
      await page.getByRole("navigation").getByRole("link", { name: "Home" }).click(); // which is there
      await heading(page, "Help");
      await page.getByRole("navigation").getByRole("link", { name: "Sources" }).click();
      await heading(page, title);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText(/^offline since /).waitFor();
      await heading(page, title);
      await start();
      // It may be back already.
      await page.getByRole("button", { name: "Try now" }).click({ timeout: 3000 }).catch(() => {});
      await heading(page, "Sources");
      await live();
      await page.waitForFunction(hasSheet);
    });
  });

  test("a style sheet that fails behind its page is loaded with the next try", async () => {
    await open("/agents", async (page) => {
      await page.getByRole("main").getByRole("link", { name: "Help" }).waitFor();
      let end;
      const isOver = new Promise((done) => (end = done));
      const seen = new Set();
      await page.route(/\/sources(\.en)?-[^/]*\.(js|css)$/, async (route) => {
        const url = route.request().url();
        const isLate = url.endsWith(".css");
        if (seen.has(url) || !(isLate || url.includes(".en-"))) return route.continue();
        seen.add(url);
        if (isLate) await isOver;
        return route.abort();
      });
      await page.getByRole("main").getByRole("link", { name: "Help" }).click();
      await page.getByRole("navigation").getByRole("link", { name: "Sources" }).click();
      await heading(page, title);
      await page.getByRole("button", { name: "Try again" }).click();
      end();
      await heading(page, "Sources");
      await page.waitForFunction(hasSheet);
    });
  });

  test("a page without the frame is a card, and trying again without a server keeps it", async () => {
    await open("/agents", async (page, { stop, start }) => {
      await page.getByRole("main").getByRole("link", { name: "Help" }).waitFor();
      stop();
      await page.getByRole("button", { name: "New agent" }).click();
      await page.getByRole("menuitem").first().click();
      await heading(page, title);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("button", { name: "Go to the agents" }).click();
      await heading(page, title);
      assert.match(page.url(), /\/welcome/);
      await start();
      await page.getByRole("button", { name: "Try again" }).click();
      await heading(page, "Your first agent");
    });
  });

  // Renames every file of a build, as another version of it would.
  function upgrade(folder) {
    const assets = join(folder, "assets");
    const names = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name));
    const rename = (name) => name.replace(/\.\w+$/, "-next$&");
    for (const file of [join(folder, "index.html"), ...names.map((name) => join(assets, name))]) {
      const named = /[\w.-]+\.(js|css)/g; // the whole name: it may end as another does
      writeFileSync(file, readFileSync(file, "utf8").replace(named, (name) => (names.includes(name) ? rename(name) : name)));
    }
    for (const name of names) renameSync(join(assets, name), join(assets, rename(name)));
  }

  test("a server with another version has the page loaded anew", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-upgrade-"));
    cpSync(built, folder, { recursive: true });
    const shop = await serve(folder, answers());
    const page = await newPage(browser, shop.origin, { locale: "en" });
    try {
      await page.goto(`${shop.url}/agents/${agents[0].id}`);
      await heading(page, "Help desk");
      upgrade(folder);
      await page.getByRole("navigation").getByRole("link", { name: "Settings" }).click();
      await heading(page, "Settings");
      const scripts = await page.evaluate(() => [...document.scripts].map(({ src }) => src));
      assert.ok(scripts.length > 0 && scripts.every((src) => /-next\.js$/.test(src)), String(scripts));
      assert.deepEqual([await page.reports(), page.problems.filter((one) => !isExpected(one))], [[], []]);
    } finally {
      await page.context().close();
      shop.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("a screen without its texts is not shown, and comes with another try", async () => {
    const shop = await serve(built, answers());
    const page = await newPage(browser, shop.origin, { locale: "en" });
    try {
      await page.route(/assets\/sources\.en-[^/]*$/, (route) => route.abort());
      await page.goto(`${shop.url}/agents/${agents[0].id}/sources`);
      await heading(page, title);
      await page.getByRole("button", { name: "Try again" }).click();
      await heading(page, title);
      await page.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();
      await heading(page, "Sources");
      assert.deepEqual([await page.reports(), page.problems.filter((one) => !isExpected(one))], [[], []]);
    } finally {
      await page.context().close();
      shop.stop();
    }
  });

  test("a person whose language does not arrive reads English", async () => {
    const shop = await serve(built, answers());
    const page = await newPage(browser, shop.origin, { locale: "de" });
    try {
      await page.route(/assets\/core\.de-[^/]*$/, (route) => route.abort());
      await page.goto(`${shop.url}/agents/${agents[0].id}/sources`);
      await heading(page, "Sources");
      assert.equal(await page.locator("html").getAttribute("lang"), "en");
      assert.deepEqual([await page.reports(), page.problems.filter((one) => !isExpected(one))], [[], []]);
    } finally {
      await page.context().close();
      shop.stop();
    }
  });
});
