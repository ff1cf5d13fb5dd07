// The page on which members try the chat, in both themes, on a screen and on a phone.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { findings } from "./axe.js";
import { launch, newPage, skip } from "./browser.js";
import { sendQuestion } from "./question.js";
import { startWidgetServer } from "./server.js";

const sizes = { screen: { width: 1280, height: 800 }, phone: { width: 320, height: 640 } };
const pictures = process.env.PARLEY_PICTURES; // a folder to leave pictures in

describe("the page to try the chat", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), startWidgetServer()]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens the page and the chat on it. */
  const open = async (options, use, ticket) => {
    const { ticket: own } = await server.call("POST", `/v1/agents/${server.agentId}/preview-ticket`);
    const page = await newPage(browser, [server.host("127.0.0.1")], { locale: "en", reducedMotion: "reduce", ...options });
    try {
      const address = `${server.at("127.0.0.1")}/demo/widget/${server.agentId}?ticket=${ticket ?? own}`;
      const reply = await page.goto(address);
      await use(page, reply);
      assert.deepEqual(page.problems.filter((text) => ticket === undefined || !/status of 404/.test(text)), []);
    } finally {
      await page.context().close();
    }
  };

  for (const colorScheme of ["light", "dark"]) {
    for (const [size, viewport] of Object.entries(sizes)) {
      test(`is right in the ${colorScheme} on a ${size}`, async () => {
        await open({ colorScheme, viewport }, async (page) => {
          await page.locator("#chatbase-bubble-button").waitFor();
          assert.deepEqual(await findings(page), []);
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
          if (pictures) {
            mkdirSync(pictures, { recursive: true });
            await page.screenshot({ path: join(pictures, `trial-${colorScheme}-${size}.png`) });
          }
          await page.locator("#chatbase-bubble-button").click();
          const chat = page.frameLocator("#chatbase-bubble-window");
          await sendQuestion(chat, "Hello");
          await page.locator("#log").getByText("assistant-message").first().waitFor({ state: "attached" });
          if (size === "screen") assert.deepEqual(await findings(page), []);
          if (pictures) await page.screenshot({ path: join(pictures, `trial-${colorScheme}-${size}-open.png`) });
        });
      });
    }
  }

  test("is shown to nobody without a ticket", async () => {
    await open({}, async (page, reply) => {
      assert.equal(reply.status(), 404);
      assert.equal(await page.locator("#chatbase-bubble-button").count(), 0);
    }, "wrong");
  });
});
