// What becomes of messages: of those of files alone, of those that no model answers, and of those that a page sends.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { owner } from "../../console/test/server.js";
import { launch, newPage, skip } from "./browser.js";
import { answers, ask, field, nextAddress, said, startChats, stored } from "./chats.js";
import { createGate } from "./model.js";

const german = JSON.parse(readFileSync(join(import.meta.dirname, "../locales/de.json"), "utf8"));

const actions = [
  { key: "find", kind: "client", name: "find_it", description: "Finds it in the page." },
  { key: "lead", kind: "collect-leads", name: "leave_address", description: "Asks for an address." },
];
let chats, browser;
before(async () => {
  if (!skip) [chats, browser] = await Promise.all([startChats({ actions }), launch()]);
});
after(async () => {
  await browser?.close();
  await chats?.stop();
});

async function open(use, { address = chats.url(), locale = "en" } = {}) {
  chats.model.answer = (question) => ({ text: `Answer to ${question}.` });
  const page = await newPage(browser, [chats.front.host("127.0.0.1")], { locale, extraHTTPHeaders: nextAddress() });
  await page.goto(address);
  await field(page).waitFor();
  try {
    await use(page);
    assert.deepEqual(page.problems.filter((problem) => !/status of 500/.test(problem)), []);
  } finally {
    await page.context().close();
  }
}
const own = (page, text) => page.getByRole("log").locator("article:has(h2:text-matches('^You said'))", { hasText: text });
const authorsOf = async (page) => (await stored(page)).messages.map(({ author }) => author);

test("a message of files alone is sent, to the agent and to a person", { skip }, async () => {
  await chats.call("PUT", `/v2/agents/${chats.agentId}/styles`, { styles: { chat: { showAttachments: true } } });
  const sendFile = async (page, name) => {
    await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from("Words.") });
    await page.getByText(name).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await own(page, name).locator("p[aria-hidden]").waitFor(); // the time: the server has it
  };
  await open(async (page) => {
    await sendFile(page, "order.txt");
    await answers(page).waitFor();
    const { id } = await stored(page);
    await chats.call("PUT", `/v1/conversations/${id}/state`, { step: "takeover" });
    await said(page, /^You are now talking to/).waitFor();
    await sendFile(page, "bill.txt");
    assert.deepEqual(await authorsOf(page), ["user", "assistant", "user"]);
  });
});

test("a message that the model could not begin to answer is kept once, and can be answered again", { skip }, async () => {
  await open(async (page) => {
    const failing = () => ({ status: 400 });
    const retry = page.getByRole("button", { name: "Try again" });
    chats.model.answer = failing;
    await ask(page, "boots");
    await page.getByText("The answer could not be written.").waitFor();
    await retry.click();
    await retry.waitFor();
    await page.reload();
    await retry.waitFor();
    assert.equal(await own(page, "boots").count(), 1);
    chats.model.answer = (question) => ({ text: `Answer to ${question}.` });
    await retry.click();
    await said(page, "Answer to boots.").waitFor();
    assert.deepEqual(await authorsOf(page), ["user", "assistant"]);
    assert.equal(await page.getByText("The answer could not be written.").count(), 0);
  });
});

test("messages of the page wait for the answer that is being written, and each is answered", { skip }, async () => {
  await open(async (page) => {
    const gate = createGate([1]);
    chats.model.answer = (question) => ({ text: `Answer to ${question}.`, ...(question === "one" && { pieces: 4, gate: gate.pass }) });
    const send = (message) => page.evaluate((data) => postMessage({ type: "send", data }, location.origin), { message });
    await send("one");
    await gate.reached(1);
    await send("two");
    await send("three");
    gate.open(1);
    await said(page, "Answer to three.").waitFor();
    const texts = (await stored(page)).messages.map(({ parts }) => parts[0].text);
    assert.deepEqual(texts, ["one", "Answer to one.", "two", "Answer to two.", "three", "Answer to three."]);
  });
});

