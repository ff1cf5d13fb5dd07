// What the chat costs, in counts: requests, bytes, nodes and shifts. How long things take is measured by `make bench`.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { launch, skip } from "./browser.js";
import * as A from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";
import { openState } from "./frames.js";
import { until } from "./setup.js";
import { ask } from "./states.js";
import { built } from "./server.js";

const frame = { width: 448, height: 704 };
const wide = { width: 1280, height: 800 };
const answered = (chat) => chat.locator("article[data-state=complete] button[aria-pressed]").first().waitFor();

describe("the chat costs", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  /** Opens a state, and notes from the beginning what it asks for and what moves in it. */
  const open = (state, use, look = {}) => {
    const asked = [];
    const prepare = async (page) => {
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.addInitScript(noteShifts);
      await page.addInitScript(answerByFrames);
    };
    return openState(browser, server, { size: frame, ...state, prepare }, look, (page, chat) => use(page, chat, asked));
  };
  /** Waits until all that was asked for has come, and nothing follows from it. */
  const settled = (page) => page.waitForLoadState("networkidle");
  const files = (asked) => asked.filter((path) => path.startsWith("/__cb/")).map((path) => path.slice("/__cb/".length));
  const api = (asked) => asked.filter((path) => path.startsWith("/api/"));

  // As people open it: by a click on the button, with the field in focus; nothing is written. The loader's own are not counted.
  const isFrames = (file) => !/^(boot\/|window-)/.test(file);
  const inBubble = { site: {}, size: wide };
  const onHelpPage = { mode: "help", size: wide, act: (_, chat) => chat.locator("textarea").focus() };
  const bare = { chat: { showAttachments: false } };
  for (const [name, state, bar] of [
    ["the chat in a bubble", { ...inBubble, ...bare }, 45_000],
    ["the chat in a bubble, with the button for files", inBubble, 52_000],
    ["the help page", { ...onHelpPage, ...bare }, 50_000],
  ]) {
    test(`${name}: each file once, nothing of the API, and no more bytes than it may`, async () => {
      await open(state, async (page, chat, asked) => {
        await chat.getByRole("button", { name: "Mehr", exact: true }).waitFor();
        await chat.waitForFunction(() => document.activeElement.localName === "textarea");
        await settled(page);
        const loaded = files(asked).filter(isFrames);
        assert.deepEqual(loaded, [...new Set(loaded)]);
        assert.ok(loaded.length <= 9, loaded.join());
        assert.deepEqual(api(asked), []);
        const size = loaded.map((file) => gzipSync(readFileSync(join(built, file)), { level: 9 }).length).reduce((a, b) => a + b);
        assert.ok(size <= bar, `${size} bytes: ${loaded.join()}`);
      }, { locale: "de" });
    });
  }

  test("the menu and what shows answers: loaded when somebody goes for them", async () => {
    await open({ ...inBubble, ...bare }, async (page, chat, asked) => {
      const has = (name) => files(asked).some((file) => file.startsWith(`${name}-`));
      await settled(page);
      assert.deepEqual(["chat-menu", "answer-view"].map(has), [false, false]);
      await chat.locator("textarea").pressSequentially("H");
      await until(() => has("answer-view"));
      await chat.getByRole("button", { name: "More", exact: true }).focus();
      await page.keyboard.press("ArrowDown");
      await chat.getByRole("menuitem", { name: "New chat" }).waitFor();
      assert.equal(await chat.evaluate(() => document.activeElement.textContent), "New chat");
      await page.keyboard.press("Escape");
      assert.equal(await chat.evaluate(() => document.activeElement.getAttribute("aria-label")), "More");
    });
  });

  for (const [name, state] of [
    ["the frame", { act: (_, chat) => chat.locator("textarea").waitFor() }],
    ["the help page", { mode: "help", size: wide, act: (_, chat) => chat.locator("textarea").waitFor() }],
  ]) {
    test(`${name}: one language beside English`, async () => {
      await open(state, async (page, chat, asked) => {
        await chat.locator("textarea").waitFor();
        await settled(page);
        const languages = readdirSync(join(import.meta.dirname, "../locales")).map((file) => file.replace(".json", ""));
        const isLanguage = (file) => languages.some((tag) => new RegExp(`^${tag}-[\\w-]{8}\\.js$`).test(file));
        assert.deepEqual(files(asked).filter(isLanguage).map((file) => file.slice(0, 2)), ["de"]);
      }, { locale: "de" });
    });

    test(`${name}: nothing moves while it comes up, nor the field and the head while an answer is written`, async () => {
      await open({ ...state, routes: { "POST /messages": () => A.stream(A.answerEvents({ answer: longAnswer(20), size: 8 })) } },
        async (page, chat) => {
          await chat.locator("article").first().waitFor();
          await settled(page);
          assert.deepEqual(await chat.evaluate(() => window.shifts), []);
          await chat.evaluate(notePlaces);
          await ask(chat, "Tell me all.");
          await answered(chat);
          assert.equal((await chat.evaluate(() => [...window.places])).length, 1);
        });
    });
  }

  test("a font that was chosen: the part of it that is needed, from this server", async () => {
    const fonts = (asked) => files(asked).filter((file) => file.endsWith(".woff2"));
    for (const [chosen, parts] of [["System", 0], ["Inter", 1]]) {
      const config = A.config();
      config.styles.centerStage = { enabled: true, typography: { fontFamily: chosen, fontSize: "16px" } };
      await open({ mode: "stage", config }, async (page, chat, asked) => {
        await chat.locator("article").first().waitFor();
        await settled(page);
        // A machine that has the font loads none by itself: it is asked to.
        const loaded = await chat.evaluate(async () => (await document.fonts.load('16px "Inter Variable"', "Hi!")).length);
        await chat.waitForFunction(() => [...document.fonts].every(({ status }) => status !== "loading"));
        assert.deepEqual([loaded, fonts(asked).length], [parts, parts], `${chosen}: ${fonts(asked)}`);
        assert.match(fonts(asked).join(), parts ? /^inter-latin-wght-normal-/ : /^$/);
        const family = await chat.evaluate(() => getComputedStyle(document.body).fontFamily);
        assert.match(family, parts ? /^Inter, "Inter Variable"/ : /^system-ui/);
      });
    }
  });

  test("a question: a visitor and the message, each asked for once", async () => {
    await open({}, async (page, chat, asked) => {
      await ask(chat, "How do I return shoes?");
      await answered(chat);
      const paths = api(asked).map((path) => path.replace(`/api/chat/${server.config.agentId}`, ""));
      assert.deepEqual(paths.slice(0, 2), ["/visitor", "/messages"]);
      assert.deepEqual(paths, [...new Set(paths)]);
    });
  });

  test("what is written of an answer is drawn once: blocks that are complete are never replaced", async () => {
    const events = A.answerEvents({ answer: longAnswer(60), size: 20 });
    assert.ok(events.length > 100, `${events.length} events`);
    await open({ routes: { "POST /messages": () => A.stream(events) } }, async (page, chat) => {
      await chat.locator("article").first().waitFor();
      await chat.evaluate(countRemoved);
      await ask(chat, "Tell me all.");
      await answered(chat);
      const { removed, paragraphs, nodes } = await chat.evaluate(() => ({
        removed: window.removed,
        paragraphs: document.querySelectorAll("article:last-of-type p").length,
        nodes: document.querySelectorAll("[role=log] *").length,
      }));
      assert.ok(paragraphs >= 60);
      assert.ok(removed <= 10, `${removed} paragraphs were replaced`);
      assert.ok(nodes <= 60 * 4 + 120, `${nodes} nodes`);
    });
  });

  test("500 messages: ten pages of them, and nodes in proportion", async () => {
    const all = Array.from({ length: 500 }, (_, i) => (i % 2 ? A.agent(`Answer ${i}.`, { metadata: { answerState: "sure",
      citations: [] } }) : A.user(`Question ${i}?`))).map((message, i) => ({ ...message, seq: i + 1, id: `m${i}` }));
    const before = ({ query }) => {
      const end = Number(query.get("before")) ? Number(query.get("before")) - 1 : all.length;
      return [200, { data: A.history(all.slice(Math.max(0, end - 50), end), { hasMore: end > 50 }) }];
    };
    await open({ stored: A.kept(), routes: { "GET /conversation/{id}": before } }, async (page, chat, asked) => {
      await chat.locator("article").nth(49).waitFor();
      const count = () => chat.evaluate(() => [document.querySelectorAll("article").length, document.querySelectorAll("*").length]);
      const [few, least] = await count();
      for (let shown = few; shown < all.length; ) {
        await chat.getByRole("log").evaluate((log) => log.scrollTo(0, 0));
        await chat.waitForFunction((n) => document.querySelectorAll("article").length > n, shown);
        [shown] = await count();
      }
      await chat.locator("article").nth(499).waitFor({ state: "attached" });
      const [many, most] = await count();
      const perMessage = (most - least) / (many - few);
      assert.ok(perMessage <= 40, `${perMessage} nodes a message`);
      assert.equal(api(asked).filter((path) => /\/conversation\/[\w-]+$/.test(path)).length, 10);
    });
  });

  test("conversations that were left: nothing of them stays in memory", async () => {
    const chats = ["c1", "c2"].map((id) => ({ ...A.history([]), id, title: id }));
    const other = ({ path }) => {
      const id = path.split("/").at(-1);
      return [200, { data: A.history([A.user(`This is ${id}.`), A.agent()], { id }) }];
    };
    const routes = { "GET /conversations": [200, { data: chats }], "GET /conversation/{id}": other };
    await open({ mode: "help", size: wide, stored: A.kept(), routes }, async (page) => {
      const entry = (i) => page.getByRole("navigation").locator("li button").nth(i);
      const visit = async (i) => {
        await entry(i).click();
        await page.locator("article", { hasText: `This is c${i + 1}.` }).first().waitFor();
      };
      const devtools = await page.context().newCDPSession(page);
      const count = async () => {
        await devtools.send("HeapProfiler.collectGarbage");
        const { nodes, jsEventListeners } = await devtools.send("Memory.getDOMCounters");
        return { nodes, jsEventListeners };
      };
      const rounds = async (n) => {
        for (let i = 0; i < n; i++) await visit(i % 2);
        return count();
      };
      const first = await rounds(6);
      const later = await rounds(40);
      assert.ok(later.nodes <= first.nodes * 1.2, JSON.stringify({ first, later }));
      assert.ok(later.jsEventListeners <= first.jsEventListeners * 1.2, JSON.stringify({ first, later }));
    });
  });
});

