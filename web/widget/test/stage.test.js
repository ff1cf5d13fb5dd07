// The chat over the middle of the page.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "./browser.js";
import { snippet } from "./pages.js";
import { agentId, until, useStub } from "./setup.js";
import { configOf } from "./stub.js";

const config = (centerStage) => ({ configs: { [agentId]: configOf(agentId, { centerStage: { enabled: true, ...centerStage } }) } });

describe("center stage", { skip }, () => {
  const site = useStub();
  const script = { name: "chatbaseCenterStage", file: "center-stage-embed.min.js" };
  const page = (calls) => `<main><button id="own">Ask</button></main>${snippet(site.base, agentId, calls, script)}`;
  const opened = async (page) => {
    await page.told("opened");
    return page.locator("#chatbase-center-stage-iframe");
  };

  test("opens with a message, over a page that cannot be reached, and gives the focus back", async () => {
    const calls = "own.onclick = () => chatbaseCenterStage.sendMessage('Where is my order?', {});";
    await site.open(page(calls), async (page) => {
      await page.waitForFunction(() => window.chatbaseCenterStage("getState") === "initialized");
      await page.locator("#own").click();
      assert.deepEqual(await page.told("send"), [{ message: "Where is my order?", hideMessage: false }]);
      assert.match(page.frames()[1].url(), /\?mode=stage$/);
      const box = await (await opened(page)).boundingBox();
      assert.deepEqual([box.x * 2 + box.width, box.width], [1280, 420]);
      const hasFocus = (id) => page.waitForFunction((id) => document.activeElement.id === id, id);
      const state = () => [document.querySelector("main").inert, document.documentElement.style.overflow];
      await hasFocus("chatbase-center-stage-iframe");
      assert.deepEqual(await page.evaluate(state), [true, "hidden"]);
      await page.say("close");
      await page.waitForFunction(() => !window.chatbaseCenterStage.isOpen());
      await hasFocus("own");
      assert.deepEqual(await page.evaluate(state), [false, ""]);
    }, config());
  });

  test("is as wide as the agent has it, and closed by Escape and by a click beside it", async () => {
    for (const [width, px] of [["small", 360], ["large", 520]]) {
      await site.open(page("chatbaseCenterStage.open();"), async (page) => {
        const frame = await opened(page);
        assert.equal((await frame.boundingBox()).width, px);
        const isOpen = () => page.evaluate(() => window.chatbaseCenterStage.isOpen());
        await page.evaluate(() => document.activeElement.blur());
        await until(async () => (await page.keyboard.press("Escape"), !(await isOpen()))); // the frame may have the focus for a while
        await page.evaluate(() => window.chatbaseCenterStage("open"));
        await page.mouse.click(20, 400);
        assert.equal(await isOpen(), width === "large");
      }, config({ width, closeOnOutsideClick: width === "small" }));
    }
  });

  test("has a button with an indicator and a message", async () => {
    const looks = {
      displayName: "Ask Ann", buttonColor: "#ffcc00",
      notificationIndicator: { enabled: true, number: 3 }, notificationMessage: { enabled: true, text: "Need help?" },
    };
    await site.open(page(), async (page) => {
      const button = page.getByRole("button", { name: "Ask Ann (3)" });
      await page.getByRole("button", { name: "Need help?" }).waitFor();
      assert.deepEqual(await button.evaluate((e) => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]), [
        "rgb(255, 204, 0)", "rgb(0, 0, 0)",
      ]);
      await page.getByRole("button", { name: "Need help?" }).click();
      await opened(page);
      assert.equal(await page.locator("#chatbase-center-stage-message").textContent(), "");
      await page.say("close");
      await page.getByRole("button", { name: "Ask Ann", exact: true }).waitFor();
    }, config(looks));
  });

  test("has a message that does not come back once it is closed", async () => {
    const note = (page) => page.getByRole("button", { name: "Need help?" });
    await site.open(page(), async (page) => {
      await note(page).waitFor();
      await page.reload();
      await note(page).waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await note(page).waitFor({ state: "detached" });
      await page.reload();
      const button = page.locator("#chatbase-center-stage-button");
      await button.hover();
      await page.told("page"); // what shows messages is loaded
      assert.deepEqual([await note(page).count(), await button.textContent()], [0, ""]);
    }, config({ notificationIndicator: { enabled: true, number: 3 }, notificationMessage: { enabled: true, text: "Need help?" } }));
  });

  test("has no button where the agent wants none, and nothing where it is turned off", async () => {
    await site.open(page(), async (page) => {
      await page.waitForFunction(() => window.chatbaseCenterStage("getState") === "initialized");
      assert.equal(await page.locator("[id^=chatbase]").count(), 0);
    }, config({ showChatBubble: false }));
    await site.open(page(), async (page) => {
      await page.saidLine("has this turned off");
      assert.equal(await page.locator("[id^=chatbase]").count(), 0);
    }, { ...config({ enabled: false }), expected: /turned off/ });
  });

  test("stands beside the bubble of the same agent, with one question to the server", async () => {
    await site.open(page() + snippet(site.base, agentId), async (page) => {
      await page.up();
      await page.waitForFunction(() => window.chatbaseCenterStage("getState") === "initialized");
      const ids = ["#chatbase-bubble-button", "#chatbase-center-stage-button"];
      const boxes = await Promise.all(ids.map((id) => page.locator(id).boundingBox()));
      assert.equal(Math.abs(boxes[0].y - boxes[1].y), 71);
      assert.ok(site.stub.seen.filter((path) => path.startsWith("/__cb/boot/")).length <= 1);
      await page.evaluate(() => window.chatbaseCenterStage.open());
      await opened(page);
      const kept = () => page.evaluate((key) => sessionStorage.getItem(key), `parley:${agentId}:open`);
      assert.equal(await kept(), null); // or the bubble would be open on the next page
      await page.evaluate(() => window.chatbase.open());
      await page.waitForFunction(() => window.chatbase.isOpen());
      assert.equal(await kept(), "1");
    }, config());
  });
});
