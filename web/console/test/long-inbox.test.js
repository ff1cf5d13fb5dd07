// The inbox, tickets and people with ten thousand rows, and a conversation of two thousand messages: only a part is read and
// drawn, nothing moves under whoever reads, and the focus stays where it was.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { assertSoon, skip, untilNothing, waitForQuiet } from "./browser.js";
import { EventLog } from "./event-log.js";
import { row, thread } from "./inbox-answers.js";
import { customers, leads } from "./insight-answers.js";
import { useConsole, useSamePages } from "./setup.js";
import { tickets, withTickets } from "./ticket-answers.js";

const total = 10_000;
const most = 200; // rows that are drawn at any time: four pages
const help = `/agents/${agents[0].id}`;
const uuid = (i) => `0199b2d1-0000-7000-8000-${String(i).padStart(12, "0")}`;
const time = (i) => new Date(Date.UTC(2026, 10, 22) - i * 60_000).toISOString();

const makers = {
  "/v1/accounts/acc_1/inbox": (i) => row(1, { conversationId: uuid(i), lastActivity: time(i), customer: `Customer ${i + 1} of many` }),
  [`/v1${help}/tickets`]: (i) => ({ ...tickets[0], ticketNumber: i + 1, subject: `Ticket ${i + 1}` }),
  [`/v1${help}/customers`]: (i) => ({ ...customers[1], customerId: uuid(i), name: `Customer ${i + 1} of many`, email: undefined }),
  [`/v1${help}/leads`]: (i) => ({ ...leads[0], leadId: `lead_${i}`, name: `Customer ${i + 1} of many`, email: undefined }),
};

/**
 * Answers lists in the parts that are asked for. `added` rows are above the first one. `events` are told to the page. The
 * part that begins at `held` is answered when `release` is called.
 */
function long(base = answers()) {
  const state = { added: 0, asked: 0 };
  const events = new EventLog();
  const both = (asked) => {
    const thread = answerThread(state, asked);
    if (thread) return thread;
    const make = makers[asked.path];
    if (!make || asked.method !== "GET") return base(asked);
    state.asked += 1;
    const limit = Number(asked.query.get("limit"));
    const start = asked.query.has("cursor") ? Number(asked.query.get("cursor")) : -state.added;
    const end = Math.min(total, start + limit);
    const data = Array.from({ length: end - start }, (_, i) => make(start + i));
    const page = [200, { data, pagination: { cursor: String(end), hasMore: end < total } }];
    return start === state.held ? new Promise((resolve) => (state.release = () => resolve(page))) : page;
  };
  return Object.assign(events.with(Object.assign(both, base)), { live: state, events });
}

const tell = (answer, name, change) => answer.events.send(name, change);

const said = 2_000;
const entry = (seq) => ({
  ...{ messageId: `msg_${seq}`, seq, type: "reply", author: seq % 2 ? "user" : "assistant", state: "complete" },
  ...{ parts: [{ type: "text", text: `Message ${seq}` }], files: [], score: null, citations: [], createdAt: time(said - seq) },
});

function answerThread(state, { path, query }) {
  if (!path.endsWith(`${uuid(0)}/thread`)) return undefined;
  state.asked += 1;
  const last = query.has("before") ? Number(query.get("before")) - 1 : said + state.added;
  const first = Math.max(1, last - 49);
  const entries = Array.from({ length: last - first + 1 }, (_, i) => entry(first + i));
  const mine = state.isMine && { status: "taken_over", claimedBy: { userId: "usr_1", name: "Owner" } };
  return [200, { ...thread({ ...makers["/v1/accounts/acc_1/inbox"](0), ...mine }, entries), hasEarlier: first > 1 }];
}