const paragraph = (i, count) => `Paragraph ${i + 1} of **${count}**, with some words in it.`;
const longAnswer = (count) => Array.from({ length: count }, (_, i) => paragraph(i, count)).join("\n\n");

// noteShifts runs in all frames before anything else does.
function noteShifts() {
  window.shifts = [];
  const note = (list) => {
    for (const { value, sources } of list.getEntries()) {
      window.shifts.push(`${value}: ${sources.map(({ node }) => node?.className ?? node?.nodeName).join()}`);
    }
  };
  new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
}

// notePlaces notes at each frame from now on where the head and the field are.
function notePlaces() {
  window.places = new Set();
  const top = (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().top);
  const note = () => {
    window.places.add(`${top("h1")} ${top("textarea")}`);
    requestAnimationFrame(note);
  };
  note();
}

// answerByFrames runs before anything else does: an answer comes event by event, each before another frame is drawn.
function answerByFrames() {
  const { fetch } = window;
  window.fetch = async (address, options) => {
    const reply = await fetch(address, options);
    if (!reply.ok || !String(address).endsWith("/messages")) return reply;
    const events = (await reply.text()).split(/(?<=\n\n)/);
    const pull = async (controller) => {
      await new Promise(requestAnimationFrame);
      const next = events.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(next));
    };
    return new Response(new ReadableStream({ pull }), { status: reply.status, headers: reply.headers });
  };
}

// countRemoved counts the paragraphs that are taken out of the messages.
function countRemoved() {
  window.removed = 0;
  const count = (node) => (node.nodeType !== 1 ? 0 : (node.localName === "p" ? 1 : 0) + node.querySelectorAll("p").length);
  new MutationObserver((changes) => {
    for (const { removedNodes } of changes) for (const node of removedNodes) window.removed += count(node);
  }).observe(document.querySelector("[role=log]"), { childList: true, subtree: true });
}
