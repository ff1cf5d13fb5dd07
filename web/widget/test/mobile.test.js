// The chat on phones: what the keyboard leaves of the screen is used, the page behind stays where it is, and nothing is
// so small that a browser would enlarge it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import { serveFrames } from "./frame-server.js";
import { openState } from "./frames.js";
import { ask, keyboard, states } from "./states.js";

const phones = [[360, 640], [390, 844]];
const options = { isMobile: true, hasTouch: true };

describe("on a phone", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  for (const [width, height] of phones) {
    const open = (state, use) => openState(browser, server, { ...state, size: { width, height }, options: { ...options,
      ...state.options } }, {}, use);

    test(`the window is what the keyboard leaves of ${width} × ${height}`, async () => {
      await open({ site: {} }, async (page, chat) => {
        const box = () => page.locator("#chatbase-bubble-window").boundingBox();
        assert.deepEqual(await box(), { x: 0, y: 0, width, height });
        await page.evaluate((pixels) => window.setKeyboard(pixels), keyboard);
        await page.waitForFunction((high) => document.querySelector("#chatbase-bubble-window").clientHeight === high, height - keyboard);
        const field = await chat.locator("textarea").evaluate((element) => element.getBoundingClientRect().toJSON());
        assert.ok(field.top >= 0 && field.bottom <= height - keyboard, JSON.stringify(field));
        await page.evaluate(() => window.setKeyboard(0));
        await page.waitForFunction((high) => document.querySelector("#chatbase-bubble-window").clientHeight === high, height);
      });
    });

    test(`the last message stays above the keyboard of ${width} × ${height}`, async () => {
      const answer = Array.from({ length: 30 }, (_, i) => `Line ${i + 1} of the answer.`).join("\n\n");
      const { answerEvents, stream } = await import("./chat-answers.js");
      await open({ site: {}, routes: { "POST /messages": () => stream(answerEvents({ answer })) } }, async (page, chat) => {
        await ask(chat, "Tell me all.");
        await chat.getByText("Line 30 of the answer.").first().waitFor();
        await page.evaluate((pixels) => window.setKeyboard(pixels), keyboard);
        const isSeen = () => {
          const list = document.querySelector("[role=log]").getBoundingClientRect();
          const last = [...document.querySelectorAll("article p")].findLast((p) =>
            p.textContent.includes("Line 30")).getBoundingClientRect();
          return innerHeight < 600 && last.bottom <= list.bottom + 1 && last.top >= list.top;
        };
        await chat.waitForFunction(isSeen);
      });
    });

    test(`the page behind does not move on ${width} × ${height}`, async () => {
      const scroll = (page) => page.evaluate(() => scrollTo({ top: 300, behavior: "instant" }));
      await open({ site: {}, isClosed: true }, async (page) => {
        await page.locator("#chatbase-bubble-button").waitFor();
        await scroll(page);
        await page.locator("#chatbase-bubble-button").tap();
        await page.locator("#chatbase-bubble-window").waitFor();
        assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).overflow), "hidden");
        assert.equal(await page.evaluate(() => document.querySelector("main").inert), true);
        await page.mouse.wheel(0, 500);
        const frame = await (await page.$("#chatbase-bubble-window")).contentFrame();
        await frame.getByRole("button", { name: "Close the chat" }).tap();
        await page.locator("#chatbase-bubble-window").waitFor({ state: "hidden" });
        assert.equal(await page.evaluate(() => scrollY), 300);
        assert.equal(await page.evaluate(() => document.querySelector("main").inert), false);
      });
    });

    test(`controls of text have 16 pixels or more, and what is tapped 24, on ${width} × ${height}`, async () => {
      for (const state of [states.off, states.files, states.handover, states.form, inSmallText(states.off)]) {
        await open(state, async (_, chat) => assert.deepEqual(await chat.evaluate(findSmall), []));
      }
    });
  }

  test("Enter begins a line, and the button sends", async () => {
    await openState(browser, server, { size: { width: 390, height: 844 }, options }, {}, async (page, chat) => {
      const box = chat.locator("textarea");
      await box.tap();
      await page.keyboard.type("One");
      await page.keyboard.press("Enter");
      await page.keyboard.type("two");
      assert.equal(await box.inputValue(), "One\ntwo");
      await chat.getByRole("button", { name: "Send" }).tap();
      await chat.getByText("You can send them back").first().waitFor();
    });
  });
});

/** A state over the middle of the page, with the smallest text that there is. */
const inSmallText = (state) => {
  const centerStage = { enabled: true, typography: { fontFamily: "System", fontSize: "12px" } };
  return { ...state, mode: "stage", config: { ...state.config, styles: { chat: {}, centerStage } } };
};

// findSmall runs in the frame. What stands in a text may be as high as its lines.
function findSmall() {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
  const fields = [...document.querySelectorAll("textarea, select, input:not([type=file], [type=checkbox], [type=radio], [type=hidden])")];
  const small = fields.filter(isShown).filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16);
  const isInText = (button) => button.closest("article p, article li, article td") !== null;
  const tapped = [...document.querySelectorAll("button")].filter((button) => isShown(button) && !isInText(button)).filter((button) => {
    const { width, height } = button.getBoundingClientRect();
    return width < 24 || height < 24;
  });
  return [...small, ...tapped].map((element) => `${element.outerHTML.slice(0, 120)} ${JSON.stringify(element.getBoundingClientRect())}`);
}
