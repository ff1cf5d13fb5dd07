// Tickets: the list with its filters, what is changed of several, rows that stay, the board, and the ticket itself.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runnerImport } from "vite";
import { agents, answers } from "./answers.js";
import { assertSoon, skip } from "./browser.js";
import { EventLog } from "./event-log.js";
import { rows } from "./inbox-answers.js";
import { useSamePages } from "./setup.js";
import { dueTickets, tickets, withTickets } from "./ticket-answers.js";

const [{ id }] = agents;
const path = `/agents/${id}/tickets`;
const at = (more = {}, role) => answers({ session: withTickets(role), ...more });
/** A session that may do more besides. */
const also = (...more) => {
  const [membership] = withTickets().memberships;
  return { memberships: [{ ...membership, permissions: [...membership.permissions, ...more] }] };
};
const row = (page, name) => page.getByRole("main").getByRole("row", { name });
const sent = (answer, method, part) => answer.state.asked.filter((one) => one.method === method && one.path.includes(part));
const source = join(import.meta.dirname, "../src");

describe("rows that stay where they are", () => {
  test("new ones wait, further ones follow, and another list begins anew", async () => {
    const { followRows } = (await runnerImport(join(source, "pages/tickets/steady.ts"))).module;
    const first = followRows({ place: "", start: "", order: [] }, "open", "", [3, 2, 1]);
    assert.deepEqual(first, { place: "open", start: "", order: [3, 2, 1] });
    assert.equal(followRows(first, "open", "", [1, 3, 2]), first);
    assert.equal(followRows(first, "open", "", [4, 3, 2, 1]), first);
    assert.deepEqual(followRows(first, "open", "", [3, 2, 1, 0]).order, [3, 2, 1, 0]);
    assert.deepEqual(followRows(first, "done", "", [7]).order, [7]);
    assert.deepEqual(followRows(first, "open", "", [9, 8]).order, [9, 8]);
    const empty = followRows(first, "open", "", []);
    assert.equal(followRows(empty, "open", "", []), empty);
  });

  test("rows whose page is left go, and those of the page before come first", async () => {
    const { followRows } = (await runnerImport(join(source, "pages/tickets/steady.ts"))).module;
    const first = followRows({ place: "", start: "", order: [] }, "open", "", [6, 5, 4, 3]);
    const later = followRows(first, "open", "behind 5", [3, 4, 2]);
    assert.deepEqual(later, { place: "open", start: "behind 5", order: [4, 3, 2] });
    assert.deepEqual(followRows(later, "open", "", [6, 5, 4, 3]), { place: "open", start: "", order: [6, 5, 4, 3] });
  });
});

