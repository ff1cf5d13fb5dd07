// Pages that change without being loaded, and pages with the chats of two agents.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "./browser.js";
import { snippet } from "./pages.js";
import { agentId, until, useStub } from "./setup.js";

describe("a page that changes", { skip }, () => {
  const site = useStub();
  const page = (calls = "") => snippet(site.base, agentId, calls);

  test("tells the open chat where it is now", async () => {
    await site.open(page(), async (page) => {
      await page.button.click();
      await page.told("page");
      await page.evaluate(() => {
        document.title = "Checkout";
        history.pushState({}, "", "/checkout");
      });
      const [{ title }] = (await page.told("page", (all) => all.at(-1).url.endsWith("/checkout"))).slice(-1);
      assert.equal(title, "Checkout");
    });
  });

  test("keeps the title that it has given itself while messages were counted in it", async () => {
    await site.open(page("chatbase.setOptions({ title: true });"), async (page) => {
      await page.evaluate(() => window.chatbase.open());
      await page.evaluate(() => window.chatbase.close());
      await page.say("unread", { count: 1 });
      await until(async () => (await page.title()) === "(1) A shop");
      await page.evaluate(() => (document.title = "Checkout"));
      await page.say("unread", { count: 2 });
      await until(async () => (await page.title()) === "(2) Checkout");
      await page.say("unread", { count: 0 });
      await until(async () => (await page.title()) === "Checkout");
    });
  });

  test("opens with what a page passes by mistake, and goes on when it cannot be sent", async () => {
    const calls = `
      const circle = {};
      circle.self = circle;
      chatbase.addEventListener("open", null);
      chatbase.setOptions({ suggestedMessages: [circle] });
      chatbase.open(null);`;
    await site.open(page(calls), async (page) => {
      await page.told("opened");
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), true);
    }, { expected: /circular/ });
  });
});