describe("long lists of conversations, tickets and people", { skip }, () => {
  const open = useSamePages();
  const openAlone = useConsole(); // for what is replaced in the page
  const numberOf = (text) => Number(/(?:Customer|Ticket|Message) (-?\d+)/.exec(text)?.[1]);
  const numbers = async (rows) => (await rows.allTextContents()).map(numberOf).filter((number) => !isNaN(number)); // without heads

  /**
   * Turns the wheel until `isThere` is true of the numbers of the rows that are drawn. None is missing among them at any
   * time, and there are not many, whatever has come in.
   */
  async function turn(page, rows, way, isThere, added = 0) {
    let shown;
    const wrong = await untilNothing(async () => {
      await page.mouse.wheel(0, way);
      shown = await numbers(rows);
      assert.ok(shown.length <= most + added, `${shown.length} rows`);
      assert.deepEqual(shown.filter((number, i) => i > 0 && number !== shown[i - 1] + 1), []);
      return !isThere(shown) && `the rows ${shown[0]} to ${shown.at(-1)}`;
    });
    assert.equal(wrong, null);
    return shown;
  }

  /** Where the rows in view are, by their names. */
  const places = (rows) =>
    rows.evaluateAll((all) =>
      all.map((one) => [one.dataset.row ?? one.dataset.key, one.getBoundingClientRect().top]).filter(([, top]) => top > 0 && top < innerHeight),
    );

  const moves = async (rows, before) => {
    const now = new Map(await places(rows));
    return before.filter(([name, top]) => Math.abs((now.get(name) ?? Infinity) - top) > 2);
  };

  /** Has so many rows come, and nothing move once they have been read. */
  async function isStill(page, rows, before, answer, event, added) {
    const { asked } = answer.live;
    answer.live.added = added;
    tell(answer, ...event);
    assert.equal(await untilNothing(() => answer.live.asked < asked + 4 && `${answer.live.asked - asked} requests`), null);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.deepEqual(await moves(rows, before), []);
  }

  const lists = [
    ["the inbox", "/inbox?view=all", (page) => page.getByRole("list", { name: "Conversations" }).getByRole("listitem"), ["message", { conversationId: uuid(0) }]],
    ["tickets", `${help}/tickets?view=all`, (page) => page.getByRole("main").getByRole("row"), ["ticket", { agentId: agents[0].id, id: "1" }]],
    ["people", `${help}/people`, (page) => page.getByRole("list", { name: "Customers" }).getByRole("listitem"), null],
    ["leads", `${help}/people/leads`, (page) => page.getByRole("list", { name: "Leads" }).getByRole("listitem"), null],
  ];
  for (const [name, path, rowsOf, event] of lists) {
    test(name, async () => {
      const answer = long(answers(name === "tickets" ? { session: withTickets() } : {}));
      await open(answer, path, async (page) => {
        const rows = rowsOf(page);
        await rows.first().waitFor();
        await rows.nth(2).hover();
        await turn(page, rows, 2_000, (shown) => shown.at(-1) >= 300 && shown[0] > 1);
        if (event) {
          await waitForQuiet(page);
          const before = await places(rows);
          const asked = answer.live.asked;
          await isStill(page, rows, before, answer, event, 3);
          assert.ok(answer.live.asked <= asked + 8, "what is read again does not grow with the list");
        }
        await turn(page, rows, -2_000, (shown) => shown.includes(1), event ? 3 : 0);
      });
    });
  }

  // Scrolls to the last row until so many are there. No wheel turns on after it.
  async function readTo(rows, last) {
    const wrong = await untilNothing(async () => {
      await rows.last().evaluate((row) => row.scrollIntoView({ block: "end" }));
      const shown = await numbers(rows);
      return shown.at(-1) < last && `the last row is ${shown.at(-1)}`;
    });
    assert.equal(wrong, null);
  }

  for (const [name, path, rowsOf] of lists.slice(0, 2)) {
    test(`${name}: what is in view stays where it is when the part that is read moves on`, async () => {
      const answer = long(answers(name === "tickets" ? { session: withTickets() } : {}));
      answer.live.held = most;
      await open(answer, path, async (page) => {
        const rows = rowsOf(page);
        await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
        await rows.first().waitFor();
        await readTo(rows, most);
        await rows.last().evaluate((row) => row.scrollIntoView({ block: "end" }));
        assert.equal(await untilNothing(() => !answer.live.release && "the next part is not asked for"), null);
        const before = await places(rows);
        assert.ok(before.length > 3, String(before));
        answer.live.release();
        await assertSoon(async () => (await numbers(rows))[0], 51);
        assert.deepEqual(await moves(rows, before), []);
      });
    });
  }

  test("an end that comes into view while the page is busy is read", async () => {
    // A busy page is told of several frames at once.
    const gather = () => {
      const Observer = window.IntersectionObserver;
      window.IntersectionObserver = class extends Observer {
        constructor(tell, options) {
          const kept = [];
          super((entries, observer) => {
            kept.push(...entries);
            if (entries.at(-1).isIntersecting) tell(kept.splice(0), observer);
          }, options);
        }
      };
    };
    const [, path, rowsOf] = lists[2];
    const use = async (page) => {
      const rows = rowsOf(page);
      await rows.first().waitFor();
      await rows.nth(2).hover();
      await turn(page, rows, 2_000, (shown) => shown.at(-1) >= 150);
    };
    await openAlone(long(), path, use, {}, (page) => page.addInitScript(gather));
  });

  test("a row that has the focus keeps it, however far somebody scrolls, and says which one it is", async () => {
    await open(long(), "/inbox?view=all", async (page) => {
      const rows = page.getByRole("list", { name: "Conversations" }).getByRole("listitem");
      await rows.first().waitFor();
      for (let i = 0; i < 2; i++) await page.keyboard.press("j");
      const focused = page.locator("a:focus");
      assert.match(await focused.textContent(), /Customer 2(?!\d)/);
      assert.deepEqual(await rows.nth(1).evaluate((row) => [row.ariaPosInSet, row.ariaSetSize]), ["2", "-1"]);
      await rows.nth(2).hover();
      let shown = [];
      const wrong = await untilNothing(async () => {
        await page.mouse.wheel(0, 2_000);
        shown = await numbers(rows);
        return shown.at(-1) < 300 && `the last row is ${shown.at(-1)}`;
      });
      assert.equal(wrong, null);
      assert.ok(shown.length <= most + 1);
      assert.match(await focused.textContent(), /Customer 2(?!\d)/);
      assert.equal(await rows.last().getAttribute("aria-posinset"), String(shown.at(-1)));
    });
  });

  test("a conversation of two thousand messages", async () => {
    const answer = long();
    await open(answer, `/inbox/${uuid(0)}?view=all`, async (page) => {
      const area = page.getByRole("region", { name: "What was said" });
      const rows = area.locator("li[data-row]"); // without the days between them
      await area.getByText("Message 2000", { exact: true }).waitFor();
      assert.equal(await rows.count(), 50);
      await area.hover();
      await turn(page, rows, -1_500, (shown) => shown[0] < 1_800 && shown.at(-1) < 1_990);
      await waitForQuiet(page);
      const before = await places(rows);
      await isStill(page, rows, before, answer, ["message", { conversationId: uuid(0), agentId: agents[0].id }], 1);
      await turn(page, rows, 1_500, (shown) => shown.at(-1) === 2_001, 1);
    });
  });

  test("whoever reads far back is suggested an answer to what the customer wrote last", async () => {
    const answer = long();
    answer.live.isMine = true;
    await open(answer, `/inbox/${uuid(0)}?view=all`, async (page) => {
      const area = page.getByRole("region", { name: "What was said" });
      const rows = area.locator("li[data-row]");
      await area.getByText("Message 2000", { exact: true }).waitFor();
      await area.hover();
      await turn(page, rows, -1_500, (shown) => shown.at(-1) < 1_990);
      await page.getByRole("button", { name: "Suggest from sources" }).click();
      await page.getByText(/It rests on/).waitFor();
      const [asked] = answer.state.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/playground"));
      assert.equal(asked.body.message, "Message 1999");
    });
  });
});
