// The inbox: what is listed, what stays where it is, who has a conversation, and what is sent to whom.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runnerImport } from "vite";
import { answers } from "./answers.js";
import { skip, untilNothing } from "./browser.js";
import { entries, rows } from "./inbox-answers.js";
import { useSamePages } from "./setup.js";

const [waiting, colleagues, ended] = rows;
const path = `/inbox/${waiting.conversationId}`;
const me = { userId: "usr_1", name: "Owner" };
const mine = () => [{ ...waiting, claimedBy: me }];

describe("the order of rows", () => {
  let keepOrder, followWindow;
  before(async () => {
    ({ keepOrder, followWindow } = (await runnerImport(join(import.meta.dirname, "../src/pages/inbox/steady.ts"))).module);
  });

  const list = (text) => text.split(" ").filter(Boolean).map((one) => ({ conversationId: one[0], lastActivity: one.slice(1) }));
  const show = (before, now) => {
    const { rows, gone, waiting } = keepOrder(list(before), list(now));
    return [rows.map((row) => row.conversationId + row.lastActivity).join(" "), [...gone].join(" "), waiting];
  };

  test("rows change in their places, and what is new or moves up waits", () => {
    assert.deepEqual(show("a1 b1 c1", "a1 b1 c1"), ["a1 b1 c1", "", 0]);
    assert.deepEqual(show("a1 b1 c1", "d2 a1 b1 c1"), ["a1 b1 c1", "", 1]);
    assert.deepEqual(show("a1 b1 c1", "c2 a1 b1"), ["a1 b1 c2", "", 1]);
    assert.deepEqual(show("a1 b1 c1", "a1 c1"), ["a1 b1 c1", "b", 0]);
  });

  test("what was read behind the end is added, and a list of others waits as a whole", () => {
    assert.deepEqual(show("a1 b1", "a1 b1 c1 d1"), ["a1 b1 c1 d1", "", 0]);
    assert.deepEqual(show("", "a1 b1"), ["a1 b1", "", 0]);
    assert.deepEqual(show("a1 b1", "c1 d1"), ["a1 b1", "a b", 2]);
  });

  test("rows whose page is left go, and those of the page before come first", () => {
    const follow = (before, now) => followWindow(list(before), list(now)).map((row) => row.conversationId).join("");
    assert.equal(follow("a1 b1 c1 d1", "c1 d1 e1"), "cd");
    assert.equal(follow("c1 d1 e1", "a1 b1 c1 d1"), "abcd");
    assert.equal(follow("a1 b1 c1", "c2 b1"), "bc"); // in their former order
    assert.equal(follow("a1", "x1 y1"), "xy");
  });
});

