// What the chat keeps in the browser, and what it offers beside answers: examples of questions, copies, languages, a tone.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import * as A from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";
import { openState } from "./frames.js";
import { until } from "./setup.js";
import { ask } from "./states.js";

const look = { colorScheme: "light", width: 448, height: 704 };
const key = `parley:${A.agentId}`;
const answered = (chat) => chat.locator("article[data-state=complete] button[aria-pressed]").first().waitFor();
const greeted = (chat) => chat.locator("article").first().waitFor();
const keeps = (page, text) => page.waitForFunction(([key, text]) => localStorage.getItem(key)?.includes(text), [key, text]);

describe("the chat", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });
  const open = (state, use, more = {}) => openState(browser, server, state, { ...look, ...more }, use);
  const sent = () => server.asked.filter(({ path }) => path === "/messages").map(({ body }) => body.message);

  test("keeps words that are not sent, until they are", async () => {
    await open({}, async (page, chat) => {
      await chat.locator("textarea").fill("Half a question");
      await keeps(page, "Half a question");
      await page.reload();
      await until(async () => (await chat.locator("textarea").inputValue()) === "Half a question");
      await ask(chat, "Half a question, and the other half");
      await answered(chat);
      await page.reload();
      await answered(chat);
      assert.equal(await chat.locator("textarea").inputValue(), "");
    });
  });

  test("a notice that was closed stays away, and another one is shown", async () => {
    const notice = (text) => {
      server.config = A.config({}, { dismissableNotice: text });
    };
    await open({ chat: { dismissableNotice: "Closed on Friday." } }, async (page, chat) => {
      const shown = chat.getByRole("complementary");
      await shown.getByRole("button").click();
      await shown.waitFor({ state: "detached" });
      await page.reload();
      await greeted(chat);
      assert.equal(await shown.count(), 0);
      notice("Closed on Monday.");
      await page.reload();
      await shown.getByText("Closed on Monday.").waitFor();
    });
  });

  test("examples of questions, in groups, are sent by a click and are there until something was asked", async () => {
    const group = { type: "group", name: "Returns", items: [{ text: "How long" }, { text: "What does it cost" }] };
    await open({ config: { suggestedMessages: [{ type: "text", text: "Opening hours" }, group] } }, async (page, chat) => {
      await chat.getByRole("button", { name: "Returns" }).click();
      await chat.getByRole("list", { name: "Returns" }).waitFor();
      assert.equal(await chat.getByRole("button", { name: "Opening hours" }).count(), 0);
      await chat.getByRole("button", { name: "Back" }).click();
      await chat.getByRole("button", { name: "Opening hours" }).waitFor();
      await page.evaluate(() => postMessage({ type: "setOptions", data: { suggestedMessages: ["Of the page"] } }, location.origin));
      await chat.getByRole("button", { name: "Of the page" }).waitFor();
      assert.equal(await chat.getByRole("button", { name: "Returns" }).count(), 0);
      await page.evaluate(() => postMessage({ type: "resetOptions" }, location.origin));
      await chat.getByRole("button", { name: "Returns" }).click();
      await chat.getByRole("button", { name: "How long" }).click();
      await answered(chat);
      assert.deepEqual(sent(), ["How long"]);
      assert.equal(await chat.getByRole("button", { name: "Opening hours" }).count(), 0);
    });
  });

  test("what the page sends after a conversation has ended begins another", async () => {
    const metadata = { conversationId: "0192f3c1-0000-7000-8000-0000000000c2" };
    const routes = {
      "GET /conversation/{id}": [200, { data: A.history([A.user("Thanks!"), A.agent()], { status: "ended" }) }],
      "POST /messages": () => A.stream(A.answerEvents({ metadata })),
    };
    await open({ routes, stored: A.kept() }, async (page, chat) => {
      await chat.getByText("This conversation has ended.").waitFor();
      await page.evaluate(() => postMessage({ type: "send", data: { message: "Is it in stock?" } }, location.origin));
      await chat.getByText("Is it in stock?").first().waitFor();
      await answered(chat);
      const [{ body }] = server.asked.filter(({ path }) => path === "/messages");
      assert.deepEqual([body.message, body.conversationId], ["Is it in stock?", undefined]);
      assert.equal(await chat.getByText("Thanks!").count(), 0);
    });
  });

  test("a file of a visitor whom the server does not know any more is sent as another's", async () => {
    let count = 0;
    const taken = { id: "file_1", name: "receipt.pdf", type: "application/pdf", size: 5, url: "/api/chat/x/files/file_1" };
    const routes = {
      "POST /files": () => (count++ === 0 ? A.refusal(401, "AUTH_VISITOR_REQUIRED", "Ask for a token.") : [200, { data: taken }]),
    };
    await open({ stored: A.kept(), routes }, async (page, chat) => {
      await answered(chat);
      const file = { name: "receipt.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-") };
      await chat.locator("input[type=file]").setInputFiles(file);
      await chat.getByRole("button", { name: "Remove receipt.pdf" }).waitFor(); // it has arrived
      assert.deepEqual([count, await chat.getByText("Not sent").count()], [2, 0]);
      assert.ok(server.asked.some(({ path }) => path === "/visitor"));
    });
  });

  test("an answer is copied as it was written, and the button says so", async () => {
    await open({ stored: A.kept(), options: { permissions: ["clipboard-read", "clipboard-write"] } }, async (page, chat) => {
      await answered(chat);
      await chat.getByRole("button", { name: "Copy" }).click();
      await chat.getByRole("button", { name: "Copied" }).waitFor();
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /within \*\*30 days\*\*/);
    });
    // A frame may not write to the clipboard unless its page allows it: then the browser's older way is taken.
    const prepare = (page) => page.addInitScript(denyClipboard);
    await open({ stored: A.kept(), prepare }, async (page, chat) => {
      await answered(chat);
      await chat.getByRole("button", { name: "Copy" }).click();
      await page.waitForFunction(() => window.copied);
      assert.match(await page.evaluate(() => window.copied), /within \*\*30 days\*\*/);
      assert.equal(await chat.locator("textarea").count(), 1);
    });
    await open({ stored: A.kept(), chat: { showCopyButton: false, showFeedback: false } }, async (_, chat) => {
      await chat.getByText("send them back").first().waitFor();
      await chat.getByRole("button", { name: /Returns policy/ }).waitFor();
      assert.equal(await chat.getByRole("button", { name: /^(Copy|Good answer|Bad answer)$/ }).count(), 0);
    });
  });

  test("a chat that goes by its page is light or dark as that is, or as the browser says", async () => {
    const page = { chat: { theme: "page" } };
    const scheme = (chat, wanted) => until(() => chat.evaluate((wanted) => document.documentElement.dataset.theme === wanted, wanted));
    await open(page, (_, chat) => scheme(chat, "dark"), { colorScheme: "dark" });
    await open(page, async (page, chat) => {
      await scheme(chat, "light");
      const data = { url: "https://shop.example/", title: "", locale: "en", colorScheme: "dark" };
      await page.evaluate((data) => postMessage({ type: "page", data }, location.origin), data);
      await scheme(chat, "dark");
    });
  });

  test("the language is the visitor's choice, else that of the page, of the browser, of the agent", async () => {
    const language = (chat, wanted) => until(() => chat.evaluate((wanted) => document.documentElement.lang === wanted, wanted));
    const agent = { config: { locale: "ja" } };
    await open(agent, (_, chat) => language(chat, "ja"), { locale: "eo" }); // there is none of this browser
    await open(agent, async (page, chat) => {
      await language(chat, "fr");
      const data = { url: "https://shop.example/", title: "", locale: "it" };
      await page.evaluate((data) => postMessage({ type: "page", data }, location.origin), data);
      await language(chat, "it");
      await chat.getByRole("button", { name: "Altro" }).click();
      await chat.getByRole("menuitem").last().click();
      await chat.getByRole("button", { name: "العربية", exact: true }).click();
      await language(chat, "ar");
      assert.equal(await chat.evaluate(() => document.documentElement.dir), "rtl");
      await page.reload();
      await language(chat, "ar");
      await greeted(chat);
      await page.evaluate(() => postMessage({ type: "setLocale", data: "de" }, location.origin));
      await language(chat, "de");
      await page.reload();
      await language(chat, "de");
    }, { locale: "fr" });
  });

  test("a message of another day has its date, one of today the time alone", async () => {
    const createdAt = Date.parse("2026-11-19T08:00:00Z");
    const messages = [A.user("Do you have boots?", { createdAt }), A.agent("We do.", { createdAt }), A.user("In red?"), A.agent("In red.")];
    const routes = { "GET /conversation/{id}": [200, { data: A.history(messages) }] };
    await open({ routes, stored: A.kept() }, async (page, chat) => {
      await answered(chat);
      const texts = await chat.locator("article[data-state=complete]").allInnerTexts();
      assert.deepEqual(texts.map((text) => text.includes("Nov 19, 2026")), [true, true, false, false]);
    });
  });

  test("a tone is played for what comes while nobody looks, if the visitor wants it", async () => {
    for (const hasSound of [false, true]) {
      const prepare = (page) => page.addInitScript(countTones);
      const routes = { "POST /messages": () => A.stream(A.answerEvents()) };
      await open({ prepare, routes, stored: A.kept({ hasSound }) }, async (page, chat) => {
        await answered(chat);
        await page.evaluate(() => Object.defineProperty(document, "visibilityState", { value: "hidden" }));
        await ask(chat, "And socks?");
        await chat.locator("article[data-state=complete] button[aria-pressed]").nth(2).waitFor();
        if (hasSound) await page.waitForFunction(() => window.tones === 1);
        assert.equal(await page.evaluate(() => window.tones), hasSound ? 1 : 0);
      });
    }
  });
});

// denyClipboard runs before anything else does.
function denyClipboard() {
  navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
  document.addEventListener("copy", ({ target }) => (window.copied = target.value));
}

// countTones runs before anything else does.
function countTones() {
  window.tones = 0;
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...args) {
    window.tones++;
    return start.apply(this, args);
  };
}
