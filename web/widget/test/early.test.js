// What a page says to the chat before it is opened for the first time.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "./browser.js";
import { snippet } from "./pages.js";
import { agentId, useStub } from "./setup.js";

describe("before the first opening", { skip }, () => {
  const site = useStub();
  const page = (calls = "") => snippet(site.base, agentId, calls);
  const isModule = (path) => /\/window-/.test(path);
  /** The types of what the frame was told, in their order, without those of the page and its window. */
  const toldTypes = async (page) => {
    await page.told("opened");
    const types = await (await page.chat()).evaluate(() => window.received.map(({ type }) => type));
    return types.filter((type) => !["page", "size", "opened", "storage-value"].includes(type));
  };

  test("what can wait is told when the chat comes, and nothing is loaded for it", async () => {
    const calls = `
      window.before = [chatbase("getState"), chatbase.isOpen()];
      window.heard = [];
      chatbase.addEventListener("open", () => heard.push("open"));
      chatbase.addEventListener("user-message", () => heard.push("never"));
      chatbase.removeEventListener("user-message", () => {});
      chatbase.registerTools({ find: () => 1 });
      chatbase.registerFormSchema({ contact: () => ({ fields: [] }) });
      chatbase.identify({ token: "first" });
      chatbase.identify({ token: "t", plan: "pro" });
      chatbase.setLocale("de");
      chatbase.close();
      chatbase.hide();`;
    await site.open(page(calls), async (page) => {
      await page.up();
      assert.deepEqual(await page.evaluate(() => window.before), [undefined, undefined]);
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
      assert.equal(await page.window.count(), 0);
      assert.equal(site.stub.seen.some(isModule), false);
      await page.button.click();
      assert.deepEqual(await toldTypes(page), ["setLocale", "identify", "setOptions", "registerTools", "registerFormSchema"]);
      assert.deepEqual(await page.told("identify"), [{ token: "t", plan: "pro" }]);
      assert.deepEqual(await page.told("registerTools"), [{ names: ["find"] }]);
      assert.deepEqual(await page.told("registerFormSchema"), [{ names: ["contact"] }]);
      assert.deepEqual(await page.evaluate(() => window.heard), ["open"]);
    });
  });

  test("what changes the button changes it at once", async () => {
    await site.open(page('chatbase.setOptions({ displayName: "Ask us", bubbleText: "Help?" });'), async (page) => {
      await page.getByRole("button", { name: "Help? – Ask us" }).waitFor();
      await page.evaluate(() => window.chatbase.resetOptions());
      await page.getByRole("button", { name: "Shop help" }).waitFor();
      await page.evaluate(() => window.chatbase.setInitialMessages(["Hello there"]));
      assert.equal(await page.window.count(), 0);
      await page.button.click();
      assert.deepEqual(await page.told("setOptions"), [{ initialMessages: ["Hello there"] }]);
    });
  });

  for (const command of ["resetChat", "logout"]) {
    test(`${command} holds for the chat of the next page, once, and before who the visitor is now`, async () => {
      await site.open(page('chatbase.identify({ token: "next" });'), async (page) => {
        await page.up();
        const key = `parley:${agentId}`;
        await page.evaluate((key) => localStorage.setItem(key, "{}"), key);
        await page.evaluate(async (command) => await window.chatbase[command](), command);
        assert.equal(await page.evaluate((key) => localStorage.getItem(key), key), command === "logout" ? null : "{}");
        for (const told of [[command], []]) {
          await page.reload();
          await page.up();
          await page.button.click();
          const rest = ["identify", "setOptions", "registerTools", "registerFormSchema"];
          assert.deepEqual(await toldTypes(page), [...told, ...rest]);
          await page.evaluate(() => window.chatbase.close());
        }
      });
    });
  }

  test("who the visitor is comes first, also where the frame is there before the module", async () => {
    await site.open(page('chatbase.identify({ token: "next" });'), async (page) => {
      await page.up();
      await page.evaluate(() => addEventListener("message", ({ data }) => (window.isFrameUp ||= data?.type === "iframeReady")));
      await page.route(({ pathname }) => isModule(pathname), async (route) => {
        await page.waitForFunction(() => window.isFrameUp);
        await route.continue();
      });
      await page.button.click();
      assert.deepEqual(await toldTypes(page), ["identify", "setOptions", "registerTools", "registerFormSchema"]);
    });
  });

  test("a page that closes the chat keeps it from coming back open", async () => {
    const closing = page("if (location.hash) chatbase.close();");
    await site.open(closing, async (page) => {
      await page.button.click();
      await page.told("opened");
      await page.reload();
      await page.told("opened");
      await page.evaluate(() => (location.hash = "closed"));
      await page.reload();
      await page.up();
      await page.waitForFunction((key) => sessionStorage.getItem(key) === null, `parley:${agentId}:open`);
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
      assert.equal(await page.window.count(), 0);
    });
  });

  test("a chat that is taken down stays away, and later calls throw nothing", async () => {
    await site.open(page(), async (page) => {
      await page.up();
      const left = await page.evaluate(() => {
        const { chatbase } = window;
        chatbase.destroy();
        chatbase.open();
        chatbase.resetChat();
        return [document.querySelectorAll("[id^=chatbase]").length, typeof window.chatbase];
      });
      assert.deepEqual(left, [0, "undefined"]);
    }, { expected: /no command/ });
  });
});
