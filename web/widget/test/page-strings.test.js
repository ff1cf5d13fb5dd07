// What strangers and the company write is text on the page of a site as well: on the button, above it, and over the middle
// of the page. Of the page's own elements none is changed. PARLEY_LONG takes all strings, otherwise every tenth.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chosen, watchPage } from "../../console/test/hostile.js";
import { skip } from "./browser.js";
import { snippet } from "./pages.js";
import { agentId, useStub } from "./setup.js";
import { configOf } from "./stub.js";

const perPage = 40;
const shorten = (text) => text.slice(0, 1_000).toWellFormed();

/** The strings that a test takes, in groups that are shown one after the other on the same page. */
function groups(offset) {
  const list = chosen(offset).map(shorten).filter((text) => text.trim());
  return Array.from({ length: Math.ceil(list.length / perPage) }, (_, i) => list.slice(i * perPage, (i + 1) * perPage));
}

describe("strings of strangers on the page of a site", { skip }, () => {
  const site = useStub();

  /** Opens a page with the script again, so that what may run is noted from the beginning. */
  const open = (body, changes, use) =>
    site.open(body, async (page) => {
      await watchPage(page);
      await page.reload();
      await use(page);
      assert.deepEqual(await page.evaluate(findForbidden), []);
    }, { configs: { [agentId]: configOf(agentId, changes) }, isLast: true });

  test("first messages and the name of the agent", async () => {
    const floating = "<script>window.chatbaseConfig = { showFloatingInitialMessages: true, floatingInitialMessagesDelay: 0, "
      + "floatingMessagesOncePerSession: false };</script>";
    for (const texts of groups(3)) {
      const changes = { name: texts[0], initialMessages: texts, chat: { displayName: texts.at(-1) } };
      await open(floating + snippet(site.base, agentId), changes, async (page) => {
        await page.waitForFunction((n) => document.querySelectorAll("#chatbase-message-bubbles button").length === n + 1, texts.length);
        const shown = await page.floating.locator("button").evaluateAll((all) => all.slice(1).map((one) => one.textContent));
        assert.deepEqual(shown, texts);
        assert.equal(await page.button.getAttribute("aria-label"), texts.at(-1));
      });
    }
  });

  test("what the page sets, and what the chat says of itself", async () => {
    for (const texts of groups(5)) {
      await open(snippet(site.base, agentId), {}, async (page) => {
        await page.up();
        for (const text of texts.map((one) => one.slice(0, 100).toWellFormed())) {
          await page.evaluate((value) => window.chatbase.setOptions({ displayName: value, bubbleText: value, title: true }), text);
          assert.equal(await page.button.locator("b").textContent(), text);
        }
        await page.button.hover();
        await page.say("unread", { count: 2 });
        await page.floating.filter({ hasText: "(2)" }).waitFor({ state: "attached" });
        for (const text of texts) await page.say("title", { text });
        await page.say("error", { code: texts[0], message: texts[0] });
        await page.waitForFunction(() => document.title.startsWith("(2)"));
      });
    }
  });

  test("the message and the name over the middle of the page", async () => {
    const file = { name: "chatbaseCenterStage", file: "center-stage-embed.min.js" };
    const texts = groups(7).flat().slice(0, process.env.PARLEY_LONG ? undefined : 6);
    for (const text of texts) {
      const centerStage = { enabled: true, displayName: text, notificationMessage: { enabled: true, text } };
      await open(snippet(site.base, agentId, "", file), { centerStage }, async (page) => {
        const note = page.locator("#chatbase-center-stage-message button").nth(1);
        await note.waitFor();
        assert.equal(await note.textContent(), text);
      });
    }
  });
});

/** Runs in the page: what is in it that no text may become, and what was changed that is the page's own. */
function findForbidden() {
  const found = window.ran.map((value) => `ran ${value}`);
  if (Object.keys(Object.prototype).length > 0) found.push(`Object.prototype has ${Object.keys(Object.prototype)}`);
  for (const element of document.body.querySelectorAll("[id^=chatbase], [id^=chatbase] *")) {
    if (!/^(button|div|b|i|svg|path|span|iframe)$/.test(element.localName)) found.push(`an element ${element.localName}`);
    if (element.localName === "iframe" && !element.src.includes("/chatbot-iframe/")) found.push(`a frame of ${element.src}`);
    for (const { name, value } of element.attributes) {
      if (/^on|^(srcdoc|action|formaction|href|ping|background|poster)$/i.test(name)) found.push(`${name}=${value.slice(0, 100)}`);
    }
  }
  return [...new Set(found)];
}
