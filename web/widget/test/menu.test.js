// The menu by keyboard, and what it opens.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import { look, openKit, startKit } from "./kit.js";

describe("the menu", { skip }, () => {
  let kit, browser, page;
  before(async () => {
    [kit, browser] = await Promise.all([startKit(), launch()]);
    page = await openKit(browser, kit);
  });
  after(async () => {
    await browser?.close();
    kit?.stop();
  });
  const begin = (note) =>
    page.evaluate((note) => {
      kit.show(null);
      kit.log.length = 0;
      kit.menu(
        [{ label: "New chat" }, { label: "Earlier chats" }, { label: "Sound", isChecked: true }, { label: "Language" }],
        note,
      );
    }, note);
  const button = () => page.getByRole("button", { name: "More" });
  const closed = () => page.getByRole("menu").waitFor({ state: "detached" });
  /** Presses a key, and waits for the focus to be on `focused`. */
  const press = async (key, focused) => {
    await page.keyboard.press(key);
    if (focused) await page.locator(":focus", { hasText: focused }).waitFor();
  };

  test("it is walked as menus are", async () => {
    await begin("This browser does not keep the chat.");
    await button().focus();
    assert.equal(await button().getAttribute("aria-haspopup"), "menu");
    assert.equal(await button().getAttribute("aria-expanded"), "false");
    await press("Enter", "New chat");
    assert.equal(await button().getAttribute("aria-expanded"), "true");
    assert.equal(await page.getByRole("menuitemcheckbox", { name: "Sound" }).getAttribute("aria-checked"), "true");
    await look(page, "menu");
    await press("ArrowDown", "Earlier chats");
    await press("End", "Language");
    await press("ArrowDown", "New chat");
    await press("ArrowUp", "Language");
    await press("Home", "New chat");
    await press("s", "Sound");
    await press("e", "Earlier chats");
    await press("Escape");
    await closed();
    await button().and(page.locator(":focus")).waitFor();
    await press("ArrowUp", "Language");
    await press("Enter");
    await closed();
    assert.deepEqual(await page.logged("act"), ["Language"]);
    await button().and(page.locator(":focus")).waitFor();
    await press("Space", "New chat");
    await press("Tab");
    await closed();
  });

  test("a click chooses, and one beside it closes it", async () => {
    await begin();
    await button().click();
    await page.getByRole("menuitem", { name: "Earlier chats" }).click();
    assert.deepEqual(await page.logged("act"), ["Earlier chats"]);
    await button().click();
    await page.mouse.click(10, 400);
    await closed();
  });

  test("Escape closes the menu and nothing around it", async () => {
    await begin();
    await page.evaluate(
      () => ((window.escaped = 0), document.addEventListener("keydown", (e) => (window.escaped += e.key === "Escape"))),
    );
    await button().click();
    await page.locator("[role=menu]:focus-within, [role=menu]:focus").waitFor();
    await press("Escape");
    await closed();
    assert.equal(await page.evaluate(() => escaped), 0);
    await press("Escape");
    assert.equal(await page.evaluate(() => escaped), 1);
  });

  test("earlier chats say that they load, that there are none, that they failed, and what they are", async () => {
    const now = Date.UTC(2026, 10, 23, 12);
    await page.evaluate(() => {
      kit.show(null);
      kit.log.length = 0;
      const answers = [
        new Error("no"),
        [],
        [
          { id: "1", title: "Where is my order?", status: "ongoing", createdAt: 0, updatedAt: Date.now() },
          { id: "2", title: null, status: "ended", createdAt: 0, updatedAt: Date.UTC(2026, 0, 2, 12) },
        ],
      ];
      window.answer = null;
      kit.history(
        () =>
          new Promise(
            (resolve, reject) =>
              (window.answer = () => (answers[0] instanceof Error ? reject(answers.shift()) : resolve(answers.shift()))),
          ),
        "1",
      );
    });
    const reply = async () => {
      await page.waitForFunction(() => answer);
      await page.evaluate(() => (answer(), (answer = null)));
    };
    await page.getByText("Loading your chats").waitFor();
    await reply();
    await page.getByText("could not be loaded").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await reply();
    await page.getByText("There are no earlier chats.").waitFor();
    await page.evaluate(() => {
      kit.show(null);
      const list = [
        {
          id: "1",
          title: "Where is my order? And what about all the other things that I have asked for?",
          status: "ongoing",
          createdAt: 0,
          updatedAt: Date.now(),
        },
        { id: "2", title: null, status: "ended", createdAt: 0, updatedAt: Date.UTC(2026, 0, 2, 12) },
      ];
      kit.history(async () => list, "1");
    });
    const entries = page.locator("li button");
    await entries.first().waitFor();
    await look(page, "history");
    assert.equal(await entries.first().getAttribute("aria-current"), "true");
    assert.match(await entries.nth(1).innerText(), /Untitled chat\s+Jan 2, 2026/);
    await entries.nth(1).click();
    assert.deepEqual(await page.logged("open"), ["2"]);
    await page.keyboard.press("Escape");
    assert.equal((await page.logged("close")).length, 1);
    assert.ok(now);
  });

  test("each language is named in its own words", async () => {
    await page.evaluate(() => (kit.show(null), (kit.log.length = 0), kit.languages(["en", "de", "ar", "zh-Hans"], "de")));
    const names = (await page.locator("li button").allInnerTexts()).map((name) => name.trim());
    for (const name of ["English", "Deutsch", "العربية"]) assert.ok(names.includes(name), names.join());
    assert.equal(await page.locator("[aria-current]").innerText(), "Deutsch");
    await look(page, "languages");
    await page.getByText("العربية").click();
    assert.deepEqual(await page.logged("locale"), ["ar"]);
    assert.deepEqual(page.problems, []);
  });
});
