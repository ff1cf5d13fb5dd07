// What the real program and the page of a site do together: storage that is lent, tools that the agent calls in the page,
// and visitors whom the site knows.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { startChats } from "./chats.js";
import { snippet } from "./pages.js";
import { sendQuestion } from "./question.js";
import { startHostSite } from "./server.js";
import { until } from "./setup.js";

const lookUp = {
  key: "look-up", kind: "client", name: "look_up", description: "Looks up an order in the page.",
  inputs: [{ name: "number", type: "string", required: true }],
};
const types = ["user-message", "assistant-message", "tool-call", "tool-result", "conversation-started", "error"];
const hearing = `
  window.heard = [];
  for (const type of ${JSON.stringify(types)}) chatbase.addEventListener(type, (e) => heard.push(e));`;

describe("a page with the chat", { skip }, () => {
  let browser, chats, site, base;
  before(async () => {
    [browser, chats, site] = await Promise.all([launch(), startChats({ actions: [lookUp] }), startHostSite()]);
    base = chats.front.at("127.0.0.1");
  });
  after(async () => {
    await browser?.close();
    site?.stop();
    await chats?.stop();
  });

  /** Opens a page of the site. `withoutStorage` says who has none: "frames", or "all". */
  const open = async (content, use, { withoutStorage, expected = /^$/ } = {}) => {
    site.pages["/"] = content;
    const hosts = [chats.front.host("127.0.0.1"), site.host("localhost")];
    const page = await newPage(browser, hosts, { locale: "en" });
    try {
      if (withoutStorage) await page.addInitScript(denyStorage, withoutStorage);
      await page.goto(`${site.at("localhost")}/`);
      await use(page);
      assert.deepEqual(page.problems.filter((problem) => !expected.test(problem)), []);
    } catch (error) {
      throw new Error(`${error.message}\nThe page said: ${page.problems.join("\n")}`, { cause: error });
    } finally {
      await page.context().close();
    }
  };
  const bubble = (page) => page.frameLocator("#chatbase-bubble-window");
  const press = (page) => page.locator("#chatbase-bubble-button").click();
  const said = (chat, text) => chat.getByRole("log").getByText(text).first();
  const heard = (page, type) => page.evaluate((t) => window.heard.filter((e) => e.type === t), type);
  const note = "This browser does not keep the chat.";

  test("lends its storage to a frame that has none, and the chat goes on after a reload", async () => {
    chats.model.answer = () => ({ text: "It left on Monday." });
    const count = () => Object.keys(localStorage).filter((key) => key.startsWith("parley:")).length;
    await open(snippet(base, chats.agentId), async (page) => {
      await press(page);
      await sendQuestion(bubble(page), "Where is my order?");
      await said(bubble(page), "It left on Monday.").waitFor();
      assert.ok(await page.evaluate(count));
      await page.reload();
      await said(bubble(page), "Where is my order?").waitFor(); // the window is open as it was
      await said(bubble(page), "It left on Monday.").waitFor();
      await bubble(page).getByRole("button", { name: "More", exact: true }).click();
      assert.equal(await bubble(page).getByText(note).count(), 0);
    }, { withoutStorage: "frames" });
  });

  test("has the chat where nothing is kept, and the menu says so", async () => {
    chats.model.answer = () => ({ text: "It left on Monday." });
    await open(snippet(base, chats.agentId), async (page) => {
      await press(page);
      await sendQuestion(bubble(page), "Where is my order?");
      await said(bubble(page), "It left on Monday.").waitFor();
      await bubble(page).getByRole("button", { name: "More", exact: true }).click();
      await bubble(page).getByText(note).waitFor();
    }, { withoutStorage: "all" });
  });

  test("keeps the chat of a frame of its own by the lines of the manual", async () => {
    chats.model.answer = () => ({ text: "It left on Monday." });
    const manual = readFileSync(join(import.meta.dirname, "../../../docs/manual/widget.md"), "utf8");
    const lines = /```js\n(addEventListener\("message"[^`]*storage-get[^`]*)```/.exec(manual)[1];
    const script = lines.replace("https://agents.example.com", base);
    const frame = `<iframe id="frame" sandbox="allow-scripts allow-same-origin allow-forms allow-popups" src="${chats.url()}"></iframe>`;
    await open(`<script>${script}</script>${frame}`, async (page) => {
      const chat = page.frameLocator("#frame");
      await sendQuestion(chat, "Where is my order?");
      await said(chat, "It left on Monday.").waitFor();
      await page.reload();
      await said(chat, "It left on Monday.").waitFor();
    }, { withoutStorage: "frames" });
  });

  test("is asked by the agent, and its answer is part of the agent's", async () => {
    const results = [];
    chats.model.answer = (question, { messages }) => {
      const result = messages.findLast(({ role }) => role === "tool")?.content;
      if (!result) return { call: { name: "look_up", input: { number: "4711" } } };
      results.push(result);
      return { text: "It is in Oslo." };
    };
    const result = "{ status: 'success', data: { ...args, ...user, at: 'Oslo' } }";
    const tool = `chatbase.registerTools({ look_up: async (args, user) => (${result}) });`;
    await open(snippet(base, chats.agentId, hearing + tool), async (page) => {
      await press(page);
      await sendQuestion(bubble(page), "Where is 4711?");
      await said(bubble(page), "It is in Oslo.").waitFor();
      assert.match(JSON.stringify(results), /Oslo/);
      assert.match(JSON.stringify(results), /4711/);
      await until(async () => (await heard(page, "tool-result")).length === 1);
      const [call] = await heard(page, "tool-call");
      const [result] = await heard(page, "tool-result");
      assert.deepEqual([call.data.name, call.data.args, call.toolCallId], ["look_up", { number: "4711" }, call.data.id]);
      assert.deepEqual([result.data.name, result.data.toolCallId, result.data.result.data.at], ["look_up", call.data.id, "Oslo"]);
      assert.ok(result.data.result.data.anon_user_id);
    });
  });

  const sign = (secret, claims) => {
    const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const head = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
    return `${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`;
  };
  /** Who asked what, by the server. */
  const usersOf = async () => {
    const { data } = await chats.call("GET", `/v2/agents/${chats.agentId}/conversations/export?limit=100`);
    return Object.fromEntries(data.map(({ id, userId }) => [id, userId]));
  };

  test("says who its visitor is, another, and nobody again", async () => {
    const words = ["shoes", "hats", "coats"];
    chats.model.answer = (question) => ({ text: `About ${words.find((word) => question.includes(word))}` });
    const { secret } = await chats.call("GET", `/v1/agents/${chats.agentId}/identity-secret`);
    const identify = (page, proof) => page.evaluate((given) => window.chatbase.identify(given), proof);
    await open(snippet(base, chats.agentId, hearing), async (page) => {
      const chat = bubble(page);
      const started = async (text, count) => {
        await sendQuestion(chat, text);
        await said(chat, `About ${text}`).waitFor();
        await until(async () => (await heard(page, "conversation-started")).length === count);
        return (await heard(page, "conversation-started")).at(-1).data.conversationId;
      };
      const isGone = (text) => said(chat, text).waitFor({ state: "detached" });
      await identify(page, { token: sign(secret, { user_id: "anna", name: "Anna" }), plan: "gold" });
      await press(page);
      const ofAnna = await started("shoes", 1);
      const hash = createHmac("sha256", secret).update("ben").digest("hex");
      await identify(page, { user_id: "ben", user_hash: hash, user_metadata: { plan: "free" } });
      await isGone("About shoes");
      const ofBen = await started("hats", 2);
      await page.evaluate(() => window.chatbase.logout());
      await isGone("About hats");
      const ofNobody = await started("coats", 3);
      await identify(page, { user_id: "anna", user_hash: "00ff" });
      await identify(page, { token: sign(secret, { user_id: "anna", exp: 1 }) });
      await identify(page, { token: sign("another secret", { user_id: "anna" }) });
      await identify(page, { token: sign(secret, { name: "Anna" }) });
      await identify(page, { token: "nothing" });
      await until(async () => (await heard(page, "error")).length === 5);
      const refused = (await heard(page, "error")).map(({ data }) => data);
      assert.deepEqual([...new Set(refused.map(({ code }) => code))], ["AUTH_IDENTITY_REFUSED"]);
      const reasons = ["bad_signature", "expired", "bad_signature", "no_user", "malformed"];
      assert.deepEqual(refused.map(({ reason }) => reason), reasons);
      const users = await usersOf();
      assert.deepEqual([users[ofAnna], users[ofBen], users[ofNobody] ?? null], ["anna", "ben", null]);
      await page.reload();
      await said(chat, "About coats").waitFor();
      assert.equal(await chat.getByText("About shoes").count(), 0);
    }, { expected: /status of 403|identity was refused/ });
  });

  test("shows the next user of a browser nothing of the one before, on a page that is loaded after the one has left", async () => {
    chats.model.answer = (question) => ({ text: question.includes("hats") ? "About hats" : "About shoes" });
    const { secret } = await chats.call("GET", `/v1/agents/${chats.agentId}/identity-secret`);
    const pageOf = (user, key = secret) => {
      const token = sign(key, { user_id: user });
      return snippet(base, chats.agentId, `${hearing}\nchatbase.identify(${JSON.stringify({ token })});`);
    };
    // The page's storage shows what is kept.
    const more = { withoutStorage: "frames", expected: /status of 403|identity was refused/ };
    await open(pageOf("carla"), async (page) => {
      const chat = bubble(page);
      await press(page);
      await sendQuestion(chat, "shoes");
      await said(chat, "About shoes").waitFor();
      await page.reload();
      await said(chat, "About shoes").waitFor(); // the same user finds it again
      await chat.locator("textarea").fill("I am Carla");
      await page.waitForFunction((key) => localStorage.getItem(key)?.includes("I am Carla"), `parley:${chats.agentId}`);
      await page.addInitScript(noteShoes);
      site.pages["/"] = pageOf("dora");
      await page.reload();
      await chat.locator("article").first().waitFor(); // the greeting: what was kept is known by then
      assert.equal(await chat.locator("textarea").inputValue(), "");
      await sendQuestion(chat, "hats");
      await said(chat, "About hats").waitFor();
      const frame = page.frames().find((one) => one.url().includes("/chatbot-iframe/"));
      assert.equal(await frame.evaluate(() => window.hasShownShoes), false);
      await until(async () => (await heard(page, "conversation-started")).length === 1);
      const [{ data }] = await heard(page, "conversation-started");
      assert.equal((await usersOf())[data.conversationId], "dora");
      // Nor does somebody whom the page names without a proof.
      site.pages["/"] = pageOf("eve", "another secret");
      await page.reload();
      await until(async () => (await heard(page, "error")).length === 1);
      await chat.locator("article").first().waitFor();
      assert.equal(await chat.getByText("About hats").count(), 0);
      const kept = JSON.parse(await page.evaluate((key) => localStorage.getItem(key), `parley:${chats.agentId}`));
      assert.deepEqual([kept.userId, kept.conversationId], ["", ""]);
      // Nor does nobody, after somebody has signed out.
      site.pages["/"] = pageOf("fred");
      await page.reload();
      await chat.locator("article").first().waitFor();
      await sendQuestion(chat, "hats");
      await said(chat, "About hats").waitFor();
      site.pages["/"] = snippet(base, chats.agentId, `${hearing}\nchatbase.identify({ token: null, plan: "free" });`);
      await page.reload();
      const isForgotten = (key) => JSON.parse(localStorage.getItem(key)).userId === "";
      await page.waitForFunction(isForgotten, `parley:${chats.agentId}`);
      await chat.locator("article").first().waitFor();
      assert.equal(await chat.getByText("About hats").count(), 0);
    }, more);
  });
});

// noteShoes runs in every frame before anything else does.
function noteShoes() {
  window.hasShownShoes = false;
  const look = () => (window.hasShownShoes ||= document.body?.textContent.includes("About shoes") ?? false);
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}

// denyStorage runs in every frame before anything else does.
function denyStorage(who) {
  if (who === "frames" && window === top) return;
  const get = () => {
    throw new DOMException("denied", "SecurityError");
  };
  for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get });
}
