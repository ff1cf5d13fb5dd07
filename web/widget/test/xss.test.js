// What strangers write is text. Every string of the corpus is shown wherever the chat shows what others wrote: nothing
// may run, load, or be reported. PARLEY_LONG takes all strings, otherwise every tenth.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { chosen, strings } from "../../console/test/hostile.js";
import { launch, skip } from "./browser.js";
import * as A from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";
import { openNextState } from "./frames.js";
import { findForbidden, watchFrame } from "./forbidden.js";
import { isWanted } from "./problems.js";
import { ask, describeForm } from "./states.js";

const perPage = 8;
const look = { colorScheme: "light", width: 448, height: 704 };
const bytes = (text) => Buffer.byteLength(text);

/** Groups of strings that are shown at a time, of those that the test takes. */
function groups(offset) {
  const list = chosen(offset).filter((text) => text.trim());
  return Array.from({ length: Math.ceil(list.length / perPage) }, (_, i) => list.slice(i * perPage, (i + 1) * perPage));
}

const citationsOf = (text, name = text) => [
  { sourceId: "s1", name, url: text, quote: text, answerStart: 0, answerEnd: bytes(text) },
  { sourceId: "s2", name: `${name}2`, url: `https://shop.example/${text}`, quote: text, answerStart: bytes(text), answerEnd: bytes(text) },
];

let count = 0;

/** The events of an answer that has the string in every place. */
const hostileAnswer = (text, size) =>
  A.answerEvents({
    answer: text, size,
    tools: [{ toolCallId: `call ${text}`, name: text, input: { [text]: text }, output: { status: "success", data: text } }],
    metadata: { messageId: `msg_${++count}`, userMessageId: `msg_${++count}`, citations: citationsOf(text) },
  });

