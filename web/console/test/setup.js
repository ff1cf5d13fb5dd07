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
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serve(process.env.PARLEY_CONSOLE_BUILD)]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });
  return async (answer, path, use, options, prepare) => {
    server.answer = answer;
    const page = await newPage(browser, server.origin, { locale: "en", ...options });
    try {
      await prepare?.(page);
      await page.goto(server.url + path);
      await use(page, server);
      assert.deepEqual([await page.reports(), page.problems], [[], []]);
    } finally {
      await page.context().close();
    }
  };
}
