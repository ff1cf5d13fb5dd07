// The chat for those who use a keyboard or hear it: axe-core finds nothing in any state, and what is said and where the
// focus goes is as it should be. Each state is seen twice, and in every look where PARLEY_LONG is set.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findings } from "./axe.js";
import { launch, skip } from "./browser.js";
import { agent, answerEvents, history, kept, stream, user } from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";
import { openNextState } from "./frames.js";
import { isWanted } from "./problems.js";
import { ask, looks, states } from "./states.js";

const all = [];
for (const colorScheme of ["light", "dark"]) {
  for (const locale of ["en", "ar-XB"]) for (const [width, height] of [[448, 704], [390, 844]]) all.push({ colorScheme, locale, width,
    height });
}
const chosen = process.env.PARLEY_LONG ? all : [looks.phone]; // pictures.test.js sees the light one
const nameOf = ({ colorScheme, locale = "en", width }) => `${colorScheme} ${locale} ${width}`;

describe("the chat is accessible", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });
  const open = (state, use, look = looks.light) => openNextState(browser, server, state, look, use);

  for (const [name, state] of Object.entries(states)) {
    for (const look of chosen) {
      test(`${name} ${nameOf(look)}`, async () => {
        await open(state, async (page, chat) => {
          assert.deepEqual(await findings(chat), []);
          assert.deepEqual(page.problems.filter((problem) => !isWanted(problem)), []);
        }, look);
      });
    }
  }

  test("a question is asked and answered without a pointer, and what is said is said once", async () => {
    await open(states.fresh, async (page, chat) => {
      await chat.evaluate(noteSpoken);
      await page.keyboard.press("Tab");
      await chat.locator("textarea").focus();
      await page.keyboard.type("How do I return shoes?");
      await page.keyboard.press("Enter");
      await chat.locator("article[data-state=complete] button[aria-pressed]").first().waitFor();
      await chat.waitForFunction(() => window.spoken.filter(Boolean).length > 1); // what is said follows what is drawn
      const said = await chat.evaluate(() => window.spoken.filter(Boolean));
      assert.deepEqual(said, ["Shop help is writing.", "You can send them back within 30 days. The label is in the parcel."]);
      await chat.locator("textarea:focus").waitFor();
    });
  });

  test("the order in which Tab walks", async () => {
    const act = (_, chat) => chat.getByRole("button", { name: "Good answer" }).click();
    await open({ ...states.citation, act }, async (page, chat) => {
      await chat.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
      await chat.getByRole("log").focus();
      const walked = ["Messages"];
      for (let i = 0; i < 20; i++) {
        await page.keyboard.press("Tab");
        const name = await chat.evaluate(nameFocused);
        if (!name || walked.includes(name)) break;
        walked.push(name);
      }
      assert.deepEqual(walked, tabOrder);
    });
  });

  test("the sheet of a citation opens and closes by keys, and the focus comes back", async () => {
    await open({ stored: kept() }, async (page, chat) => {
      const mark = chat.getByRole("button", { name: /Returns policy/ });
      await mark.focus();
      await page.keyboard.press("Enter");
      await chat.getByRole("dialog", { name: "Returns policy" }).and(chat.locator(":focus-within")).waitFor();
      await page.keyboard.press("Escape");
      await chat.getByRole("dialog", { name: "Returns policy" }).waitFor({ state: "detached" });
      await mark.and(chat.locator(":focus")).waitFor();
    });
  });

  for (const name of ["languages", "handover", "call"]) {
    test(`what is covered cannot be reached, and the focus comes back: ${name}`, async () => {
      await open(states[name], async (page, chat) => {
        const isOutside = () => document.activeElement !== document.body && document.activeElement.closest("section") === null;
        await chat.locator("section :focus").waitFor();
        for (let i = 0; i < 30; i++) {
          await page.keyboard.press("Tab");
          assert.equal(await chat.evaluate(isOutside), false, await chat.evaluate(nameFocused));
        }
        await chat.locator("section button").first().focus();
        await page.keyboard.press("Escape");
        await chat.locator("section").waitFor({ state: "detached" });
        await chat.locator("button:focus").waitFor();
        assert.equal(await chat.locator("[inert]").count(), 0);
      });
    });
  }

  test("Shift and Enter break a line, and a word that is composed is not sent", async () => {
    await open(states.fresh, async (page, chat) => {
      const box = chat.locator("textarea");
      await box.focus();
      await page.keyboard.type("One");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("two");
      assert.equal(await box.inputValue(), "One\ntwo");
      await box.evaluate((field) => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true })));
      assert.equal(await box.inputValue(), "One\ntwo");
      assert.ok(!server.asked.some(({ path }) => path === "/messages"));
    });
  });

  test("a fault is an alert, and the answer can be asked for again by keys", async () => {
    await open(states.failed, async (page, chat) => {
      const alert = chat.getByRole("alert").filter({ hasText: "could not be written" });
      assert.equal(await alert.count(), 1);
      await alert.getByRole("button", { name: "Try again" }).focus();
      await page.keyboard.press("Enter");
      await alert.waitFor({ state: "detached" });
    });
  });

  test("messages say who wrote them and when, in order", async () => {
    await open(states.person, async (_, chat) => {
      const said = await chat.getByRole("log").getByRole("heading").allTextContents();
      assert.equal(said.length, 4);
      assert.match(said[0], /^Shop help says:$/);
      assert.match(said[1], /^You said at /);
      assert.match(said[2], /^Shop help said at /);
      assert.match(said[3], /^Kim said at /);
    });
  });

  test("long answers are said up to 500 characters", async () => {
    const long = "word ".repeat(300).trim();
    const routes = { "POST /messages": () => stream(answerEvents({ answer: long })) };
    await open({ ...states.fresh, routes }, async (_, chat) => {
      await chat.evaluate(noteSpoken);
      await ask(chat, "Tell me all.");
      await chat.locator("article[data-state=complete] button[aria-pressed]").first().waitFor();
      const said = (await chat.evaluate(() => window.spoken)).at(-1);
      assert.ok(said.length < 560 && said.endsWith("More in the chat."), said);
    });
  });

  test("at 320 pixels and at four times the size nothing is lost to the side", async () => {
    const stored = kept();
    const routes = { "GET /conversation/{id}": [200, { data: history([user("x".repeat(120)), agent()]) }] };
    await open({ stored, routes }, async (page, chat) => {
      await chat.locator("article").nth(2).waitFor();
      assert.ok(await chat.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }, { ...looks.light, width: 320, height: 256 });
  });

  test("the colors of the system are followed", async () => {
    await open({ stored: kept(), options: { forcedColors: "active" } }, async (_, chat) => {
      await chat.locator("article").nth(2).waitFor();
      const border = await chat.locator("textarea").evaluate((field) => getComputedStyle(field.closest("form")).borderStyle);
      assert.notEqual(border, "none");
    });
  });
});

const tabOrder = [
  "Messages", "Source 1: Returns policy", "Source 2: Shipping FAQ", "Good answer", "Bad answer", "Copy",
  "Answer again", "Ask a question…",
  "Add files, at most 5", "Send",
];

// The functions below run in the frame.

function noteSpoken() {
  window.spoken = [];
  const place = [...document.querySelectorAll("[role=status]")].at(-1);
  new MutationObserver(() => window.spoken.at(-1) !== place.textContent && window.spoken.push(place.textContent)).observe(place, {
    childList: true, characterData: true, subtree: true,
  });
}

function nameFocused() {
  const { activeElement: element } = document;
  if (!element || element === document.body) return "";
  return element.getAttribute("aria-label") || element.textContent.trim().slice(0, 60);
}