test("a message that the page sends as soon as the chat is there goes on with the visitor's conversation", { skip }, async () => {
  await open(async (page) => {
    await ask(page, "shoes");
    await said(page, "Answer to shoes.").waitFor();
    const { id } = await stored(page);
    await page.addInitScript(() => {
      const data = { message: "hats" };
      addEventListener("DOMContentLoaded", () => postMessage({ type: "send", data }, location.origin));
    });
    await page.reload();
    await said(page, "Answer to hats.").waitFor();
    const now = await stored(page);
    assert.equal(now.id, id);
    assert.deepEqual(now.messages.map(({ author }) => author), ["user", "assistant", "user", "assistant"]);
  });
});

test("a message that the page has sent unseen stays so when the page is loaded again", { skip }, async () => {
  await open(async (page) => {
    const data = { message: "Greet the visitor", hideMessage: true };
    await page.evaluate((sent) => postMessage({ type: "send", data: sent }, location.origin), data);
    await answers(page).waitFor();
    await page.reload();
    await answers(page).waitFor();
    assert.equal(await own(page, "").count(), 0);
  });
});

test("a tool that has failed, and a form that was closed, are not called done", { skip }, async () => {
  await open(async (page) => {
    const call = (name) => (chats.model.answer = (_, { messages }) =>
      messages.at(-1).role === "tool" ? { text: "I could not." } : { call: { name, input: {} } });
    call("find_it");
    await ask(page, "Find it");
    await said(page, "Failed: find it").waitFor();
    await said(page, "I could not.").waitFor();
    call("leave_address");
    await ask(page, "Call me");
    await page.getByRole("button", { name: "Not now" }).click();
    await said(page, "Form not sent.").waitFor();
    for (const _ of ["now", "when it is loaded again"]) {
      assert.equal(await page.getByText(/^Done|We will get in touch/).count(), 0);
      await page.reload();
      await said(page, "Form not sent.").waitFor();
      await said(page, "Failed: find it").waitFor();
    }
  });
});

test("the form of an action that collects contact details is filled in, and the agent goes on", { skip }, async () => {
  await open(async (page) => {
    chats.model.answer = (_, { messages }) => {
      const { role, content } = messages.at(-1);
      return role === "tool" ? { text: `Noted: ${content}` } : { call: { name: "leave_address", input: { name: "Kim" } } };
    };
    await page.evaluate(() => {
      window.told = [];
      window.ReactNativeWebView = { postMessage: (text) => window.told.push(JSON.parse(text)) };
    });
    await ask(page, "Call me");
    assert.equal(await page.locator("article input[autocomplete=name]").inputValue(), "Kim"); // the agent was told
    await page.locator("article input[type=email]").fill("kim@shop.example");
    await page.locator("article button[type=submit]").click();
    await said(page, /Noted: (?=.*Kim).*kim@shop\.example/).waitFor();
    const result = await page.evaluate(() => window.told.find(({ type }) => type === "tool-result").data);
    assert.deepEqual([result.name, result.result], ["leave_address", { status: "success" }]);
  });
});

test("the line of who answers stays where it was when more is written", { skip }, async () => {
  await open(async (page) => {
    await ask(page, "boots");
    await answers(page).waitFor();
    const { id } = await stored(page);
    const write = (text) => chats.call("POST", `/v1/conversations/${id}/messages`, { member: owner.email, text });
    await chats.call("PUT", `/v1/conversations/${id}/state`, { step: "takeover" });
    await said(page, /^You are now talking to/).waitFor();
    await write("Good morning.");
    await said(page, "Good morning.").waitFor();
    const text = await page.getByRole("log").innerText();
    assert.ok(text.indexOf("You are now talking to") < text.indexOf("Good morning."), text);
  });
});

test("the address of the frame chooses the language", { skip }, async () => {
  const address = `${chats.url()}?lang=de`;
  await open((page) => page.getByPlaceholder(german["chat.placeholder"]).waitFor(), { address });
});
