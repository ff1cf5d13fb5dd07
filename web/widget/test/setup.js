// A browser, the stub of a server at 127.0.0.1, and a site at localhost for the tests of a file.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { launch, leavePage, newPage, patience } from "./browser.js";
import { startHostSite } from "./server.js";
import { agentId, startStub } from "./stub.js";

/**
 * Starts them around the tests, and returns what opens a page of the site: nothing unexpected may have happened in it at
 * its end, apart from what `expected` describes. `page.chat()` is the frame that has come up, and `page.saidLine(text)`
 * waits for a line in the console. With `hasClock` tests may turn the clock of pages. The next test with the same
 * `options` has the same page, with a new document; not after one that `isLast`, which leaves more behind than storage
 * and routes.
 */
export function useStub({ hasClock = false } = {}) {
  const test = {};
  const pages = new Map(); // that no test has at present, by their options
  before(async () => {
    [test.browser, test.stub, test.site] = await Promise.all([launch(), startStub(), startHostSite()]);
    test.base = test.stub.at("127.0.0.1");
  });
  after(async () => {
    await test.browser?.close();
    test.stub?.stop();
    test.site?.stop();
  });
  test.open = async (content, use, { expected, configs, options, isLast = false } = {}) => {
    const { stub, site } = test;
    stub.reset();
    Object.assign(stub.configs, configs);
    site.pages["/"] = content;
    const key = JSON.stringify(options ?? {});
    const page = pages.get(key) ?? (await openPage(test, options, hasClock));
    pages.delete(key);
    page.said.length = 0;
    try {
      await page.goto(`${site.at("localhost")}/`);
      await use(page);
      const problems = page.problems.filter((text) => !expected?.test(text));
      assert.deepEqual(problems, []);
      if (isLast) return;
      await leavePage(page, site.at("localhost"));
      pages.set(key, page);
    } finally {
      if (pages.get(key) !== page) await page.context().close();
    }
  };
  return test;
}

async function openPage({ browser, stub, site }, options, hasClock) {
  const page = await newPage(browser, [stub.host("127.0.0.1"), site.host("localhost")], options);
  const said = [];
  page.on("console", (m) => said.push(m.text()));
  if (hasClock) await page.clock.install();
  return Object.assign(page, helpers(page, said));
}

function helpers(page, said) {
  // A page may have removed the frame that was just found.
  const ask = async (run) => {
    const frame = page.frames().find((f) => f.url().includes("/chatbot-iframe/"));
    return frame && (await run(frame).catch(() => undefined));
  };
  return {
    said,
    button: page.locator("#chatbase-bubble-button"),
    window: page.locator("#chatbase-bubble-window"),
    floating: page.locator("#chatbase-message-bubbles"),
    state: () => page.evaluate(() => window.chatbase?.("getState")),
    up: () => page.waitForFunction(() => window.chatbase?.("getState") === "initialized"),
    /** The frame, once it is up. */
    async chat() {
      let chat;
      await until(async () => (chat = await ask(async (frame) => (await frame.evaluate(() => window.told?.("page").length)) && frame)));
      return chat;
    },
    /** What the frame was told under a type, once there is anything that `isEnough`. */
    async told(type, isEnough = (all) => all.length > 0) {
      let all;
      await until(async () => (all = await ask((frame) => frame.evaluate((t) => window.told?.(t), type))) && isEnough(all));
      return all;
    },
    say: async (type, data) => (await page.chat()).evaluate(([t, d]) => window.say(t, d), [type, data]),
    saidLine: (text) => until(() => said.some((line) => line.includes(text))),
  };
}

/** Waits until something holds. */
export async function until(holds) {
  const end = performance.now() + patience;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`this does not come true: ${holds}`);
    await new Promise((done) => setTimeout(done, 15));
  }
}

export { agentId };
