// What pages tell the chat of their visitors, and functions of theirs that agents call.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "./browser.js";
import { snippet } from "./pages.js";
import { agentId, useStub } from "./setup.js";

describe("the page and the chat", { skip }, () => {
  const site = useStub();
  const page = (calls = "") => snippet(site.base, agentId, calls);

  test("who the visitor is comes before, after, and again when the frame does", async () => {
    const before = `<script>window.chatbaseUserConfig = { user_id: "u1", user_hash: "00ff", user_metadata: { plan: "free" } };</script>`;
    await site.open(before + page(), async (page) => {
      await page.button.click();
      assert.deepEqual(await page.told("identify"), [{ user_id: "u1", user_hash: "00ff", user_metadata: { plan: "free" } }]);
      await page.evaluate(() => window.chatbase.identify({ token: "t", name: "Ann", callback: () => {} }));
      assert.deepEqual((await page.told("identify", (all) => all.length === 2))[1], { token: "t", name: "Ann" });
      await page.evaluate(() => {
        document.getElementById("chatbase-bubble-window").remove();
        return window.chatbase.open();
      });
      const isAnother = ({ length }) => length === 1; // the frame that is gone was told twice
      assert.deepEqual(await page.told("identify", isAnother), [{ token: "t", name: "Ann" }]);
      await page.evaluate(() => window.chatbase.logout());
      assert.equal((await page.told("logout")).length, 1);
    });
  });

  test("what can wait until the chat is used keeps no page waiting", async () => {
    await site.open(page(), async (page) => {
      await page.up();
      await page.evaluate(async () => {
        await window.chatbase.identify({ token: "t" });
        await window.chatbase("registerTools", { find: () => 1 });
      });
      assert.equal(await page.locator("iframe").count(), 0);
      await page.button.click();
      assert.deepEqual(await page.told("identify"), [{ token: "t" }]);
      assert.deepEqual(await page.told("registerTools"), [{ names: ["find"] }]);
    });
  });

  test("tools of the page are run, and the last ones registered replace all", async () => {
    const calls = `
      chatbase.registerTools({ old: () => ({ status: "success", data: 1 }) });
      chatbase.registerTools({
        find: async (args, user) => ({ status: "success", data: { args, user } }),
        plain: () => [1, 2],
        broken: () => { throw new Error("no stock"); },
        large: () => "x".repeat(30000),
        round: () => { const a = {}; a.a = a; return a; },
        refused: () => ({ status: "error", message: "not today" }),
      });`;
    await site.open(page(calls), async (page) => {
      await page.button.click();
      assert.deepEqual(await page.told("registerTools"), [{ names: ["find", "plain", "broken", "large", "round", "refused"] }]);
      const user = { user_id: "u1", anon_user_id: "a" };
      for (const name of ["find", "plain", "broken", "large", "round", "refused", "old", "toString"]) {
        await page.say("tool-run", { id: name, name, args: { a: 1 }, user });
      }
      const results = new Map((await page.told("tool-result", (all) => all.length === 8)).map(({ id, result }) => [id, result]));
      assert.deepEqual(results.get("find"), { status: "success", data: { args: { a: 1 }, user } });
      assert.deepEqual(results.get("plain"), { status: "success", data: [1, 2] });
      assert.deepEqual(results.get("broken"), { status: "error", error: "no stock" });
      assert.match(results.get("large").error, /20 kB/);
      assert.deepEqual(results.get("refused"), { status: "error", message: "not today" });
      for (const name of ["round", "old", "toString"]) assert.equal(results.get(name).status, "error");
    });
  });

  test("forms are described by the page", async () => {
    const schema = { fields: [{ name: "size", type: "select", label: "Size", options: [{ value: "s", label: "S" }] }] };
    const order = `async (args) => (${JSON.stringify(schema)})`;
    const calls = `chatbase.registerFormSchema({ order: ${order}, bad: () => Promise.reject("closed") });`;
    await site.open(page(calls), async (page) => {
      await page.button.click();
      for (const name of ["order", "bad", "none"]) await page.say("form-run", { id: name, name, args: {}, user: {} });
      const answers = await page.told("form-schema", (all) => all.length === 3);
      const answer = (id) => answers.find((a) => a.id === id);
      assert.deepEqual(answer("order").schema, schema);
      assert.equal(answer("bad").error, "closed");
      assert.match(answer("none").error, /nothing of the name none/);
    });
  });

  test("the page's storage is lent, for keys of the agent alone", async () => {
    await site.open(page(), async (page) => {
      await page.evaluate(() => localStorage.setItem("secret", "of the page"));
      await page.button.click();
      const key = `parley:${agentId}`;
      await page.say("storage-set", { key, value: "token" });
      await page.say("storage-set", { key: "secret", value: "taken" });
      await page.say("storage-get", { key: "secret" });
      await page.say("storage-get", { key });
      assert.deepEqual(await page.told("storage-value"), [{ key, value: "token" }]);
      assert.equal(await page.evaluate(() => localStorage.getItem("secret")), "of the page");
      await page.say("storage-set", { key, value: null });
      await page.say("storage-get", { key });
      assert.deepEqual((await page.told("storage-value", (all) => all.length === 2))[1], { key, value: null });
    });
  });

  test("signing out before the chat was used forgets what is kept", async () => {
    await site.open(page(), async (page) => {
      await page.up();
      await page.evaluate((key) => {
        localStorage.setItem(key, "token");
        localStorage.setItem("other", "stays");
        window.chatbase.logout();
      }, `parley:${agentId}`);
      await page.waitForFunction((key) => localStorage.getItem(key) === null, `parley:${agentId}`);
      assert.equal(await page.evaluate(() => localStorage.getItem("other")), "stays");
    });
  });

  test("messages of others are not heard", async () => {
    const calls = "window.heard = []; chatbase.addEventListener('user-message', (e) => heard.push(e));";
    await site.open(`<iframe id="other" src="about:blank"></iframe>${page(calls)}`, async (page) => {
      await page.button.click();
      await page.chat();
      await page.evaluate(() => {
        window.seen = []; // of all messages, behind those who heard them before
        window.addEventListener("message", ({ data }) => window.seen.push(data?.data?.content));
        window.postMessage({ type: "user-message", data: { content: "self" } }, "*");
        const script = 'parent.postMessage({ type: "user-message", data: { content: "other" } }, "*")';
        document.getElementById("other").contentWindow.setTimeout(script);
      });
      await page.say("user-message", { content: "chat" });
      await page.waitForFunction(() => window.heard.length && ["self", "other"].every((one) => window.seen.includes(one)));
      assert.deepEqual(await page.evaluate(() => window.heard.map((e) => e.content)), ["chat"]);
      assert.equal(await (await page.chat()).evaluate(() => window.received.every((m) => m.type !== "user-message")), true);
    });
  });
});
