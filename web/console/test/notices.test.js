// What tells a person who looks elsewhere that something has happened.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers, user } from "./answers.js";
import { skip } from "./browser.js";
import { rows } from "./inbox-answers.js";
import { useConsole } from "./setup.js";

const event = (name, data, id) => `event: ${name}\n${id ? `id: ${id}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
const hello = event("hello", { role: "owner", position: "1", version: "1" }, "1");
const source = (change, i) => event("source", { id: `s${i}`, agentId: agents[0].id, change }, String(i));
const stream = (...events) => [200, { chunks: [hello, ...events], isOpen: true }, { "Content-Type": "text/event-stream" }];

// Stands in for the browser's notifications and, if that is away, for a window that is not looked at.
function replace(isAway) {
  window.shown = [];
  window.Notification = class {
    static permission = "granted";
    static requestPermission = async () => this.permission;
    constructor(title, { body }) {
      this.onclick = () => {};
      window.shown.push([title, body, this]);
    }
  };
  window.isAway = isAway;
  Object.defineProperty(document, "visibilityState", { get: () => (window.isAway ? "hidden" : "visible") });
}

describe("notices", { skip }, () => {
  const open = useConsole();
  const visit = (answer, isAway, use) => {
    const look = async (page) => {
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      await use(page);
    };
    return open(answer, "/me", look, {}, (page) => page.addInitScript(replace, isAway));
  };
  const events = [source("trained", 2), source("changed", 3), source("failed", 4)];

  test("who looks elsewhere sees in the title how much has happened, and is told by the browser", async () => {
    const me = { ...user, notifications: { desktop: true } };
    await visit(answers({ me, fail: { "GET /v1/events": stream(...events) } }), true, async (page) => {
      await page.waitForFunction(() => document.title === "(2) Your page · Parley");
      const shown = await page.evaluate(() => window.shown.map(([title, body]) => [title, body]));
      assert.deepEqual(shown, [
        ["Parley", "A source has been read."],
        ["Parley", "A source could not be read."],
      ]);
      await page.evaluate(() => {
        window.isAway = false;
        document.dispatchEvent(new Event("visibilitychange"));
        window.shown[1][2].onclick();
      });
      await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor();
      assert.match(page.url(), /\/sources\?state=failed$/);
      assert.equal(await page.title(), "Sources · Parley");
    });
  });

  test("a customer who answers the person, one who waits again, and what the person is given are told of; what others have is not", async () => {
    const me = { ...user, notifications: { desktop: true } };
    const row = (id, more) => ({ ...rows[0], conversationId: id, ...more });
    const author = (author) => ({ lastMessage: { ...rows[0].lastMessage, author } });
    const mine = { claimedBy: { userId: "usr_1", name: "Owner" } };
    const inbox = [row("c1", { ...mine, ...author("user") }), row("c2", { ...mine, ...author("human") }), row("c3", { claimedBy: { userId: "usr_7", name: "Lee" } }), row("c4"), row("c5"), row("c6", { ...mine, ...author("assistant"), unread: true })];
    const heard = [
      ...["c1", "c2", "c3"].map((id, i) => event("message", { id: `m${i}`, conversationId: id, agentId: agents[0].id, change: "created" }, String(10 + i))),
      ...["c3", "c4", "c5", "c6"].map((id, i) => event("conversation", { id, agentId: agents[0].id, change: "takenOver" }, String(20 + i))),
      event("ticket", { id: "9", conversationId: "c5", agentId: agents[0].id, change: "created" }, "30"),
    ];
    await visit(answers({ me, state: { inbox }, fail: { "GET /v1/events": stream(...heard) } }), true, async (page) => {
      await page.waitForFunction(() => window.shown.length === 4);
      const shown = await page.evaluate(() => window.shown.map(([, body]) => body));
      assert.deepEqual(shown.sort(), ["A conversation was given to you.", "A customer answers you.", "A customer waits for a person.", "There is a new ticket."]);
      await page.evaluate(() => window.shown.find(([, body]) => body === "A customer answers you.")[2].onclick());
      await page.waitForURL(/\/inbox\/c1$/);
    });
  });

  test("who looks at the page, or has not asked for it, is not told", async () => {
    for (const [isAway, title] of [[false, "Your page · Parley"], [true, "(2) Your page · Parley"]]) {
      const me = { ...user, notifications: { desktop: !isAway } };
      await visit(answers({ me, fail: { "GET /v1/events": stream(...events) } }), isAway, async (page) => {
        await page.waitForFunction((title) => document.title === title, title);
        assert.equal(await page.evaluate(() => window.shown.length), 0);
      });
    }
  });

  test("the browser is asked when they are switched on, and a refusal is said", async () => {
    const answer = answers({ fail: { "GET /v1/events": stream() } });
    await visit(answer, false, async (page) => {
      const desktop = page.locator("label", { hasText: "Notifications of the browser" });
      await page.evaluate(() => void (Notification.permission = "denied"));
      await desktop.click();
      await page.getByText("Your browser does not allow it").waitFor();
      assert.deepEqual(answer.state.me.notifications, undefined);
      await page.evaluate(() => void (Notification.permission = "granted"));
      await desktop.click();
      await page.getByText("Your browser does not allow it").waitFor({ state: "detached" });
      await page.locator("label", { hasText: "A sound" }).click();
      await page.getByRole("switch", { name: "A sound", checked: true }).waitFor();
      assert.deepEqual(answer.state.me.notifications, { desktop: true, sound: true });
    });
  });
});
