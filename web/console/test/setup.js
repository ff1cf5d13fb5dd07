// A browser and servers for the tests of a file.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { launch, newPage, untilNothing } from "./browser.js";
import { serve } from "./serve.js";

// What the groups of tests of a file share, each as soon as one needs it.
let browser; // promised
const servers = new Map(); // promised, by the file that every address has
const pages = new Map(); // of useSamePages, by what they are prepared and opened with
let groups = 0; // that have not ended

/**
 * Starts them around the tests, and returns what opens a page: nothing unexpected may have happened in it at its end.
 * `prepare` is called with the page before anything is in it.
 */
export function useConsole() {
  const test = useBrowser();
  return async (answer, path, use, options, prepare) => {
    test.server.answer = answer;
    const page = await newPage(test.browser, test.server.origin, { locale: "en", ...options });
    try {
      await prepare?.(page);
      await page.goto(test.server.url + path);
      await look(page, test.server, use);
    } finally {
      await page.context().close();
    }
  };
}

/**
 * As useConsole, but the next test with the same options has the same page, in which the console is shown again: a new page
 * takes most of the processor's time of a test. It is for tests that leave nothing behind but storage: no route, no second
 * page, and no clock but that of `prepare`, which is called once with each page.
 */
export function useSamePages(prepare) {
  const test = useBrowser("test/kit/console.html");
  return async (answer, path, use, options) => {
    const key = JSON.stringify([prepare?.name, options ?? {}]);
    const isNew = !pages.has(key);
    const page = pages.get(key) ?? (await newPage(test.browser, test.server.origin, { locale: "en", ...options }));
    try {
      if (isNew) await prepare?.(page);
      test.server.answer = answer;
      await showAt(page, test.server.url + path);
      await look(page, test.server, use);
      await leave(page, test.server, path, options);
      pages.set(key, page);
    } catch (error) {
      pages.delete(key);
      await page.context().close();
      throw error;
    }
  };
}

function useBrowser(file = "index.html") {
  const test = {};
  groups++;
  before(async () => {
    browser ??= launch();
    if (!servers.has(file)) servers.set(file, serve(process.env.PARLEY_CONSOLE_BUILD, undefined, file));
    [test.browser, test.server] = await Promise.all([browser, servers.get(file)]);
  });
  after(async () => {
    if (--groups > 0) return;
    await (await browser)?.close();
    for (const server of servers.values()) (await server).stop();
    browser = undefined;
    for (const kept of [servers, pages]) kept.clear();
  });
  return test;
}

async function look(page, server, use) {
  await use(page, server);
  assert.deepEqual([await page.reports(), page.problems], [[], []]);
}

/** Whether the page is to be loaded: what a fragment says is read once, when it is. */
const hasFragment = (address) => address.includes("#");

/** Shows the console at an address, in a page that is loaded once, and again where a test has left it. */
async function showAt(page, address) {
  const show = (to) => Boolean(window.showConsole) && (window.showConsole(to), true);
  if (hasFragment(address)) await page.goto("about:blank");
  if (!(await page.evaluate(show, address))) await page.goto(address);
}

/** Takes the console away, and leaves nothing for the test that has the page next, whose options are the same. */
async function leave(page, server, path, { viewport, colorScheme } = {}) {
  await page.evaluate(() => {
    window.leaveConsole?.();
    localStorage.clear();
    sessionStorage.clear();
  });
  if (hasFragment(path)) await page.goto("about:blank");
  if (page.awaited.size) await dropRequests(page, server);
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: colorScheme ?? null, forcedColors: null });
  await page.context().clearCookies();
}

/** Ends the requests that are never answered. What the browser says of that is no problem. */
async function dropRequests(page, server) {
  server.drop();
  assert.equal(await untilNothing(async () => page.awaited.size || null), null, "requests are still awaited");
  page.problems.length = 0;
}
