// The manual that the server shows, and what leads to it from the console.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runnerImport } from "vite";
import { answers } from "./answers.js";
import { findings } from "./axe.js";
import { launch, newPage, patience, skip } from "./browser.js";
import { startServer } from "./server.js";
import { useSamePages } from "./setup.js";

const source = join(import.meta.dirname, "../src");

describe("the manual", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), startServer()]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  // Shows pages of the manual, one after the other.
  async function visit(paths, use, options) {
    const page = await newPage(browser, server.origin, { reducedMotion: "reduce", ...options });
    try {
      for (const path of paths) {
        await page.goto(`${server.origin}/docs/manual${path}`);
        await use(page, path);
        assert.deepEqual([await page.reports(), page.problems], [[], []], path);
      }
    } finally {
      await page.context().close();
    }
  }

  const pages = ["", "/sources", "/playground", "/quality", "?q=back+up", "?q=zzzz", "/nothing"];
  for (const look of [
    { colorScheme: "light", viewport: { width: 1280, height: 800 } },
    { colorScheme: "dark", viewport: { width: 390, height: 844 } },
  ]) {
    test(`axe-core finds nothing in its pages, ${look.colorScheme}`, async () => {
      await visit(pages, async (page, path) => assert.deepEqual(await findings(page), [], path), look);
    });
  }

  test("no page is wider than a screen of 320 pixels", async () => {
    const use = async (page, path) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 320, `${path}: ${wide}`);
    };
    await visit(["", "/sources", "/quality", "/command-line", "?q=back+up"], use, { viewport: { width: 320, height: 640 } });
  });

  test("search, contents and the next chapter work without scripts", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${server.origin}/docs/manual`);
    await page.getByRole("searchbox", { name: "Search the manual" }).fill("robots.txt");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Does Parley respect robots.txt?" }).click();
    await page.waitForURL(/\/docs\/manual\/sources#does-parley-respect-robotstxt$/);
    await page.getByRole("navigation", { name: "Chapters", exact: true }).getByRole("link", { name: "The playground" }).click();
    await page.getByRole("heading", { level: 1, name: "The playground" }).waitFor();
    await page.getByRole("link", { name: /^Next/ }).click();
    await page.getByRole("heading", { level: 1, name: "Insights in the console" }).waitFor();
    assert.deepEqual(asked.filter((url) => !url.startsWith(server.origin) && !url.startsWith("data:")), []);
    await context.close();
  });

  test("every chapter that the console leads to is there", async () => {
    const { targets } = (await runnerImport(join(source, "manual.ts"))).module;
    assert.ok(targets.length >= 8);
    for (const target of targets) {
      const [path, id] = target.split("#");
      const reply = await fetch(server.origin + path);
      assert.equal(reply.status, 200, target);
      if (id) assert.ok((await reply.text()).includes(` id="${id}"`), target);
    }
  });
});

test("every screen has a chapter of its own", async () => {
  const { chapterOfScreen } = (await runnerImport(join(source, "manual.ts"))).module;
  const files = readdirSync(source, { recursive: true }).filter((name) => name.endsWith(".tsx"));
  const text = files.map((name) => readFileSync(join(source, name), "utf8")).join("\n");
  const routes = [...text.matchAll(/<Route\s+path="([^"]+)"/g)].map(([, path]) => path).filter((path) => path !== "/");
  assert.ok(routes.length >= 3);
  const lacking = routes.filter((path) => chapterOfScreen(path.replace(/:\w+\??/g, "x")) === "/docs/manual/console");
  assert.deepEqual(lacking, []);
});

describe("the question mark", { skip }, () => {
  const open = useSamePages();
  for (const [path, options, target] of [
    ["/agents", {}, "/docs/manual/agents-screen"],
    ["/agents/5QHA6VB-DIAbBhxwqxfdi", {}, "/docs/manual/agents-screen#what-is-on-the-home-of-an-agent"],
    ["/me", {}, "/docs/manual/your-page"],
    ["/nowhere", {}, "/docs/manual/console"],
    ["/", { isSignedIn: false }, "/docs/manual/signing-in"],
    ["/setup#good", { isSignedIn: false, session: { needsSetup: true } }, "/docs/manual/first-run"],
  ]) {
    test(`of ${path} leads to ${target}`, async () => {
      await open(answers(options), path, async (page) => {
        const link = page.getByRole("link", { name: "Help on this screen, in a new tab" });
        assert.equal(await link.getAttribute("href"), target);
      });
    });
  }
});
