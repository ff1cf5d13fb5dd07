// A message's life when the server is killed, the network is away, somebody stops the answer, or there are several tabs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, patience, skip } from "./browser.js";
import { ask, field, nextAddress, said, startChats, stored } from "./chats.js";
import { broken, createGate, endless } from "./model.js";

/** An answer that goes on for as long as anybody listens. */
const beginning = { text: "One two three four five six seven eight nine ten. ".repeat(10), pieces: 200, gate: endless(20) };

/** Waits until what the server has of the conversation is as it should be. */
async function untilStored(page, isDone) {
  for (const end = performance.now() + patience; !isDone(await stored(page)); ) assert.ok(performance.now() < end, String(isDone));
}

describe("an answer that is lost", { skip }, () => {
  let chats, browser;
  before(async () => {
    [chats, browser] = await Promise.all([startChats(), launch()]);
  });
  after(async () => {
    await browser?.close();
    await chats?.stop();
  });

  const open = async ({ prepare } = {}) => {
    const page = await newPage(browser, [chats.front.host("127.0.0.1")], {
      viewport: { width: 448, height: 704 },
      extraHTTPHeaders: nextAddress(),
    });
    await prepare?.(page);
    await page.goto(chats.url());
    await field(page).waitFor();
    return page;
  };

  test("a server that is killed and comes back ends what it was writing, and the chat shows that by itself", async () => {
    chats.model.answer = () => beginning;
    const page = await open();
    await ask(page, "Tell me much");
    await said(page, "three four").waitFor();
    await chats.kill();
    await page.getByText("Connection lost").waitFor();
    await chats.restart();
    await page.waitForFunction(() => !document.querySelector("article[data-state=streaming]"));
    const { messages, answer } = await stored(page);
    assert.equal(answer, null);
    const shown = await page.locator("article").last().getAttribute("data-state");
    assert.equal(shown, messages[1]?.state ?? "failed");
    await page.getByText("Connection lost").waitFor({ state: "detached" });
    chats.model.answer = () => ({ text: "Here it is." });
    await ask(page, "And now?");
    await said(page, "Here it is.").waitFor();
    assert.ok((await page.locator("article").nth(-3).textContent()).includes("three four"));
    await page.context().close();
  });

  test("an answer that breaks off stays in its place, and its question can be asked again", async () => {
    let isBroken = true;
    chats.model.answer = (question) => (isBroken && question.includes("much") ? { ...beginning, gate: broken(20) }
      : { text: `About ${question}.` });
    const page = await open();
    const shown = () => page.locator("article[data-state]").evaluateAll((list) => list.map((one) => one.dataset.state));
    const again = page.getByRole("button", { name: "Try again" });
    await ask(page, "Tell me much");
    await page.locator("article").getByText("This answer was interrupted.").waitFor();
    assert.equal(await page.getByRole("status").filter({ hasText: "is writing" }).count(), 0);
    await ask(page, "hats");
    await said(page, "About hats.").waitFor();
    for (const _ of ["now", "when it is loaded again"]) {
      assert.deepEqual(await shown(), ["complete", "interrupted", "complete", "complete"]);
      assert.ok((await page.locator("article[data-state=interrupted]").textContent()).includes("three four"));
      await page.reload();
      await said(page, "About hats.").waitFor();
    }
    await again.click(); // what was said meanwhile stays
    await page.locator("article").nth(-1).getByText("This answer was interrupted.").waitFor();
    isBroken = false;
    await again.last().click(); // nothing was said meanwhile: the new answer takes its place
    await said(page, "About Tell me much.").waitFor();
    const { messages } = await stored(page);
    const states = messages.map(({ author, state }) => `${author} ${state}`);
    const whole = ["user complete", "assistant complete"];
    assert.deepEqual(states, ["user complete", "assistant interrupted", ...whole, ...whole]);
    await page.context().close();
  });

  test("a question that the page has sent unseen stays so when it is asked again", async () => {
    let isBroken = true;
    chats.model.answer = (question) => (isBroken ? { ...beginning, gate: broken(20) } : { text: `About ${question}.` });
    const page = await open();
    const data = { message: "Greet the visitor", hideMessage: true };
    await page.evaluate((sent) => postMessage({ type: "send", data: sent }, location.origin), data);
    await page.locator("article").getByText("This answer was interrupted.").waitFor();
    isBroken = false;
    await ask(page, "hats");
    await said(page, "About hats.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await said(page, "About Greet the visitor.").waitFor();
    const own = page.getByRole("log").locator("article:has(h2:text-matches('^You said'))");
    assert.equal(await own.count(), 1);
    await page.context().close();
  });

  test("ten minutes of sleep in the middle of an answer: it is there, once, when the lid is opened", async () => {
    const gate = createGate([20]);
    const text = "It left our house on Monday and is on its way. ".repeat(8);
    const slow = { text, pieces: 40, gate: gate.pass };
    chats.model.answer = (question) => (question.includes("asleep") ? slow : { text: `About ${question}` });
    const page = await open({ prepare: (page) => page.clock.install() });
    await ask(page, "What happens while I am asleep?");
    await gate.reached(20);
    await said(page, "It left our house").waitFor();
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000)); // no timer goes off in a machine that sleeps
    chats.cut();
    gate.open(20);
    await untilStored(page, ({ answer, messages }) => answer === null && messages.length === 2);
    await page.clock.fastForward("10:00");
    await page.clock.resume();
    const shown = page.locator("article[data-state=complete]").nth(1);
    await shown.waitFor();
    assert.ok((await shown.textContent()).includes(text.trim()));
    assert.equal(await page.locator("article[data-state]:not([data-state=greeting])").count(), 2);
    assert.equal(chats.model.asked.filter((one) => one.includes("asleep")).length, 1);
    await ask(page, "are you there?"); // the model reads it together with what was said before
    await said(page, "About are you there?").waitFor();
    const { messages } = await stored(page);
    assert.deepEqual(messages.map(({ author }) => author), ["user", "assistant", "user", "assistant"]);
    assert.equal(messages[1].parts[0].text, text);
    await page.context().close();
  });

  test("what is written offline is sent once the network is there, and can be changed before", async () => {
    chats.model.answer = (question) => ({ text: `About ${question}` });
    const page = await open();
    await page.context().setOffline(true);
    await ask(page, "a first thought");
    await page.getByText("Will be sent when you are back online.").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    assert.equal(await field(page).inputValue(), "a first thought");
    await ask(page, "a second thought");
    await page.context().setOffline(false);
    await said(page, "About a second thought").waitFor();
    const { messages } = await stored(page);
    assert.equal(messages.length, 2);
    await page.context().close();
  });

  test("a stopped answer keeps what there is of it", async () => {
    chats.model.answer = () => beginning;
    const page = await open();
    await ask(page, "Tell me much");
    await said(page, "three four").waitFor();
    await page.getByRole("button", { name: "Stop the answer" }).click();
    await page.locator("article").getByText("You stopped this answer.").waitFor();
    const { messages } = await stored(page);
    assert.equal(messages[1].state, "interrupted");
    await page.context().close();
  });

  test("five tabs of a visitor show the same", async () => {
    chats.model.answer = (question) => ({ text: `About ${question}.`, pieces: 20, pause: 20 });
    const first = await open();
    const tabs = [first];
    for (let i = 1; i < 5; i++) {
      const page = await first.context().newPage();
      await page.goto(chats.url());
      tabs.push(page);
    }
    await ask(tabs[0], "shoes");
    for (const page of tabs) await said(page, "About shoes.").waitFor();
    await ask(tabs[3], "hats");
    for (const page of tabs) await said(page, "About hats.").waitFor();
    for (const page of tabs) assert.equal(await page.locator("article[data-state=complete]").count(), 4);
    assert.equal((await stored(tabs[4])).messages.length, 4);
    await first.context().close();
  });
});
