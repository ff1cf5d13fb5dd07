// A conversation that a person of the team takes over, hands back and ends, as its customer sees it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { owner } from "../../console/test/server.js";
import { launch, newPage, skip } from "./browser.js";
import { ask, field, said, startChats, stored } from "./chats.js";
import { snippet } from "./pages.js";
import { isWanted } from "./problems.js";
import { startHostSite } from "./server.js";
import { until } from "./setup.js";

let chats, browser;
before(async () => {
  if (!skip) [chats, browser] = await Promise.all([startChats(), launch()]);
});
after(async () => {
  await browser?.close();
  await chats?.stop();
});

/** Opens a chat in which one question has been answered. */
async function openChat() {
  chats.model.answer = (question) => ({ text: `I do not know about ${question}` });
  const page = await newPage(browser, [chats.front.host("127.0.0.1")], { locale: "en" });
  await page.goto(chats.url());
  await field(page).waitFor();
  await ask(page, "boots");
  await said(page, "I do not know about boots").waitFor();
  const { id } = await stored(page);
  return { page, id, change: (step) => chats.call("PUT", `/v1/conversations/${id}/state`, { step }) };
}

test("a person takes over, hands back and ends in front of a visitor who does nothing", { skip }, async () => {
  const { page, id, change } = await openChat();
  await change("takeover");
  await said(page, /^You are now talking to/).waitFor();
  assert.match(await page.locator("[role=status]").first().textContent(), /^You are now talking to/);
  await chats.call("POST", `/v1/conversations/${id}/messages`, { member: owner.email, text: "May I help?" });
  await said(page, "May I help?").waitFor();
  await change("handback");
  await said(page, /handed the conversation back/).waitFor();
  await ask(page, "socks");
  await said(page, "I do not know about socks").waitFor();
  await change("end");
  await page.getByText("This conversation has ended.").waitFor();
  assert.equal(await page.getByRole("log").locator("article").count(), 6); // the greeting, and each message once
  assert.deepEqual(page.problems, []);
});

test("the tabs of a visitor follow a person by one connection, whichever of them is closed", { skip }, async () => {
  const { page, id, change } = await openChat();
  await change("takeover");
  await said(page, /^You are now talking to/).waitFor();
  const open = new Set();
  chats.handle = (asked, reply) => {
    if (/conversation\/[^/]+\/events$/.test(asked.url)) open.add(reply), reply.on("close", () => open.delete(reply));
    return false;
  };
  const tabs = [page];
  const write = async (text) => {
    await chats.call("POST", `/v1/conversations/${id}/messages`, { member: owner.email, text });
    for (const tab of tabs) await said(tab, text).waitFor();
  };
  while (tabs.length < 5) {
    const tab = await page.context().newPage();
    await tab.goto(chats.url());
    await said(tab, "I do not know about boots").waitFor();
    tabs.push(tab);
  }
  await write("May I help?");
  assert.equal(open.size, 1); // beside that of the first, which was there before the person
  await tabs.splice(1, 1)[0].close(); // it follows for the three that came after it
  await until(() => open.size === 1);
  await write("Are you still there?");
  chats.handle = undefined;
  assert.deepEqual(page.problems, []);
});

test("a chat that may not follow learns with its next message who answers", { skip }, async () => {
  chats.handle = (asked, reply) => /conversation\/[^/]+\/events$/.test(asked.url) && (reply.writeHead(404).end("{}"), true);
  const { page, change } = await openChat();
  await change("takeover");
  chats.handle = undefined;
  await ask(page, "Is anybody there?");
  await said(page, /^You are now talking to/).waitFor();
  assert.deepEqual(page.problems.filter((problem) => !isWanted(problem) && !/404/.test(problem)), []);
});