describe("strings of strangers in the chat", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  /** Opens a state that has the texts in it, and looks for what may not be there. */
  const show = (texts, state, act) =>
    openNextState(browser, server, { ...state, prepareOnce: watchFrame }, look, async (page, chat) => {
      await act(page, chat);
      await check(page, chat, texts);
    });

  async function check(page, chat, texts) {
    const context = JSON.stringify(texts).slice(0, 3_000);
    assert.deepEqual(await chat.evaluate(findForbidden), [], context);
    assert.deepEqual(page.problems.filter((problem) => !isWanted(problem)), [], context);
  }

  test("the corpus has at least 400 strings", () => assert.ok(new Set(strings).size >= 400, String(strings.length)));

  for (const [name, offset, pieces] of [["whole", 0, 0], ["in single characters and bytes", 5, 1]]) {
    test(`answers that come ${name}, with tools and citations`, async () => {
      let next = "";
      const routes = { "POST /messages": () => A.stream(hostileAnswer(next, pieces && next.length < 2_000 ? 1 : 97), { pieces: pieces
        && next.length < 60 ? 1 : 0 }) };
      await openNextState(browser, server, { routes, prepareOnce: watchFrame }, look, async (page, chat) => {
        for (const [i, text] of groups(offset).flat().entries()) {
          next = text;
          await ask(chat, text.slice(0, 5_000).trim() || "x");
          await chat.locator("article[data-state=complete] button[aria-pressed]").nth(2 * i).waitFor();
          if (i % perPage === 0) await check(page, chat, [text]);
        }
        await check(page, chat, ["all"]);
      });
    });
  }

  test("what is stored: messages of customers, of people and of the system, tools, files, citations", async () => {
    for (const texts of groups(1)) {
      const messages = texts.flatMap((text, i) => [
        A.user(text),
        A.agent(text, { metadata: { answerState: "sure", citations: citationsOf(text) } }),
        A.agent("", { parts: [{ type: "tool-call", toolCallId: `t${i}`, toolName: text, input: { [text]: text } }, { type: "tool-result",
          toolCallId: `t${i}`, toolName: text }] }),
        A.person(text, { person: { name: text, picture: null } }),
        { ...A.user(text), parts: [{ type: "file", file: { id: text, name: text, type: "image/png", size: 12, url: text } },
          { type: "text", text }] },
        { ...A.user(text), author: "system" },
      ]);
      const routes = { "GET /conversation/{id}": [200, { data: A.history(messages, { title: texts[0] }) }] };
      await show(texts, { stored: A.kept(), routes }, async (_, chat) => {
        await chat.locator("article").nth(texts.length).waitFor();
        const mark = chat.locator("button", { hasText: /^1$/ }).first();
        if ((await mark.count()) === 0) return;
        await mark.click();
        await chat.locator("dialog").waitFor();
      });
    }
  });

  test("what the company writes: names, greetings, suggestions, notice, footer, placeholder", async () => {
    for (const texts of groups(2)) {
      const [first] = texts;
      const suggestions = texts.flatMap((text) => [{ type: "text", text }, { type: "group", name: `${text}.`,
        items: [{ text: `${text}?` }] }]);
      const state = {
        config: { name: first, initialMessages: texts, suggestedMessages: suggestions, leads: { toolName: first, title: first,
          fields: ["email"] } },
        chat: { displayName: first, footer: texts.join("\n\n"), dismissableNotice: texts.join("\n\n"), messagePlaceholder: first },
      };
      await show(texts, state, async (_, chat) => chat.locator("article").first().waitFor());
    }
  });

  test("what the page says with its options, and names of earlier chats", async () => {
    const stored = A.kept();
    const list = groups(3).flat();
    const heads = list.map((title, i) => ({ ...A.history([]), id: `0192f3c1-0000-7000-8000-0000000${10_000 + i}`, title }));
    const routes = { "GET /conversations": [200, { data: heads }] };
    await show(list, { mode: "help", stored, routes }, async (page, chat) => {
      for (const text of list.slice(0, 20)) {
        await chat.evaluate((value) => {
          const data = { displayName: value, footer: value, messagePlaceholder: value, dismissableNotice: value, bubbleText: value,
            initialMessages: [value], suggestedMessages: [value] };
          postMessage({ type: "setOptions", data }, location.origin);
        }, text);
      }
      await chat.locator("button[aria-haspopup=menu]").click();
      await chat.getByRole("menuitem").nth(1).click();
      await chat.locator("time >> visible=true").first().waitFor();
    });
  });

  test("refusals and failures", async () => {
    let next = "";
    const refuse = () => A.refusal(429, next, next, { "Retry-After": "1" }, { reason: "own_words" });
    const fail = () => A.stream(A.answerEvents({ answer: next, error: next, metadata: { citations: [] } }));
    const routes = { "POST /messages": () => (next.length % 2 ? refuse() : fail()) };
    const few = groups(4).flat().slice(0, process.env.PARLEY_LONG ? undefined : 5);
    for (const text of few) {
      next = text.slice(0, 2_000);
      await show([text], { routes }, async (_, chat) => {
        await ask(chat, "x");
        await chat.getByRole("alert").or(chat.locator("article[data-state=failed]")).first().waitFor();
      });
    }
  });

  test("forms that a page describes, and what they say of what is filled in", async () => {
    const few = groups(6).flat().filter((text) => text.isWellFormed()).slice(0, process.env.PARLEY_LONG ? undefined : 8);
    for (const text of few) {
      const messages = [A.user("x"), A.agent("x", { parts: [{ type: "tool-call", toolCallId: "call_1", toolName: nameOf(text),
        input: { [text]: text } }] })];
      const routes = { "GET /conversation/{id}": [200, { data: A.history(messages) }] };
      await show([text], { stored: A.kept(), routes }, async (page, chat) => {
        await chat.locator("article").nth(1).waitFor();
        await describeForm(chat, nameOf(text), hostileForm(text));
        await chat.locator("article form button[type=submit]").waitFor();
        await check(page, chat, [text]);
        await chat.locator("article form button[type=submit]").click();
        await chat.locator("article [role=status], article [aria-invalid=true]").first().waitFor();
      });
    }
  });

  test("people's names while they write", async () => {
    const few = groups(6).flat().slice(0, process.env.PARLEY_LONG ? undefined : 8);
    for (const text of few) {
      const routes = {
        "GET /conversation/{id}": [200, { data: A.history([A.user("x")], { status: "taken_over" }) }],
        "GET /conversation/{id}/events": A.following([
          ["status", { status: "taken_over" }], ["person", { name: text, picture: null, state: "joined" }], ["typing",
            { until: Date.parse("2026-11-22T12:00:20Z") }],
        ]),
      };
      await show([text], { stored: A.kept(), routes }, async (_, chat) => {
        await chat.locator("h1").filter({ hasText: /./ }).waitFor();
      });
    }
  });

  test("names of files", async () => {
    const names = groups(7).flat().map((text) => text.slice(0, 200)).filter((text) => !text.includes("\0") && text.isWellFormed());
    const few = names.slice(0, process.env.PARLEY_LONG ? undefined : 20);
    const empty = (name) => ({ name, mimeType: "text/html", buffer: Buffer.alloc(0) });
    await openNextState(browser, server, { prepareOnce: watchFrame }, look, async (page, chat) => {
      for (let i = 0; i < few.length; i += 5) {
        const some = few.slice(i, i + 5);
        await chat.locator("input[type=file]").setInputFiles(some.map((name) => ({ ...empty(name), buffer: Buffer.from("x") })));
        await chat.locator("form li").nth(some.length - 1).waitFor();
        await check(page, chat, some);
        while ((await chat.locator("form li").count()) > 0) await chat.locator("form li").first().getByRole("button").last().click();
        await chat.locator("input[type=file]").setInputFiles(some.map(empty));
        await chat.getByRole("alert").nth(some.length - 1).waitFor();
      }
      await check(page, chat, few);
    });
  });
});

/** A name of a form or a field, which may not be long. */
const nameOf = (text) => text.slice(0, 150).toWellFormed().trim() || "x";

const hostileForm = (text) => ({
  submitButtonText: text, successMessage: text, errorMessage: text, showLabels: true,
  fields: [
    { name: `${nameOf(text)}.`, type: "text", label: text, placeholder: text, defaultValue: text, validation: { required: { value: true,
      message: text }, pattern: { value: text, message: text } } },
    { name: "b", type: "select", label: text, options: [{ value: nameOf(text), label: text }] },
    { name: "c", type: "groupselect", label: text, options: { [text]: [{ value: nameOf(text), label: text }] } },
    { name: "d", type: "image", label: text },
  ],
});
