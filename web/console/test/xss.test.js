// What strangers write is text. Every string of the corpus is shown wherever the playground shows what others wrote;
// nothing may run, load, or be reported. PARLEY_LONG takes all strings, otherwise every tenth.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { skip } from "./browser.js";
import { chosen, findForbidden, strings, watchPage } from "./hostile.js";
import { eventsOf, explain, metadata, streamOf } from "./playground-answers.js";
import { sendQuestion } from "./screen-states.js";
import { useSamePages } from "./setup.js";

const byteLength = (text) => Buffer.byteLength(text);

/** The events of an answer that has the string in every place. */
function hostileEvents(text, size) {
  const citation = { sourceId: text, name: text, url: text, versionHash: text, start: 0, end: byteLength(text), answerStart: 0, answerEnd: byteLength(text) };
  const linked = { ...citation, sourceId: `${text}2`, url: `https://shop.example/${text}`, answerStart: byteLength(text) };
  const tool = { toolCallId: text, name: text, input: { [text]: text }, output: { status: "success", data: text } };
  const passage = { ...explain.passages[0], id: text, sourceId: text, name: text, heading: text, text, quotes: [text], end: byteLength(text) };
  const end = {
    ...metadata,
    citations: [citation, linked],
    explain: { ...explain, question: text, model: text, backEnd: text, promptVersion: text, passages: [passage], tools: [tool] },
  };
  return eventsOf({ answer: text, size, tools: [tool], metadata: end });
}

describe("strings of strangers in the playground", { skip }, () => {
  const open = useSamePages(watchPage);
  test("the corpus has at least 400 strings", () => assert.ok(new Set(strings).size >= 400, String(strings.length)));

  test("suggestions, earlier conversations, the improve dialog and its result", async () => {
    let next = "x";
    const shown = (text) => ({ text, score: 1, citations: [], credits: 0 });
    const answer = (asked) => {
      const list = agents.map((agent) => ({ ...agent, name: next, suggestedMessages: [{ type: "text", text: next }] }));
      const base = answers({ list });
      if (asked.method !== "POST" && /\/playground\/conversations$/.test(asked.path)) {
        return [200, { conversations: [{ conversationId: "conv", question: next, messages: 2, lastActivity: "2026-11-20T16:41:07Z" }] }];
      }
      if (asked.method === "GET" && /\/sources$/.test(asked.path)) {
        return [200, { data: [{ sourceId: "s", name: next, type: "qna" }], pagination: { hasMore: true } }];
      }
      if (/\/improve$/.test(asked.path)) {
        return [200, { source: { sourceId: "s", name: next }, before: shown(next), after: shown(next) }];
      }
      return base(asked);
    };
    const few = chosen(3).filter((text, i) => text.trim() && text.length < 3_000 && (process.env.PARLEY_LONG || i % 12 === 0));
    for (const text of few) {
      next = text;
      await open(answer, `/agents/${agents[0].id}/playground?conversation=conv`, async (page) => {
        await page.getByRole("button", { name: "Earlier conversations" }).click();
        await page.getByRole("dialog").getByRole("button", { name: /2 messages/ }).waitFor();
        assert.deepEqual(await page.evaluate(findForbidden), [], text);
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Improve answer" }).click();
        await page.getByLabel("What it should answer").fill(text);
        await page.getByRole("button", { name: "Save and ask again" }).click();
        await page.getByRole("dialog").getByText("Now", { exact: true }).waitFor();
        assert.deepEqual(await page.evaluate(findForbidden), [], text);
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "New conversation" }).click();
        await page.getByRole("list", { name: "Questions to begin with" }).waitFor();
        assert.deepEqual(await page.evaluate(findForbidden), [], text);
      });
    }
  });

  test("the first run's answer", async () => {
    let next = "x";
    const base = answers();
    const answer = (asked) =>
      asked.method === "POST" && /\/playground$/.test(asked.path) ? streamOf(hostileEvents(next, 50)) : base(asked);
    await open(answer, `/welcome/${agents[0].id}`, async (page) => {
      const few = chosen(7).filter((_, i) => process.env.PARLEY_LONG || i % 4 === 0);
      for (const [i, text] of few.entries()) {
        next = text;
        await sendQuestion(page, "x");
        await page.getByRole("button", { name: "Good answer" }).nth(i).waitFor();
      }
      assert.deepEqual(await page.evaluate(findForbidden), []);
    });
  });

  for (const [name, offset, size] of [["whole", 0, 0], ["in single characters and bytes", 5, 1]]) {
    test(`answers that come ${name}`, async () => {
      const list = agents.map((agent) => ({ ...agent, instructions: "", temp: 0, suggestedMessages: null }));
      const base = answers({ list });
      let next = "";
      let count = 0;
      const answer = (asked) => {
        if (asked.method === "GET" && /\/passages$/.test(asked.path)) {
          return [200, { state: "changed", occurs: false, text: next, start: 0, end: 1, version: next, liveVersion: next }];
        }
        if (asked.method !== "POST" || !/\/playground$/.test(asked.path)) return base(asked);
        const step = size && next.length > 2_000 ? 97 : size;
        return streamOf(hostileEvents(next, step), size && next.length < 80 && (process.env.PARLEY_LONG || count % 10 === 0) ? 1 : 0);
      };
      await open(answer, `/agents/${agents[0].id}/playground`, async (page) => {
        const done = page.getByRole("button", { name: "Improve answer" });
        const list = chosen(offset);
        for (const [i, text] of list.entries()) {
          [next, count] = [text, i];
          await sendQuestion(page, text.slice(0, 5_000).trim() ? text.slice(0, 5_000) : "x");
          await done.nth(i % 10).waitFor();
          if (i % 10 !== 9 && i !== list.length - 1) continue;
          await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
          await page.locator("ol li button", { hasText: /^1$/ }).last().click();
          await page.locator("blockquote mark").last().waitFor();
          assert.deepEqual(await page.evaluate(findForbidden), [], JSON.stringify(list.slice(i - (i % 10), i + 1)).slice(0, 3_000));
          await page.keyboard.press("Escape");
          await page.getByRole("button", { name: "New conversation" }).click();
        }
      });
    });
  }
});