test("a person takes over, types, writes, hands back and ends", { skip }, async () => {
  const { page, id, change } = await openChat();

  await change("takeover");
  await ask(page, "Is anybody there?");
  await said(page, /^You are now talking to/).waitFor();
  await until(async () => {
    await chats.call("POST", `/v1/conversations/${id}/typing`).catch(() => {}); // it answers nothing
    return page.getByText(/is typing…/).first().isVisible();
  });
  await chats.call("POST", `/v1/conversations/${id}/messages`, { member: owner.email, text: "They come on Friday." });
  await said(page, "They come on Friday.").waitFor();
  await ask(page, "Thanks!");
  await until(async () => (await stored(page)).messages.at(-1).parts[0].text === "Thanks!");

  await change("handback");
  await said(page, /handed the conversation back|talking to the assistant again/).waitFor();
  await ask(page, "socks");
  await said(page, "I do not know about socks").waitFor();

  await change("takeover");
  await ask(page, "Wait!");
  await page.getByRole("log").getByText(/^You are now talking to/).nth(1).waitFor();
  await change("end");
  await page.getByText(/ended/).first().waitFor();
  const { messages, status } = await stored(page);
  assert.equal(status, "ended");
  const authors = messages.map(({ author }) => author).filter((author) => author !== "system");
  assert.deepEqual(authors, ["user", "assistant", "user", "human", "user", "user", "assistant", "user"]);
  assert.deepEqual(chats.model.asked.filter((one) => /(Thanks!|anybody there\?|Wait!)(<\/last>)?$/.test(one)), []);
  assert.deepEqual(page.problems.filter((problem) => !isWanted(problem)), []); // one who wrote to the agent is told that it was a person
});

test("what a person writes while the network is away is there once it is back, each once", { skip }, async () => {
  const { page, id, change } = await openChat();
  await change("takeover");
  await said(page, /^You are now talking to/).waitFor();
  const write = (text) => chats.call("POST", `/v1/conversations/${id}/messages`, { member: owner.email, text });
  await write("Before.");
  await said(page, "Before.").waitFor();
  await page.context().setOffline(true);
  chats.cut();
  for (const text of ["One.", "Two."]) await write(text);
  await page.context().setOffline(false);
  for (const text of ["One.", "Two."]) await said(page, text).waitFor();
  await write("After.");
  await said(page, "After.").waitFor();
  const texts = await page.getByRole("log").locator("article[data-state=complete]").allInnerTexts();
  const count = (text) => texts.filter((one) => one.includes(text)).length;
  assert.deepEqual(["Before.", "One.", "Two.", "After."].map(count), [1, 1, 1, 1]);
  assert.deepEqual(page.problems.filter((problem) => !isWanted(problem) && !/ERR_|network error/.test(problem)), []);
});

test("what a person writes while the chat is closed is counted on the site's next page", { skip }, async () => {
  chats.model.answer = (question) => ({ text: `I do not know about ${question}` });
  const calls = 'chatbase.addEventListener("conversation-started", (e) => (window.started = e.data.conversationId));';
  const shop = snippet(chats.front.at("127.0.0.1"), chats.agentId, calls);
  const site = await startHostSite({ "/": shop, "/away": "<p>A page without the chat</p>" });
  const page = await newPage(browser, [chats.front.host("127.0.0.1"), site.host("localhost")], { locale: "en" });
  const [button, chat] = [page.locator("#chatbase-bubble-button"), page.frameLocator("#chatbase-bubble-window")];
  const noted = (isNoted) =>
    page.waitForFunction(([key, isNoted]) => (localStorage.getItem(key) !== null) === isNoted, [`parley:${chats.agentId}:person`, isNoted]);
  await page.goto(`${site.at("localhost")}/`);
  await button.click();
  await ask(chat, "boots");
  await said(chat, "I do not know about boots").waitFor();
  const id = await page.evaluate(() => window.started);
  await chats.call("PUT", `/v1/conversations/${id}/state`, { step: "takeover" });
  await said(chat, /^You are now talking to/).waitFor();
  await page.evaluate(() => window.chatbase.close());
  await noted(true);
  await page.goto(`${site.at("localhost")}/away`);
  await chats.call("POST", `/v1/conversations/${id}/messages`, { member: owner.email, text: "They are back." });
  await page.goto(`${site.at("localhost")}/`);
  await until(async () => (await button.textContent()) === "1");
  assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
  await chats.call("POST", `/v1/conversations/${id}/messages`, { member: owner.email, text: "In all sizes." });
  await until(async () => (await button.textContent()) === "2");
  await button.click();
  await said(chat, "In all sizes.").waitFor();
  await until(async () => (await button.textContent()) === "");
  await chats.call("PUT", `/v1/conversations/${id}/state`, { step: "handback" });
  await noted(false);
  assert.deepEqual(page.problems.filter((problem) => !isWanted(problem)), []);
  await page.context().close();
  site.stop();
});
