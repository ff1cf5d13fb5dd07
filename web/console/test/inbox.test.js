// The inbox: what is listed, what stays where it is, who has a conversation, and what is sent to whom.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runnerImport } from "vite";
import { answers } from "./answers.js";
import { assertSoon, skip, untilNothing } from "./browser.js";
import { EventLog } from "./event-log.js";
import { entries, rows } from "./inbox-answers.js";
import { conversation as earlier, customers } from "./insight-answers.js";
import { whoAnswers } from "./saved-answers.js";
import { useSamePages } from "./setup.js";
import { statuses, tickets } from "./ticket-answers.js";

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

describe("the times until which something is put aside", () => {
  let momentOf;
  before(async () => {
    ({ momentOf } = (await runnerImport(join(import.meta.dirname, "../src/pages/inbox/snooze-times.ts"))).module);
  });

  test("days begin at nine, and the next Monday is never today", () => {
    const local = (...parts) => new Date(...parts).toISOString();
    const saturday = new Date(2026, 10, 28, 17, 30);
    assert.equal(momentOf("hour", saturday).toISOString(), local(2026, 10, 28, 18, 30));
    assert.equal(momentOf("later", saturday).toISOString(), local(2026, 10, 28, 20, 30));
    assert.equal(momentOf("tomorrow", saturday).toISOString(), local(2026, 10, 29, 9));
    assert.equal(momentOf("monday", saturday).toISOString(), local(2026, 10, 30, 9));
    assert.equal(momentOf("monday", new Date(2026, 10, 30, 8)).toISOString(), local(2026, 11, 7, 9));
    assert.equal(momentOf("monday", new Date(2026, 10, 29, 8)).toISOString(), local(2026, 10, 30, 9));
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

  test("of what somebody has, it is said where the customer has written since", async () => {
    const inbox = [...mine(), { ...waiting, conversationId: ended.conversationId, claimedBy: me, customer: "Customer 9", lastMessage: { ...waiting.lastMessage, author: "human" } }];
    await open(answers({ state: { inbox } }), "/inbox?view=mine", async (page) => {
      await list(page).getByRole("link", { name: /Customer 1.*not answered yet/i }).waitFor();
      assert.equal(await list(page).getByRole("link", { name: /Customer 9.*not answered yet/i }).count(), 0);
    });
  });

  test("who waits longest comes first, unless the last active is to, and how many wait is on every screen", async () => {
    const answer = answers({ state: { isCounted: true } });
    await open(answer, "/inbox", async (page) => {
      const names = () => list(page).locator("bdi").filter({ hasText: /^Customer/ }).allTextContents();
      await assertSoon(names, ["Customer 1", "Customer 2"]);
      await list(page).getByRole("link", { name: /Customer 1.*Waiting for \d/ }).waitFor();
      await page.getByRole("navigation").getByRole("link", { name: /^Inbox\s*Waiting: 2$/ }).waitFor();
      answer.state.inbox[1].waitingSince = "2026-11-22T08:01:00.000Z";
      answer.state.counted = 100; // or more
      await page.reload();
      await assertSoon(names, ["Customer 2", "Customer 1"]);
      await page.getByRole("navigation").getByText("99+", { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Filter" }).click();
      await page.getByRole("button", { name: /Order/ }).click();
      await page.getByRole("option", { name: "Last active" }).click();
      await assertSoon(names, ["Customer 1", "Customer 2"]);
      assert.equal(new URL(page.url()).searchParams.get("order"), "active");
    });
  });

  test("what is unread says so in its row and is counted on every screen, until it is opened or again when it is marked", async () => {
    const answer = answers({ state: { isCounted: true, inbox: [{ ...waiting, unread: true }, { ...colleagues }] } });
    await open(answer, "/inbox", async (page) => {
      const row = list(page).getByRole("link", { name: /^Unread\s*Customer 1/ });
      const counted = page.getByRole("navigation").getByRole("link", { name: /^Inbox\s*Waiting: 2\s*Unread: 1$/ });
      const marks = () => sent(answer, "PUT", `/${waiting.conversationId}/read-mark`).map((one) => one.body);
      await counted.waitFor();
      assert.deepEqual(marks(), []);
      await row.click();
      await assertSoon(marks, [{ unread: false, seen: 5 }]);
      await page.getByRole("navigation").getByRole("link", { name: /^Inbox\s*Waiting: 2$/ }).waitFor();
      await list(page).getByRole("link", { name: /^Customer 1/ }).waitFor();
      await page.getByRole("button", { name: "Mark as unread" }).click();
      await page.getByText("Choose a conversation").waitFor();
      await counted.waitFor();
      assert.deepEqual(marks().slice(1), [{ unread: true }]);
      await page.getByRole("navigation", { name: "View" }).getByRole("link", { name: /^Unread/ }).click();
      await row.waitFor();
      assert.equal(await list(page).getByRole("listitem").count(), 1);
    });
  });

  test("each day of a thread begins with its date, and a message has its time", async () => {
    const days = ["2026-11-20T09:00:00.000Z", "2026-11-20T10:00:00.000Z", "2026-11-21T09:00:00.000Z"];
    const said = days.map((createdAt, i) => ({ ...entries[0], messageId: `msg_${i}`, seq: i + 1, createdAt }));
    await open(answers({ state: { said: { [waiting.conversationId]: said } } }), path, async (page) => {
      const thread = page.getByRole("region", { name: "What was said" });
      await thread.getByText("How do I return shoes?").first().waitFor();
      const rows = await thread.locator("ol > li").evaluateAll((all) => all.map((one) => one.hasAttribute("data-row")));
      assert.deepEqual(rows, [false, true, true, false, true]);
      const time = thread.locator("li[data-row] time").first();
      assert.match(await time.getAttribute("title"), /2026/);
      assert.match(await time.locator("[aria-hidden]").textContent(), /^\d{1,2}:\d\d/);
    });
  });

  test("words are looked for by the server, in the conversations of one agent", async () => {
    const answer = answers();
    const snippet = [{ text: "red ", hit: false }, { text: "shoes", hit: true }];
    answer.state.foundRows = [{ ...waiting, unread: true, snippet }];
    await open(answer, `/inbox?agent=${waiting.agentId}`, async (page) => {
      await page.getByRole("searchbox", { name: "Search conversations" }).fill("shoes");
      await page.getByRole("searchbox", { name: "Search conversations" }).press("Enter");
      await list(page).getByText("red shoes").waitFor();
      assert.deepEqual(Object.fromEntries(sent(answer, "GET", "/inbox/search").at(-1).query), { query: "shoes", agentId: waiting.agentId, limit: "25" });
      await list(page).getByRole("link", { name: /Unread.*Customer 1.*red shoes.*Waits for a person/ }).waitFor();
      await list(page).getByRole("checkbox").first().waitFor();
      assert.equal(await page.getByRole("navigation", { name: "View", exact: true }).locator("[aria-current]").count(), 0);
      assert.match(page.url(), /query=shoes/);
      await page.getByRole("navigation", { name: "View", exact: true }).getByRole("link", { name: "All", exact: true }).click();
      await list(page).getByText("red shoes").waitFor({ state: "detached" });
      assert.equal(new URL(page.url()).search, `?agent=${waiting.agentId}&view=all`);
    });
  });

  test("without an agent words are looked for in the conversations of all of them", async () => {
    const answer = answers();
    const snippet = [{ text: "red ", hit: false }, { text: "shoes", hit: true }];
    answer.state.foundRows = [{ ...waiting, snippet }, { ...ended, agentName: "Sales", snippet: [] }];
    answer.state.withheld = 1;
    await open(answer, "/inbox", async (page) => {
      await page.getByRole("searchbox", { name: "Search conversations" }).fill("shoes");
      await page.getByRole("searchbox", { name: "Search conversations" }).press("Enter");
      await list(page).getByRole("link", { name: /Customer 1.*red shoes.*Help desk/ }).waitFor();
      await list(page).getByRole("link", { name: /crm-3.*Sales/ }).waitFor();
      await page.getByText("1 agent masks personal data: its words are not searched.").waitFor();
      assert.deepEqual(Object.fromEntries(sent(answer, "GET", "/inbox/search").at(-1).query), { query: "shoes", limit: "25" });
      await list(page).getByRole("link", { name: /Customer 1/ }).click();
      await said(page).getByText("The label is in the parcel.").waitFor();
      assert.match(page.url(), /\?query=shoes$/);
      answer.state.foundRows = [];
      await page.getByRole("searchbox", { name: "Search conversations" }).fill("boots");
      await page.getByRole("searchbox", { name: "Search conversations" }).press("Enter");
      await page.getByText("No conversation matches").waitFor();
    });
  });

  test("what the search knows narrows the list: topics, actions and procedures of the agent, calls, and where it began", async () => {
    const answer = answers();
    answer.state.foundRows = [];
    await open(answer, `/inbox?agent=${waiting.agentId}`, async (page) => {
      const choose = async (label, option) => {
        await page.getByRole("search").getByRole("button", { name: label }).click();
        await page.getByRole("option", { name: option, exact: true }).click();
      };
      await choose(/Topic/, "– Delays");
      await choose(/Voice session/, "There was one");
      await choose(/Came from/, "Center stage");
      await choose(/How actions ended/, "Failed");
      const last = () => Object.fromEntries(sent(answer, "GET", "/inbox/search").at(-1)?.query ?? []);
      const want = { agentId: waiting.agentId, topic: "Delays", hasVoice: "true", source: "Center stage", toolOutcome: "error", limit: "25" };
      await assertSoon(last, want);
      assert.equal(new URL(page.url()).searchParams.get("topic"), "Delays");
    });
  });

  test("beside a conversation is what else its customer wrote, and each of it is a press away", async () => {
    const answer = answers({ session: whoAnswers });
    answer.state.customer = { tickets: [{ ticketNumber: 97, subject: "Invoice", status: "Open", updatedAt: "2026-11-20T14:03:00Z" }] };
    await open(answer, `${path}?view=all`, async (page) => {
      const beside = page.getByRole("region", { name: "Customer" });
      await beside.getByText("gold", { exact: true }).waitFor(); // an attribute
      const hrefs = async (name) => new URL(await beside.getByRole("link", { name }).getAttribute("href"), page.url());
      assert.match((await hrefs("Show in People")).pathname, new RegExp(`/agents/${waiting.agentId}/people/${customers[0].customerId}$`));
      assert.match((await hrefs("#118")).pathname, new RegExp(`/agents/${waiting.agentId}/tickets/118$`));
      assert.match((await hrefs(/Invoice/)).pathname, /\/tickets\/97$/);
      const others = beside.getByRole("list", { name: "Other conversations" }).getByRole("link");
      assert.equal(await others.count(), 1);
      await others.click();
      assert.match(page.url(), new RegExp(`/inbox/${earlier}\\?view=all$`));
    });
  });

  test("the ticket of a conversation is changed beside it", async () => {
    const answer = answers({ session: whoAnswers });
    answer.state.tickets = [{ ...tickets[0], ticketNumber: 118 }];
    await open(answer, path, async (page) => {
      await page.getByRole("region", { name: "Customer" }).getByRole("button", { name: "Change the ticket" }).waitFor();
      assert.equal(sent(answer, "GET", "/tickets/118").length, 0); // it is read when it is wanted
      await page.keyboard.press("a");
      const dialog = page.getByRole("dialog", { name: "Ticket #118" });
      await dialog.getByRole("button", { name: /Priority/ }).press("Enter");
      await page.getByRole("option", { name: "Urgent" }).press("Enter");
      await dialog.getByRole("button", { name: /Urgent/ }).waitFor();
      assert.deepEqual(sent(answer, "PATCH", "/tickets/118").map(({ body }) => body.priority), ["urgent"]);
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
      await said(page).getByText("The agent: handed over to the team").waitFor();
      await said(page).getByText("Note for the team").waitFor();
      await page.getByRole("region", { name: "Customer" }).getByText("customer-1@shop.example").waitFor();
    });
  });

  test("an event says what has changed and who changed it; a status is beside the reply that brought it about", async () => {
    const answer = answers();
    const event = (seq, name, event) => ({ ...entries[3], messageId: `msg_${seq}`, seq, ...(name && { name }), createdAt: entries[2].createdAt, event });
    const reply = { ...entries[4], messageId: "msg_6", seq: 6, type: "reply", name: "Lee", createdAt: entries[2].createdAt };
    answer.state.said = {
      [waiting.conversationId]: [
        ...entries.slice(0, 3),
        event(4, "", { eventType: "escalated", doneBy: "visitor" }),
        event(5, "Lee", { eventType: "assign", doneBy: "usr_7", assignedTo: "usr_7" }),
        reply,
        event(7, "Lee", { eventType: "status_change", doneBy: "usr_7", statusFrom: "st_1", statusTo: "st_3" }),
        event(8, "Kim", { eventType: "status_change", doneBy: "usr_8", statusFrom: "st_3", statusTo: "st_2" }),
      ],
    };
    const label = (id) => statuses.find(({ statusId }) => statusId === id).label;
    await open(answer, path, async (page) => {
      await said(page).getByText("The customer: handed over to the team").waitFor();
      await said(page).getByText("Lee: assigned to Lee").waitFor();
      await said(page).getByText(`Kim: status from ${label("st_3")} to ${label("st_2")}`).waitFor();
      await said(page).getByRole("listitem").filter({ hasText: "Sends back often." }).getByText(`Status: ${label("st_3")}`).waitFor();
      assert.equal(await said(page).getByText("Lee: status").count(), 0);
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

  test("keys begin a reply and a note, and ask whether to end", async () => {
    await open(answers({ state: { inbox: mine() } }), path, async (page) => {
      await page.getByLabel("Write to the customer").waitFor();
      await page.keyboard.press("n");
      await page.locator("textarea:focus").waitFor();
      await page.getByLabel("Write a note that only the team sees").waitFor();
      await page.locator("textarea:focus").blur();
      await page.keyboard.press("r");
      await page.getByLabel("Write to the customer").waitFor();
      await page.locator("textarea:focus").blur();
      await page.keyboard.press("e");
      await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    });
  });

  test("a reply is sent and the conversation given back, or ended, at once", async () => {
    for (const [step, send] of [
      ["handback", async (page) => {
        await page.getByRole("button", { name: "Send and more" }).click();
        await page.getByRole("menuitem", { name: "Send and give back to the agent" }).click();
        await pane(page).getByText("The agent answers in this conversation.").waitFor();
      }],
      ["end", async (page) => {
        await page.keyboard.press("Control+Shift+Enter");
        await pane(page).getByText("This conversation has ended.").waitFor();
      }],
    ]) {
      const answer = answers({ state: { inbox: mine() } });
      await open(answer, path, async (page) => {
        await page.getByLabel("Write to the customer").fill("All done.");
        await send(page);
        await said(page).getByText("All done.").waitFor();
        const order = answer.state.asked.filter(({ method, path }) => (method === "POST" && path.endsWith("/messages")) || (method === "PUT" && path.endsWith("/state")));
        assert.deepEqual(order.map(({ body }) => body.step ?? body.text), ["All done.", step]);
      });
    }
  });

  test("colleagues who look at it too are named, and what a customer writes meanwhile is said", async () => {
    const base = answers({ state: { inbox: mine() } });
    const events = new EventLog();
    await open(events.with(base), path, async (page) => {
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      await said(page).getByText("I want to talk to a person.").first().waitFor();
      for (const [userId, state] of [["usr_7", "looking"], ["usr_8", "typing"]]) {
        events.send("presence", { userId, type: "conversation", id: waiting.conversationId, state });
      }
      await pane(page).getByText("Lee is looking at this too").waitFor();
      await pane(page).getByText("A colleague is writing").waitFor();
      const next = { ...entries[0], messageId: "msg_6", seq: 6, parts: [{ type: "text", text: "Are you there?" }] };
      base.state.said = { [waiting.conversationId]: [...entries, next] };
      events.send("message", { conversationId: waiting.conversationId, agentId: waiting.agentId });
      await page.getByRole("status").getByText("New from Customer 1: Are you there?").waitFor({ state: "attached" });
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

  test("a conversation is given to a colleague, and to nobody, by a menu and by a key", async () => {
    const answer = answers({ state: { inbox: mine() } });
    await open(answer, path, async (page) => {
      await page.getByLabel("Write to the customer").waitFor();
      await pane(page).getByRole("button", { name: "Assign", exact: true }).click();
      await page.getByRole("menuitem", { name: "Lee", exact: true }).click();
      await pane(page).getByText("Lee has this conversation.").waitFor();
      assert.equal(await page.getByRole("alert").count(), 0);
      await page.getByRole("menu").waitFor({ state: "detached" });
      await page.keyboard.press("i");
      await page.getByRole("menuitem", { name: "Nobody", exact: true }).click();
      await pane(page).getByText("The agent is silent, and nobody has the conversation yet.").waitFor();
      const bodies = sent(answer, "PUT", "/assignee").map(({ body }) => body);
      assert.deepEqual(bodies, [{ memberId: "usr_7", former: "usr_1" }, { memberId: "", former: "usr_7" }]);
    });
  });

  test("a conversation is put aside by a key, is listed as that, and is brought back", async () => {
    const answer = answers({ state: { inbox: mine() } });
    await open(answer, `${path}?view=mine`, async (page) => {
      await page.getByLabel("Write to the customer").waitFor();
      await page.keyboard.press("z");
      await page.getByRole("menuitem", { name: "Tomorrow at nine" }).click();
      await pane(page).getByRole("status").filter({ hasText: "Snoozed until" }).waitFor();
      const [{ body }] = sent(answer, "PUT", "/snooze");
      assert.match(body.until, /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
      await page.getByRole("navigation", { name: "View" }).getByRole("link", { name: "Snoozed" }).click();
      await list(page).getByRole("link", { name: /Customer 1.*Snoozed until/ }).click();
      await pane(page).getByRole("button", { name: "Bring it back" }).click();
      await pane(page).getByText("Snoozed until").first().waitFor({ state: "detached" });
      assert.deepEqual(sent(answer, "PUT", "/snooze").at(-1).body, { until: null });
    });
  });

  test("something is done to several at once, and those to which it could not be done are named", async () => {
    const answer = answers({ state: { isOthers: true } });
    await open(answer, "/inbox?view=all", async (page) => {
      await list(page).getByRole("checkbox", { name: "Choose Customer 1" }).press("Space");
      await page.getByRole("region", { name: "1 conversation chosen" }).waitFor();
      await page.keyboard.press("j");
      await page.locator("a:focus", { hasText: "Customer 2" }).waitFor();
      await page.keyboard.press("x");
      const bar = page.getByRole("region", { name: "2 conversations chosen" });
      await bar.getByRole("button", { name: "Take over" }).click();
      const failed = page.getByRole("status").filter({ hasText: "This could not be done to 1 conversation." });
      await failed.getByText("Customer 2").waitFor();
      await failed.getByText("A colleague has this conversation.").waitFor();
      assert.deepEqual(sent(answer, "PUT", "/claim").map(({ body }) => body), [{}, {}]);
      await bar.getByRole("button", { name: "Assign" }).click();
      await page.getByRole("menuitem", { name: "Lee", exact: true }).click();
      await failed.waitFor({ state: "detached" });
      await bar.waitFor({ state: "detached" });
      const given = sent(answer, "PUT", "/assignee").map(({ body }) => body);
      assert.deepEqual(given.sort((a, b) => a.former.localeCompare(b.former)), [{ memberId: "usr_7", former: "usr_1" }, { memberId: "usr_7", former: "usr_7" }]);
    });
  });

  test("several are marked as read and ended, after a question", async () => {
    const inbox = rows.map((one) => ({ ...one, unread: true }));
    const answer = answers({ state: { inbox } });
    await open(answer, "/inbox?view=all", async (page) => {
      const choose = async () => {
        await list(page).getByRole("checkbox", { name: "Choose Customer 1" }).press("Space");
        await page.getByRole("button", { name: "Choose all 3" }).click();
        const bar = page.getByRole("region", { name: "3 conversations chosen" });
        await bar.getByRole("button", { name: "More" }).click();
      };
      await choose();
      await page.getByRole("menuitem", { name: "Mark as read" }).click();
      await list(page).getByRole("link", { name: /^Customer 2/ }).waitFor();
      const marks = sent(answer, "PUT", "/read-mark").map(({ body }) => body);
      assert.deepEqual(marks.sort((a, b) => a.seen - b.seen), [3, 5, 5].map((seen) => ({ unread: false, seen })));
      await page.getByRole("region", { name: "3 conversations chosen" }).waitFor({ state: "detached" });
      await choose();
      await page.getByRole("menuitem", { name: "End", exact: true }).click();
      const question = page.getByRole("alertdialog", { name: "End 3 conversations?" });
      assert.equal(sent(answer, "PUT", "/state").length, 0);
      await question.getByRole("button", { name: "End", exact: true }).click();
      await list(page).getByRole("link", { name: /Customer 1.*Ended/ }).waitFor();
      assert.deepEqual(sent(answer, "PUT", "/state").map(({ body }) => body), [{ step: "end" }, { step: "end" }]); // one had ended
    });
  });

  test("a conversation of a colleague names them", async () => {
    await open(answers(), `/inbox/${colleagues.conversationId}`, async (page) => {
      await pane(page).getByText("Lee has this conversation.").waitFor();
    });
  });

  test("words that cannot be searched are said to be so, and left out by a press", async () => {
    const refused = [403, { error: { code: "CONVERSATION_SEARCH_UNAVAILABLE", message: "In English." } }];
    const answer = answers({ fail: { "GET /v1/accounts/acc_1/inbox/search": refused } });
    await open(answer, `/inbox?agent=${waiting.agentId}&query=shoes`, async (page) => {
      const said = page.getByRole("heading", { name: "The words of these conversations cannot be searched" });
      await said.waitFor();
      assert.equal(await page.getByText("In English.").count(), 0);
      await page.getByRole("button", { name: "Leave it out" }).click();
      await said.waitFor({ state: "detached" });
      assert.deepEqual([...new URL(page.url()).searchParams], [["agent", waiting.agentId]]);
    });
  });

  test("on a phone the last message and where to write are on the screen, below one row of head", async () => {
    const phone = { viewport: { width: 390, height: 844 } };
    const answer = answers({ session: whoAnswers });
    answer.state.inbox = [{ ...waiting, claimedBy: { userId: "usr_1", name: "Owner" } }];
    await open(answer, path, async (page) => {
      const write = page.getByRole("textbox", { name: "Write to the customer" });
      await write.waitFor();
      const last = said(page).locator("[data-row]").last();
      const isInSight = async () => {
        const [message, area] = [await last.boundingBox(), await write.boundingBox()];
        return message.y + 20 < area.y && area.y + area.height <= 844;
      };
      await assertSoon(isInSight, true); // the end is followed once it is drawn
      const head = await page.locator("main h2").first().boundingBox();
      assert.ok(head.y < 140, `the name is at ${head.y}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), true);
      const end = page.getByRole("button", { name: "End", exact: true });
      assert.equal(await end.count(), 0);
      await page.getByRole("button", { name: "More", exact: true }).click();
      await end.waitFor();
    }, phone);
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
