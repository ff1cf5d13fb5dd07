// A browser and a server for the tests of a file.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { launch, newPage } from "./browser.js";
import { serve } from "./serve.js";

/**
 * Starts both around the tests, and returns what opens a page: nothing unexpected may have happened in it at its end.
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
 * As useConsole, but the next test with the same options has the same page, since a new one takes as much of the processor's
 * time as the rest of the test. It is for tests that leave nothing behind but storage: no clock, no route, no second page.
 * `prepare` is called once with each page.
 */
export function useSamePages(prepare) {
  const test = useBrowser();
  const pages = new Map(); // by their options
  return async (answer, path, use, options) => {
    const key = JSON.stringify(options ?? {});
    const isNew = !pages.has(key);
    const page = pages.get(key) ?? (await newPage(test.browser, test.server.origin, { locale: "en", ...options }));
    try {
      if (isNew) await prepare?.(page);
      test.server.answer = answer;
      await load(page, test.server.url + path);
      await look(page, test.server, use);
      await forget(page, options);
      pages.set(key, page);
    } catch (error) {
      pages.delete(key);
      await page.context().close();
      throw error;
    }
  };
}

function useBrowser() {
  const test = {};
  before(async () => {
    [test.browser, test.server] = await Promise.all([launch(), serve(process.env.PARLEY_CONSOLE_BUILD)]);
  });
  after(async () => {
    await test.browser?.close();
    test.server?.stop();
  });
  return test;
}

async function look(page, server, use) {
  await use(page, server);
  assert.deepEqual([await page.reports(), page.problems], [[], []]);
}

/** Loads an address again, also where it differs from the present one in its fragment alone. */
async function load(page, address) {
  const withoutFragment = (url) => url.split("#")[0];
  if (withoutFragment(address) === withoutFragment(page.url())) await page.goto("about:blank");
  await page.goto(address);
}

/** Leaves nothing for the test that has the page next, whose options are the same. */
async function forget(page, { viewport, colorScheme } = {}) {
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: colorScheme ?? null, forcedColors: null });
  await page.context().clearCookies();
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
}
