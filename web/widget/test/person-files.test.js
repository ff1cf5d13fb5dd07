// Files that a person of the team sends with a reply: the visitor sees them in the same place, now and after loading the
// page again, and so their own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { owner } from "../../console/test/server.js";
import { launch, newPage, skip } from "./browser.js";
import { ask, field, said, startChats, stored } from "./chats.js";

let chats, browser;
before(async () => {
  if (!skip) [chats, browser] = await Promise.all([startChats(), launch()]);
});
after(async () => {
  await browser?.close();
  await chats?.stop();
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("a person's files are shown where the reply is: pictures as such, pages as downloads", { skip }, async () => {
  chats.model.answer = () => ({ text: "I do not know." });
  await chats.call("PUT", `/v2/agents/${chats.agentId}/styles`, { styles: { chat: { showAttachments: true } } });
  const page = await newPage(browser, [chats.front.host("127.0.0.1")], { locale: "en" });
  await page.goto(chats.url());
  await field(page).waitFor();
  await ask(page, "Where is my bill?");
  await said(page, "I do not know.").waitFor();
  const { id } = await stored(page);
  await chats.call("PUT", `/v1/conversations/${id}/claim`, {});
  await said(page, /^You are now talking to/).waitFor();
  const sent = [await chats.upload("bill.html", "<script>alert(1)</script>"), await chats.upload("shoe.png", png)];
  const reply = { member: owner.email, text: "Here it is.", fileIds: sent.map(({ fileId }) => fileId) };
  await chats.call("POST", `/v1/conversations/${id}/messages`, reply);
  const article = page.getByRole("log").locator("article", { hasText: "Here it is." });
  const look = async () => {
    await article.getByRole("link", { name: /bill\.html/ }).waitFor();
    await article.locator("img").waitFor();
    await page.waitForFunction(() => document.querySelector("article img")?.naturalWidth === 1);
  };
  await look();
  await page.reload();
  await look();
  const address = new URL(await article.getByRole("link", { name: /bill\.html/ }).getAttribute("href"), page.url());
  const { status, headers } = await fetch(address);
  assert.deepEqual([status, headers.get("content-type")], [200, "application/octet-stream"]);
  assert.match(headers.get("content-disposition"), /^attachment/);
  assert.deepEqual(page.problems, []);
});

test("a visitor's own file is there again after loading the page", { skip }, async () => {
  chats.model.answer = () => ({ text: "I see." });
  await chats.call("PUT", `/v2/agents/${chats.agentId}/styles`, { styles: { chat: { showAttachments: true } } });
  const page = await newPage(browser, [chats.front.host("127.0.0.1")], { locale: "en" });
  await page.goto(chats.url());
  await field(page).waitFor();
  await page.locator("input[type=file]").setInputFiles({ name: "order.txt", mimeType: "text/plain", buffer: Buffer.from("Words.") });
  await page.getByText("order.txt").waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await said(page, "I see.").waitFor();
  await page.reload();
  const own = page.getByRole("log").locator("article:has(h2:text-matches('^You said'))");
  await own.getByRole("link", { name: /order\.txt/ }).waitFor();
  assert.equal(await own.getByText("order.txt", { exact: true }).count(), 1); // the name is not the text as well
  assert.deepEqual(page.problems, []);
});

test("a person's words are shown, also where they are the name of the file", { skip }, async () => {
  chats.model.answer = () => ({ text: "I do not know." });
  const page = await newPage(browser, [chats.front.host("127.0.0.1")], { locale: "en" });
  await page.goto(chats.url());
  await field(page).waitFor();
  await ask(page, "What is it called?");
  await said(page, "I do not know.").waitFor();
  const { id } = await stored(page);
  await chats.call("PUT", `/v1/conversations/${id}/claim`, {});
  await said(page, /^You are now talking to/).waitFor();
  const { fileId } = await chats.upload("bill.txt", "Words.");
  await chats.call("POST", `/v1/conversations/${id}/messages`, { member: owner.email, text: "bill.txt", fileIds: [fileId] });
  const reply = page.getByRole("log").locator("article", { has: page.getByRole("link", { name: /bill\.txt/ }) });
  const words = reply.locator("p").getByText("bill.txt", { exact: true });
  await words.waitFor();
  await page.reload();
  await words.waitFor();
  assert.deepEqual(page.problems, []);
});
