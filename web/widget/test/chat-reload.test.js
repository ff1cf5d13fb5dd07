// Whatever is reloaded and cut in the middle of an answer, there is one answer, whole, and it is charged once: 20 answers,
// and 1,000 where PARLEY_LONG is set, or as many as PARLEY_RELOADS says.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { ask, field, nextAddress, random, startChats, stored } from "./chats.js";
import { createGate } from "./model.js";

const words = "The parcel left our house on Monday and is on its way — près de chez vous, 今日 🎁 it arrives. ".repeat(4);
const pieces = 60;
const count = Number(process.env.PARLEY_RELOADS ?? (process.env.PARLEY_LONG ? 1_000 : 20));
const seed = Number(process.env.PARLEY_SEED ?? 7);
const lanes = 2; // pages at a time

describe("an answer that is lost", { skip }, () => {
  let chats, browser;
  const gates = new Map();
  before(async () => {
    [chats, browser] = await Promise.all([startChats(), launch()]);
    chats.model.answer = (asked) => {
      const question = [...gates.keys()].find((one) => asked.includes(one));
      return { text: `${question}: ${words}`, pieces, pause: 5, gate: gates.get(question).pass };
    };
  });
  after(async () => {
    await browser?.close();
    await chats?.stop();
  });

  test(`${count} times, at random points: reloads and cuts leave one whole answer`, async () => {
    const before = await chats.credits();
    const runLane = async (first) => {
      for (let i = first; i < count; i += lanes) await loseAndFind(i);
    };
    await Promise.all(Array.from({ length: lanes }, (_, first) => runLane(first)));
    assert.equal(await chats.credits(), before + count);
  });

  async function loseAndFind(i) {
    const next = random(seed * 100_003 + i);
    const drawn = Array.from({ length: 1 + Math.floor(next() * 3) }, () => Math.floor(next() * pieces));
    const points = [...new Set(drawn)].sort((a, b) => a - b);
    const question = `Question ${i} of ${seed}`;
    const gate = createGate(points);
    gates.set(question, gate);
    const page = await newPage(browser, [chats.front.host("127.0.0.1")], { extraHTTPHeaders: nextAddress() });
    await page.goto(chats.url());
    await field(page).waitFor();
    await ask(page, question);
    for (const point of points) {
      await gate.reached(point);
      await page.waitForTimeout(next() * 60); // so that the page is now ahead, now behind
      if (next() < 0.5) gate.open(point); // the answer goes on meanwhile
      if (next() < 0.5) chats.cut();
      else await page.reload({ waitUntil: "commit" });
      gate.open(point);
    }
    await check(page, question, `${i}, broken at ${points.join(", ")} of ${pieces}`);
    await page.context().close();
    gates.delete(question);
  }

  async function check(page, question, about) {
    const wanted = `${question}: ${words}`;
    const shown = page.locator("article[data-state=complete]").nth(1);
    await shown.waitFor();
    const { messages, answer } = await stored(page);
    assert.equal(answer, null, about);
    assert.deepEqual(messages.map(({ author }) => author), ["user", "assistant"], `${about}: one turn`);
    assert.equal(messages[1].parts[0].text, wanted, about);
    assert.equal(await page.locator("article[data-state]:not([data-state=greeting])").count(), 2, `${about}: what is shown`);
    assert.ok((await shown.textContent()).includes(wanted.trim()), `${about}: what is shown`);
    assert.equal(chats.model.asked.filter((one) => one.includes(question)).length, 1, `${about}: asked once`);
  }
});
