// Earlier conversations, and the search in them: in the sheet of the menu, and beside the chat on the help page.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import * as A from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";
import { openNextState } from "./frames.js";
import { until } from "./setup.js";

const chats = [{ ...A.history([]), id: "c1", title: "Returning shoes" }, { ...A.history([]), id: "c2", title: null }];
const wide = { width: 1280, height: 800 };

describe("earlier conversations", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  /** Opens the help page with its side panel. `find` answers what is looked for. */
  const open = (find, use, look = {}) => {
    const answer = async ({ query }) => (query.get("query") ? find(query.get("query")) : [200, { data: chats }]);
    const routes = { "GET /conversations": answer };
    return openNextState(browser, server, { mode: "help", stored: A.kept(), routes, size: wide }, look, async (page) => {
      const side = page.getByRole("navigation");
      await side.locator("li").nth(1).waitFor();
      await use(page, { side, field: side.getByRole("searchbox"), entries: side.locator("li button") });
    });
  };
  const says = (side, text) => side.getByRole("status").filter({ hasText: text }).waitFor();
  const queries = () => server.asked.filter(({ path }) => path === "/conversations").map(({ query }) => query.get("query"));
  const found = (...list) => [200, { data: list }];

  test("are walked by keys, from the field and back", async () => {
    await open(() => found(), async (page, { field, entries }) => {
      const isFocused = (element) => element.evaluate((e) => e === document.activeElement);
      await field.focus();
      for (const [key, next] of [["ArrowDown", entries.first()], ["ArrowDown", entries.nth(1)], ["ArrowDown", field],
        ["ArrowUp", entries.nth(1)], ["ArrowUp", entries.first()], ["ArrowUp", field]]) {
        await page.keyboard.press(key);
        assert.ok(await isFocused(next), key);
      }
      await page.keyboard.press("Tab");
      assert.ok(await isFocused(entries.first()));
      await page.keyboard.press("Enter");
      await until(() => server.asked.some(({ path }) => path === "/conversation/c1"));
      assert.deepEqual(page.problems, []);
    });
  });

  test("are searched once somebody has stopped writing, and what was found is said", async () => {
    const excerpt = "…<img src=x onerror=alert(1)> **30 days** \u202E…";
    const find = (query) => (query === "none" ? found() : found({ ...chats[1], excerpt }));
    await open(find, async (page, { side, field, entries }) => {
      await field.evaluate(typeAtOnce, "30 days");
      await says(side, "Chats found: 1");
      assert.deepEqual(queries().filter(Boolean), ["30 days"]);
      assert.equal(await entries.count(), 1);
      assert.ok((await entries.innerText()).includes("<img src=x onerror=alert(1)>"));
      assert.equal(await side.locator("img").count(), 0);
      await field.fill("none");
      await says(side, "No chat has these words.");
      assert.equal(await entries.count(), 0);
      await page.keyboard.press("Escape");
      await entries.nth(1).waitFor();
      assert.deepEqual([await field.inputValue(), await side.getByRole("status").innerText()], ["", ""]);
      assert.ok(await field.evaluate((e) => e === document.activeElement));
      await field.fill("30 days");
      await page.keyboard.press("Enter");
      await says(side, "Chats found: 1");
      assert.deepEqual(page.problems, []);
    });
  });

  test("a reply that comes too late does not take the place of a newer one", async () => {
    let answerFirst;
    const first = new Promise((done) => (answerFirst = () => done(found(chats[0]))));
    await open((query) => (query === "first" ? first : found(chats[1])), async (page, { side, field, entries }) => {
      await field.fill("first");
      await until(() => queries().includes("first"));
      await field.fill("second");
      await says(side, "Chats found: 1");
      const late = page.waitForResponse((reply) => reply.url().includes("query=first"));
      answerFirst();
      await (await late).finished();
      assert.match(await entries.innerText(), /Untitled chat/);
    });
  });

  test("a search that fails says so, keeps the field, and is tried again", async () => {
    let isBroken = true;
    await open(() => (isBroken ? [500, {}] : found(chats[0])), async (page, { side, field }) => {
      await field.fill("shoes");
      await side.getByRole("alert").waitFor();
      assert.ok(await field.evaluate((e) => e === document.activeElement));
      isBroken = false;
      await side.getByRole("button", { name: "Try again" }).click();
      await says(side, "Chats found: 1");
      assert.equal(await field.inputValue(), "shoes");
    });
  });

  test("Escape empties the field of the sheet first, and then closes the sheet", async () => {
    const routes = { "GET /conversations": [200, { data: chats }] };
    const small = { width: 448, height: 704 };
    await openNextState(browser, server, { mode: "help", stored: A.kept(), routes, size: small }, {}, async (page) => {
      await page.locator("article").first().waitFor();
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Earlier chats" }).click();
      const sheet = page.getByRole("region", { name: "Earlier chats" });
      await sheet.getByRole("searchbox").fill("shoes");
      await sheet.getByRole("status").filter({ hasText: "Chats found: 2" }).waitFor();
      await page.keyboard.press("Escape");
      await sheet.getByRole("status").filter({ hasText: "Chats found" }).waitFor({ state: "detached" });
      assert.equal(await sheet.getByRole("searchbox").inputValue(), "");
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "detached" });
    });
  });

  test("have no field where there are none, nor before there is a visitor", async () => {
    const routes = { "GET /conversations": [200, { data: [] }] };
    await openNextState(browser, server, { mode: "help", stored: A.kept(), routes, size: wide }, {}, async (page) => {
      await page.getByRole("navigation").getByText("There are no earlier chats.").waitFor();
      assert.equal(await page.getByRole("searchbox").count(), 0);
    });
    await openNextState(browser, server, { mode: "help", size: wide }, {}, async (page) => {
      await page.getByRole("heading", { name: "How can we help?" }).waitFor();
      assert.deepEqual([await page.getByRole("navigation").count(), server.asked.length], [0, 0]);
    });
  });
});

// typeAtOnce types faster than any timer runs.
function typeAtOnce(field, text) {
  for (let end = 1; end <= text.length; end++) {
    field.value = text.slice(0, end);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
}