describe("tickets", { skip }, () => {
  const open = useSamePages();

  test("the tickets of all agents are one list and one board, and one agent is a choice", async () => {
    const answer = at();
    await open(answer, "/tickets", async (page) => {
      await row(page, /#4 Wrong size/).getByText("Help desk").waitFor();
      await row(page, /#3 Order 4711/).getByText("Returns").waitFor();
      const [asked] = sent(answer, "GET", "/accounts/acc_1/tickets");
      assert.equal(asked.query.get("statusCategories"), "new,on_you,on_customer,on_hold");
      await row(page, /#3 Order 4711/).getByRole("checkbox").check({ force: true });
      await page.getByRole("region", { name: "1 ticket chosen" }).getByRole("button", { name: "Status" }).press("Enter");
      await page.getByRole("menuitem", { name: "On hold" }).press("Enter");
      await assertSoon(
        () => sent(answer, "PATCH", "/tickets/3").map((one) => [one.path.includes("/8ZK2M1C-QWErTyUiOpAsD/"), one.body]),
        [[true, { statusCategory: "on_hold" }]],
      );
      await page.getByLabel("Search tickets").fill("wrong");
      await row(page, /#3 Order 4711/).waitFor({ state: "detached" });
      await row(page, /#4 Wrong size/).getByText("Help desk").waitFor();
      assert.equal(sent(answer, "GET", "/accounts/acc_1/tickets").at(-1).query.get("query"), "wrong");
      await page.getByLabel("Search tickets").fill("");
      await row(page, /#3 Order 4711/).waitFor();
      await page.getByRole("radio", { name: "Board" }).press("Space");
      await page.getByRole("region", { name: "On hold" }).getByText("#3 Order 4711").waitFor();
      await page.getByRole("button", { name: /Agent/ }).last().press("Enter");
      await page.getByRole("option", { name: "Help desk" }).press("Enter");
      await page.getByRole("button", { name: /Team/ }).waitFor();
      assert.equal(new URL(page.url()).pathname.endsWith(`${path}`), true);
      assert.equal(new URL(page.url()).search, "?layout=board");
    });
  });

  test("the view, the team and the order stand in the address", async () => {
    const answer = at();
    await open(answer, `${path}?view=unassigned&sort=newest`, async (page) => {
      await row(page, "#4 Wrong size").waitFor();
      assert.equal(await page.getByRole("main").getByRole("row").count(), 2);
      const [asked] = sent(answer, "GET", `/v1${path}`);
      assert.deepEqual(
        ["statusCategories", "assigneeId", "sortBy", "order"].map((name) => asked.query.get(name)),
        ["new,on_you,on_customer,on_hold", "none", "createdAt", "desc"],
      );
      await page.getByRole("button", { name: /View/ }).press("Enter");
      await page.getByRole("option", { name: "Done" }).press("Enter");
      await row(page, "#1 Old question").waitFor();
      assert.equal(new URL(page.url()).search, "?view=done&sort=newest");
      await page.getByLabel("Search tickets").fill("invoice");
      await row(page, "#2 Invoice").waitFor();
      assert.equal(new URL(page.url()).searchParams.get("words"), "invoice");
    });
  });

  test("what is overdue is a view of the list and of the board, and each ticket says until when it is due", async () => {
    const answer = at();
    const inMinutes = (minutes) => new Date(Date.now() + minutes * 60_000).toISOString();
    const due = [{ dueAt: inMinutes(140) }, { dueAt: inMinutes(-1210), resolutionDueAt: inMinutes(-1210) }, {}, {}];
    answer.state.tickets = dueTickets.map((one, i) => ({ ...one, ...due[i] }));
    await open(answer, path, async (page) => {
      await row(page, "#4 Wrong size").getByText("Due in 2 hours").waitFor();
      await row(page, "#3 Order 4711").getByText("Overdue by 20 hr").waitFor();
      await page.getByRole("button", { name: /View/ }).press("Enter");
      await page.getByRole("option", { name: "Overdue", exact: true }).press("Enter");
      await row(page, "#4 Wrong size").waitFor({ state: "detached" });
      await row(page, "#3 Order 4711").waitFor();
      assert.equal(await page.getByRole("button", { name: /Order/ }).filter({ hasNotText: "4711" }).count(), 0);
      assert.equal(sent(answer, "GET", `/v1${path}`).at(-1).query.get("overdue"), "true");
      await page.getByRole("radio", { name: "Board" }).press("Space");
      await page.getByRole("region", { name: "On you" }).getByText("Overdue by 20 hr").waitFor();
      await row(page, "#3 Order 4711").press("Enter");
      const properties = page.getByRole("region", { name: "Properties" });
      await properties.getByText("Overdue by 20 hr").waitFor();
      await properties.getByText("Missed").waitFor();
    });
  });

  test("several are changed at once, and what could not be changed is named", async () => {
    const answer = at();
    answer.state.refusedTickets = { 3: [404, { error: { code: "TICKET_NOT_FOUND", message: "Ticket not found." } }] };
    await open(answer, path, async (page) => {
      await row(page, "#4 Wrong size").focus();
      await page.keyboard.press("Space");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Space");
      const bar = page.getByRole("region", { name: "2 tickets chosen" });
      await bar.getByRole("button", { name: "Priority" }).press("Enter");
      await page.getByRole("menuitem", { name: "Urgent" }).press("Enter");
      const failed = page.getByRole("status").filter({ hasText: "1 ticket could not be changed." });
      await failed.waitFor();
      assert.match(await failed.textContent(), /#3 Order 4711/);
      assert.deepEqual(sent(answer, "PATCH", "/tickets/").map((one) => one.body), [{ priority: "urgent" }, { priority: "urgent" }]);
      await row(page, "#4 Wrong size").getByText("Urgent").waitFor();
      delete answer.state.refusedTickets;
      await failed.getByRole("button", { name: "Try the failed ones again" }).click();
      await row(page, "#3 Order 4711").getByText("Urgent").waitFor();
    });
  });

  test("a new ticket waits until it is wanted", async () => {
    const [events, answer] = [new EventLog(), at()];
    await open(events.with(answer), path, async (page) => {
      await row(page, "#4 Wrong size").waitFor();
      answer.state.tickets = [{ ...answer.state.tickets[0], ticketNumber: 5, subject: "Late" }, ...answer.state.tickets];
      events.send("ticket", { id: "5", agentId: id });
      const button = page.getByRole("button", { name: "1 ticket is new or has moved" });
      await button.waitFor();
      assert.equal(await row(page, "#5 Late").count(), 0);
      await button.click();
      await row(page, "#5 Late").waitFor();
    });
  });

  test("a view without tickets leads to all of them", async () => {
    const answer = at();
    answer.state.tickets = [];
    await open(answer, `${path}?view=mine`, async (page) => {
      await page.getByRole("button", { name: "Show all" }).click();
      await page.getByRole("heading", { name: "No tickets yet" }).waitFor();
    });
  });

  test("a ticket is opened for a customer, and shown", async () => {
    const answer = at();
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "New ticket" }).click();
      await page.locator("[name=email]").fill("bo@mail.example");
      await page.locator("[name=subject]").fill("Help");
      await page.locator("[name=description]").fill("Please.");
      await page.getByRole("button", { name: "Open the ticket" }).click();
      await page.getByRole("heading", { name: "#5 Help" }).waitFor();
      assert.deepEqual(sent(answer, "POST", "/tickets").map((one) => one.body), [{ email: "bo@mail.example", subject: "Help", description: "Please." }]);
    });
  });
});

describe("the board of tickets", { skip }, () => {
  const open = useSamePages();

  test("a ticket moves by its menu, and a screen reader is told where", async () => {
    const answer = at();
    await open(answer, `${path}?layout=board`, async (page) => {
      await row(page, "#4 Wrong size").focus();
      await page.keyboard.press("m");
      await page.getByRole("menuitem", { name: "Supplier" }).press("Enter");
      await page.getByRole("status").filter({ hasText: "#4 Wrong size moved to Supplier" }).waitFor({ state: "attached" });
      await page.getByRole("region", { name: "On hold" }).getByRole("row", { name: "#4 Wrong size" }).waitFor();
      assert.deepEqual(sent(answer, "PATCH", "/tickets/4").map((one) => one.body), [{ status: "st_4", baseUpdatedAt: "2026-11-21T08:00:00.000Z" }]);
    });
  });

  test("a ticket that somebody else has changed stays, and the reason is said", async () => {
    const answer = at();
    await open(answer, `${path}?layout=board`, async (page) => {
      await row(page, "#4 Wrong size").waitFor();
      answer.state.tickets[0].updatedAt = "2026-11-21T09:00:00.000Z";
      await page.getByRole("button", { name: "Move: #4 Wrong size" }).press("Enter");
      await page.getByRole("menuitem", { name: "Supplier" }).press("Enter");
      await page.getByText("The ticket has changed in the meantime.").waitFor();
      await page.getByRole("region", { name: "New" }).getByRole("row", { name: "#4 Wrong size" }).waitFor();
    });
  });
});

describe("the columns of tickets", { skip }, () => {
  const open = useSamePages();
  const long = "A status with a name that takes most of a line";
  const placesOf = (page, selector) => page.evaluate((at) => [...document.querySelectorAll(at)].map((one) => Math.round(one.getBoundingClientRect().x)), selector);
  const ofRows = '[role="row"] [role="gridcell"] > ';
  const withLong = () => {
    const answer = at();
    const [first, ...others] = dueTickets;
    answer.state.tickets = [{ ...first, status: long, lastMessageAt: "2026-11-22T11:59:30.000Z" }, ...others];
    return answer;
  };

  test("they line up in all rows, whatever is in them", async () => {
    await open(withLong(), path, async (page) => {
      await page.getByText(long).waitFor();
      for (const part of ["div:nth-of-type(2)", "p:last-of-type", "p:first-of-type"]) {
        const places = await placesOf(page, ofRows + part);
        assert.equal(new Set(places).size, 1, `${part} is at ${places}`);
      }
    });
  });

  test("on a phone the subject begins beside the box in all rows, and the rest below it", async () => {
    await open(withLong(), path, async (page) => {
      await page.getByText(long).waitFor();
      const [titles, facts] = [await placesOf(page, `${ofRows}div:nth-of-type(1)`), await placesOf(page, `${ofRows}div:nth-of-type(2)`)];
      assert.equal(new Set([...titles, ...facts]).size, 1, `subjects at ${titles}, statuses at ${facts}`);
      assert.ok(titles[0] < 100, `the subject begins at ${titles[0]}`);
    }, { viewport: { width: 390, height: 844 } });
  });
});

describe("a ticket", { skip }, () => {
  const open = useSamePages();

  test("what was said and what has happened is there, and its status changes", async () => {
    const answer = at();
    await open(answer, `${path}/4`, async (page) => {
      const thread = page.getByRole("list", { name: "Messages and events" });
      await thread.getByText("The shoes are too small.").waitFor();
      await thread.getByText("A program: assigned to Helper").waitFor();
      await thread.getByText("label.pdf").waitFor();
      await page.getByRole("button", { name: /Status/ }).press("Enter");
      await page.getByRole("option", { name: "Solved" }).press("Enter");
      await page.getByRole("button", { name: /Solved/ }).waitFor();
      assert.deepEqual(sent(answer, "PATCH", "/tickets/4").map((one) => one.body), [{ status: "st_5", baseUpdatedAt: "2026-11-21T08:00:00.000Z" }]);
    });
  });

  test("a ticket with a conversation has what the inbox has: Markdown, and why the agent answered so", async () => {
    const answer = at({ session: also("conversations:read") });
    answer.state.inbox = [{ ...rows[0], conversationId: "conv_4" }];
    await open(answer, `${path}/4`, async (page) => {
      const thread = page.getByRole("list", { name: "Messages and events" });
      await thread.locator("strong", { hasText: "30 days" }).waitFor();
      await thread.getByRole("button", { name: "Why" }).click();
      await page.getByRole("dialog", { name: "Why" }).getByText("Returns policy").first().waitFor();
    });
  });

  test("whoever answers customers can have a ticket, and is named in it", async () => {
    const answer = at({ session: also("conversations:read") });
    Object.assign(answer.state, { tickets: tickets.map((one) => ({ ...one })), ticketMessages: [
      { messageId: "m1", seq: 1, type: "event", from: "agent", name: "Lee", createdAt: "2026-11-20T08:00:00.000Z", event: { eventType: "assign", doneBy: "usr_7", assignedTo: "usr_7" } },
      { messageId: "m2", seq: 2, type: "event", from: "system", createdAt: "2026-11-20T08:00:00.000Z", event: { eventType: "escalated", doneBy: "visitor" } },
    ] });
    answer.state.tickets[0].assigneeId = "usr_7";
    await open(answer, `${path}/4`, async (page) => {
      await page.getByText("Lee: assigned to Lee").waitFor();
      await page.getByText("The customer: handed over to the team").waitFor();
      await page.getByRole("button", { name: /Assignee.*Lee|Lee.*Assignee/ }).waitFor();
      await page.getByRole("button", { name: /Assignee/ }).press("Enter");
      await page.getByRole("option", { name: "Owner" }).press("Enter");
      await page.getByRole("button", { name: /Owner.*Assignee|Assignee.*Owner/ }).waitFor();
      assert.equal(sent(answer, "PATCH", "/tickets/4").at(-1).body.assignee, "usr_1");
    });
  });

  test("a change against a newer one asks first", async () => {
    const answer = at();
    await open(answer, `${path}/4`, async (page) => {
      await page.getByRole("button", { name: /Priority/ }).waitFor();
      Object.assign(answer.state.tickets[0], { updatedAt: "2026-11-21T09:00:00.000Z", assigneeId: "usr_3" });
      await page.getByRole("button", { name: /Priority/ }).press("Enter");
      await page.getByRole("option", { name: "Low" }).press("Enter");
      const dialog = page.getByRole("alertdialog", { name: "Somebody else has changed the ticket" });
      await dialog.getByText("Helper").waitFor();
      assert.equal(answer.state.tickets[0].priority, "high");
      await dialog.getByRole("button", { name: "Change it all the same" }).click();
      await page.getByRole("button", { name: /Low/ }).waitFor();
      assert.equal(answer.state.tickets[0].priority, "low");
    });
  });

  test("a note is kept while it is not sent; a reply needs a person in the conversation", async () => {
    const answer = at();
    answer.state.isNotTakenOver = true;
    await open(answer, `${path}/4`, async (page) => {
      await page.getByLabel("Reply to the customer").fill("Hello.");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("The agent still answers in this conversation.").waitFor();
      assert.equal(await page.getByRole("button", { name: "Take over and send" }).count(), 0); // needs conversations:write
      await page.getByRole("radio", { name: "Note" }).press("Space");
      await page.getByLabel("Note for the team").fill("Hello.");
      await page.getByRole("link", { name: "Tickets" }).last().click();
      await row(page, "#4 Wrong size").press("Enter");
      assert.equal(await page.getByLabel("Reply to the customer").inputValue(), "Hello.");
      await page.getByRole("radio", { name: "Note" }).press("Space");
      const note = page.getByLabel("Note for the team");
      assert.equal(await note.inputValue(), "Hello.");
      await note.press("Control+Enter");
      await page.getByRole("list", { name: "Messages and events" }).getByText("Hello.").waitFor();
      assert.equal(await note.inputValue(), "");
    });
  });

  test("it leads to its conversation and to its customer, and what is not sent stays when the page is loaded again", async () => {
    await open(at({ session: also("conversations:read", "customers:read") }), `${path}/4`, async (page) => {
      const hrefOf = (name) => page.getByRole("main").getByRole("link", { name }).getAttribute("href");
      await page.getByLabel("Reply to the customer").fill("Half a sente");
      assert.ok((await hrefOf("Open in the inbox")).endsWith("/inbox/conv_4?view=all"));
      assert.ok((await hrefOf("Customer 4")).endsWith(`/agents/${id}/people/per_4`));
      await page.reload();
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "Half a sente");
    });
  });

  test("what is not sent is kept in the server where the person may answer conversations, and is there in another tab", async () => {
    const answer = at({ session: also("conversations:read", "conversations:write") });
    await open(answer, `${path}/4`, async (page) => {
      await page.getByLabel("Reply to the customer").fill("Half a sente");
      await page.getByText("Kept until it is sent").waitFor();
      const [draft] = sent(answer, "PUT", "/conversations/conv_4/drafts").map((one) => one.body);
      assert.deepEqual([draft.kind, draft.text, draft.seen], ["reply", "Half a sente", 4]);
      await page.evaluate(() => sessionStorage.clear());
      await page.reload();
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "Half a sente");
    });
  });

  test("one that is unread says so in the list and on the board, until it is opened or again when it is marked", async () => {
    const answer = at({ session: also("conversations:read", "conversations:write"), state: { unread: ["conv_4"] } });
    await open(answer, path, async (page) => {
      await row(page, "#4 Wrong size").getByText("Unread").waitFor({ state: "attached" });
      assert.equal(await row(page, "#3 Order 4711").getByText("Unread").count(), 0);
      await row(page, "#4 Wrong size").press("Enter");
      const marks = () => sent(answer, "PUT", "/conversations/conv_4/read-mark").map((one) => one.body);
      await assertSoon(marks, [{ unread: false, seen: 4 }]);
      await page.getByRole("button", { name: "Mark as unread" }).click();
      await row(page, "#4 Wrong size").getByText("Unread").waitFor({ state: "attached" });
      assert.deepEqual(marks().slice(1), [{ unread: true }]);
      await page.getByRole("radio", { name: "Board" }).press("Space");
      await page.getByRole("region", { name: "New" }).getByText("Unread").waitFor({ state: "attached" });
    });
  });

  test("of a long ticket only the newest is read, and what was before when it is wanted", async () => {
    const answer = at();
    answer.state.ticketMessages = Array.from({ length: 120 }, (_, i) => ({ messageId: `m${i + 1}`, seq: i + 1, type: "note", from: "agent", name: "Helper", text: `Note ${i + 1}.`, createdAt: "2026-11-20T08:00:00.000Z" }));
    await open(answer, `${path}/4`, async (page) => {
      const thread = page.getByRole("list", { name: "Messages and events" });
      const notes = () => thread.locator("li[data-row]").count();
      await thread.getByText("Note 120.", { exact: true }).waitFor();
      assert.equal(await notes(), 50);
      await page.getByRole("button", { name: "Show earlier messages" }).click();
      await assertSoon(notes, 100);
      await page.getByRole("button", { name: "Show earlier messages" }).click();
      await assertSoon(notes, 120);
      assert.equal(await page.getByRole("button", { name: "Show earlier messages" }).count(), 0);
      assert.deepEqual(sent(answer, "GET", "/tickets/4").map((one) => one.query.get("before")), [null, "71", "21"]);
    });
  });

  test("the rules say why its team has it", async () => {
    const answer = at();
    await open(answer, `${path}/4`, async (page) => {
      const why = page.getByRole("region", { name: "Why this team" });
      await why.getByRole("button", { name: "Ask the rules" }).click();
      await why.getByText("Goes to: General").waitFor();
      const [asked] = sent(answer, "POST", "/route");
      assert.deepEqual(asked.body, { subject: "Wrong size", description: "", email: "customer4@mail.example", channel: "iframe", priority: "high" });
    });
  });

  test("whoever may only read is offered nothing that changes it", async () => {
    await open(at({}, "viewer"), `${path}/4`, async (page) => {
      await page.getByText("The shoes are too small.").waitFor();
      await page.getByText(/not open, change or answer any/).waitFor();
      assert.equal(await page.getByRole("main").getByRole("textbox").count(), 0);
      assert.equal(await page.getByRole("button", { name: /Status/ }).count(), 0);
    });
  });

  test("one that is not there says so", async () => {
    await open(at(), `${path}/99`, async (page) => {
      await page.getByRole("heading", { name: "There is no such ticket" }).waitFor();
    });
  });
});