describe("the inbox", { skip }, () => {
  const open = useSamePages();
  const sent = (answer, method, end) => answer.state.asked.filter((one) => one.method === method && one.path.endsWith(end));
  const list = (page) => page.getByRole("list", { name: "Conversations" });
  const said = (page) => page.getByRole("region", { name: "What was said" });
  const pane = (page) => page.getByRole("region", { name: "Conversation", exact: true });

  test("the view and the agent are in the address, and rows keep them", async () => {
    await open(answers(), "/inbox?view=ended", async (page) => {
      await list(page).getByRole("link", { name: /crm-3/ }).waitFor();
      await page.getByRole("link", { name: "Unassigned" }).click();
      await list(page).getByRole("link", { name: /Customer 1/ }).waitFor();
      assert.equal(await list(page).getByRole("listitem").count(), 1);
      await list(page).getByRole("link", { name: /Customer 1/ }).click();
      await said(page).getByText("The label is in the parcel.").waitFor();
      const { pathname, search } = new URL(page.url());
      assert.deepEqual([pathname.endsWith(path), search], [true, "?view=unassigned"]);
    });
  });

  test("words are looked for by the server, in the conversations of one agent", async () => {
    const answer = answers();
    answer.state.found = [{ id: ended.conversationId, title: null, createdAt: 1, updatedAt: 2, userId: "crm-3", status: "ended", source: "API", snippet: { speaker: "user", highlights: [{ value: "red ", isHit: false }, { value: "shoes", isHit: true }] } }];
    await open(answer, `/inbox?agent=${waiting.agentId}`, async (page) => {
      await page.getByRole("searchbox", { name: "Search conversations" }).fill("shoes");
      await page.getByRole("searchbox", { name: "Search conversations" }).press("Enter");
      await list(page).getByText("red shoes").waitFor();
      const [asked] = sent(answer, "GET", "/conversations/search");
      assert.equal(asked.query.get("query"), "shoes");
      assert.match(page.url(), /query=shoes/);
    });
  });

  test("a key goes from row to row, and the list stays while it is in it", async () => {
    await open(answers(), "/inbox?view=all", async (page) => {
      await list(page).getByRole("link", { name: /Customer 1/ }).waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.locator("a:focus", { hasText: "Customer 2" }).waitFor();
      await page.keyboard.press("k");
      await page.locator("a:focus", { hasText: "Customer 1" }).waitFor();
      await page.keyboard.press("Enter");
      await said(page).getByText("The label is in the parcel.").waitFor();
    });
  });

  test("what a customer typed is no Markdown; events and notes are in their places", async () => {
    const answer = answers();
    answer.state.said = { [waiting.conversationId]: [{ ...entries[0], parts: [{ type: "text", text: "**Where** is it?" }] }, ...entries.slice(1)] };
    await open(answer, path, async (page) => {
      await said(page).getByText("**Where** is it?").waitFor();
      await said(page).locator("strong", { hasText: "30 days" }).waitFor();
      await said(page).getByText("Handed over to people").waitFor();
      await said(page).getByText("Note for the team").waitFor();
      await page.getByRole("region", { name: "Customer" }).getByText("customer-1@shop.example").waitFor();
    });
  });

  test("an answer says why it is so", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await said(page).getByRole("button", { name: "Why" }).click();
      await page.getByRole("dialog", { name: "Why" }).getByText("Returns policy").first().waitFor();
      assert.equal(sent(answer, "GET", "/explain")[0].query.get("messageId"), "msg_a");
    });
  });

  test("somebody takes over, answers and gives back", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await pane(page).getByRole("button", { name: "Take over" }).click();
      await page.getByLabel("Write to the customer").fill("Here I am.");
      await page.keyboard.press("Control+Enter");
      await said(page).getByText("Here I am.").waitFor();
      const [{ body }] = sent(answer, "POST", "/messages");
      assert.deepEqual(body, { member: "owner@shop.example", text: "Here I am.", seen: 5 });
      assert.equal(await page.getByLabel("Write to the customer").inputValue(), "");
      assert.ok(sent(answer, "POST", "/typing").length > 0);
      await pane(page).getByRole("button", { name: "Give back to the agent" }).click();
      await pane(page).getByText("The agent answers in this conversation.").waitFor();
      assert.deepEqual(sent(answer, "PUT", "/state")[0].body, { step: "handback" });
    });
  });

  test("a note goes to the team and not to the customer", async () => {
    const answer = answers({ state: { inbox: mine() } });
    await open(answer, path, async (page) => {
      await page.getByRole("radio", { name: "Note" }).click();
      await page.getByLabel("Write a note that only the team sees").fill("Was kind.");
      await page.getByRole("button", { name: "Keep the note" }).click();
      await said(page).getByText("Was kind.").waitFor();
      assert.deepEqual([sent(answer, "POST", "/messages").length, sent(answer, "POST", "/typing").length], [1, 0]);
      assert.match(sent(answer, "POST", "/messages")[0].path, /\/tickets\/118\/messages$/);
    });
  });

  test("of two who take over at once one is told who was faster", async () => {
    const answer = answers({ state: { winner: { userId: "usr_7", name: "Lee" } } });
    await open(answer, path, async (page) => {
      await pane(page).getByRole("button", { name: "Take over" }).click();
      await page.getByText("Lee was faster and has this conversation now.").waitFor();
      await pane(page).getByRole("button", { name: "Take it from Lee" }).click();
      await page.getByLabel("Write to the customer").waitFor();
      assert.deepEqual(sent(answer, "PUT", "/claim").map(({ body }) => body), [{}, { former: "usr_7" }]);
    });
  });

  test("an answer against one of a colleague asks first", async () => {
    const answer = answers({ state: { inbox: mine() } });
    await open(answer, path, async (page) => {
      await page.getByLabel("Write to the customer").fill("Sorry for that.");
      answer.state.colleague = 6;
      answer.state.said = { [waiting.conversationId]: [...entries, { ...entries[4], messageId: "msg_6", seq: 6, type: "reply", parts: [{ type: "text", text: "I look after it." }] }] };
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByRole("alertdialog").getByText("The conversation shows what they wrote.").waitFor();
      await page.getByRole("button", { name: "Send anyway" }).click();
      await said(page).getByText("Sorry for that.").waitFor();
      assert.deepEqual(sent(answer, "POST", "/messages").map(({ body }) => body.seen), [5, 6]);
    });
  });

  test("what was typed is there again after the page was loaded", async () => {
    const answer = answers({ state: { inbox: mine() } });
    await open(answer, path, async (page) => {
      await page.getByLabel("Write to the customer").fill("Half a sente");
      await page.reload();
      await page.getByLabel("Write to the customer").waitFor();
      assert.equal(await page.getByLabel("Write to the customer").inputValue(), "Half a sente");
    });
  });

  test("the agent suggests an answer, and nothing is sent by itself", async () => {
    const answer = answers({ state: { inbox: mine() } });
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "Suggest from sources" }).click();
      await page.getByText("It rests on Returns policy and Shipping FAQ.").waitFor();
      assert.match(await page.getByLabel("Write to the customer").inputValue(), /^You can send them back/);
      assert.equal(sent(answer, "POST", "/playground")[0].body.message, "I want to talk to a person.");
      assert.equal(sent(answer, "POST", "/messages").length, 0);
    });
  });

  test("what was typed is kept in the server, is there in another tab, and is gone once it is sent", async () => {
    const answer = answers({ state: { inbox: mine() } });
    await open(answer, path, async (page) => {
      await page.getByLabel("Write to the customer").fill("Half a sente");
      await page.getByText("Kept until it is sent").waitFor();
      assert.deepEqual(sent(answer, "PUT", "/drafts").at(-1).body, { kind: "reply", text: "Half a sente", seen: 5 });
      await page.evaluate(() => sessionStorage.clear());
      await page.reload();
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "Half a sente");
      await page.keyboard.press("r");
      await page.keyboard.press("Control+Enter");
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
      assert.equal(await untilNothing(async () => answer.state.drafts.map(({ text }) => text).join("")), null);
    });
  });

  test("ending asks first", async () => {
    const answer = answers({ state: { inbox: mine() } });
    await open(answer, path, async (page) => {
      await pane(page).getByRole("button", { name: "End", exact: true }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "End", exact: true }).click();
      await pane(page).getByText("This conversation has ended.").waitFor();
      assert.deepEqual(sent(answer, "PUT", "/state")[0].body, { step: "end" });
    });
  });

  test("a conversation of a colleague names them", async () => {
    await open(answers(), `/inbox/${colleagues.conversationId}`, async (page) => {
      await pane(page).getByText("Lee has this conversation.").waitFor();
    });
  });

  test("on a phone one pane is shown at a time", async () => {
    const phone = { viewport: { width: 390, height: 844 } };
    await open(answers(), "/inbox", async (page) => {
      await list(page).getByRole("link", { name: /Customer 1/ }).click();
      await said(page).getByText("The label is in the parcel.").waitFor();
      assert.equal(await list(page).count(), 0);
      await page.getByRole("button", { name: "About the customer" }).click();
      await page.getByText("customer-1@shop.example").waitFor();
      assert.equal(await said(page).count(), 0);
      await page.getByRole("button", { name: "Back to the conversation" }).click();
      await page.getByRole("link", { name: "All conversations" }).click();
      await list(page).getByRole("link", { name: /Customer 1/ }).waitFor();
    }, phone);
  });
});
