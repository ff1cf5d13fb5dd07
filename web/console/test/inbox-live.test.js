// What the store holds of conversations and tickets is on the screen, whatever happened to the stream of events: cut at any
// of them, asleep, with a killed server, a thousand events behind. And of two people none answers past the other. Against the
// real program.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip, untilNothing } from "./browser.js";
import { cutBefore, isLost, Program } from "./live-server.js";
import { owner, send, signUp } from "./server.js";

const isLong = Boolean(process.env.PARLEY_LONG);
const longestCut = 30; // events, more than a round has
/** After how many events the stream is cut: at any of them, or at a few by chance. */
const cuts = isLong
  ? Array.from({ length: longestCut }, (_, i) => i + 1)
  : Array.from({ length: 3 }, () => 1 + Math.floor(Math.random() * longestCut));

describe("the inbox and tickets, live", { skip }, () => {
  const server = new Program();
  const stream = { most: Infinity, streams: 0 };
  let browser, front, person, colleague, account, agent, first, pages;

  before(async () => {
    await server.start();
    [browser, person, front] = await Promise.all([launch(), signUp(server), cutBefore(server.origin, stream)]);
    account = (await person.call("GET", "/v1/session")).memberships[0].accountId;
    agent = (await person.call("POST", "/v2/agents", { name: "Help desk" })).id;
    const email = "lee@shop.example";
    const { link } = await person.call("POST", `/v1/accounts/${account}/invitations`, { email, role: "admin" });
    colleague = { email, ...(await signUp({ ...server, setup: link }, { name: "Lee", email, password: owner.password })) };
    first = await ask("Where is my parcel?");
    pages = await openPages();
  });
  after(async () => {
    await browser?.close();
    front?.stop();
    await server.remove();
  });

  async function openPage(path, who = person, site = front) {
    const page = await newPage(browser, site.origin, { locale: "en" });
    await page.context().addCookies([who.cookie]);
    await page.goto(site.url + path);
    return page;
  }

  /** An inbox with a conversation that is open, and the tickets of its agent: each has a stream of its own. */
  async function openPages() {
    const inbox = await openPage(`/inbox/${first}?view=all`);
    const tickets = await openPage(`/agents/${agent}/tickets?view=all`);
    for (const page of [inbox, tickets]) await live(page);
    return { inbox, tickets };
  }

  const live = (page) => page.getByText("live", { exact: true }).waitFor({ state: "attached" });
  const succeeds = (reply) => assert.equal(reply.error, undefined, JSON.stringify(reply)) ?? reply;
  const call = async (...words) => succeeds(await person.call(...words));
  const ask = async (message, conversationId) => {
    const body = { message, stream: false, ...(conversationId && { conversationId }) };
    return (await call("POST", `/v2/agents/${agent}/chat`, body)).data.metadata.conversationId;
  };
  const claim = (id) => call("PUT", `/v1/conversations/${id}/claim`, {});
  const move = (id, step) => call("PUT", `/v1/conversations/${id}/state`, { step });
  const write = (id, text, who = { email: owner.email, call: person.call }) =>
    who.call("POST", `/v1/conversations/${id}/messages`, { member: who.email, text }).then(succeeds);

  let count = 0;
  /** What happens in a few minutes: a conversation begins, another one goes to a person, who answers, and back. */
  async function happen() {
    count += 1;
    await ask(`Question ${count}`);
    await claim(first);
    await write(first, `Answer ${count}`);
    await call("POST", `/v2/agents/${agent}/conversations/${first}/messages`, { message: `Thank you ${count}` });
    await move(first, "handback");
    await ask(`And then ${count}?`, first);
  }

  const text = (value) => value.replace(/\s+/g, " ").trim();
  const rowsOf = (place) => place.evaluateAll((rows) => rows.map((row) => [row.dataset.row ?? row.dataset.key, row.textContent]));

  /** Tells how the list of the inbox differs from the store. */
  async function findWrongList(page) {
    const { data } = await call("GET", `/v1/accounts/${account}/inbox?view=all&limit=50`);
    const shown = await rowsOf(page.getByRole("list", { name: "Conversations" }).locator("[data-row]"));
    const ids = data.map(({ conversationId }) => conversationId).join();
    if (shown.slice(0, data.length).map(([id]) => id).join() !== ids) return `the rows ${shown.map(([id]) => id)} are not ${ids}`;
    const isShown = ({ lastMessage, claimedBy }, i) =>
      text(shown[i][1]).includes(text(lastMessage.text).slice(0, 40)) && (!claimedBy || shown[i][1].includes(claimedBy.name));
    const wrong = data.findIndex((row, i) => !isShown(row, i));
    return wrong >= 0 && `${shown[wrong]} is not ${JSON.stringify(data[wrong])}`;
  }

  /** Tells how the conversation that is open differs from the store. */
  async function findWrongThread(page) {
    const { entries, status, claimedBy } = await call("GET", `/v1/conversations/${first}/thread`);
    const shown = await rowsOf(page.getByRole("region", { name: "What was said" }).locator("[data-row]"));
    const part = shown.slice(-entries.length);
    if (part.map(([seq]) => seq).join() !== entries.map(({ seq }) => seq).join()) return `the entries are ${shown.map(([seq]) => seq)}`;
    const words = ({ parts }) => text(parts.map((one) => one.text ?? "").join(""));
    const wrong = entries.findIndex((entry, i) => !text(part[i][1]).includes(words(entry).slice(0, 30)));
    if (wrong >= 0) return `${part[wrong]} is not ${JSON.stringify(entries[wrong])}`;
    const isMine = status === "taken_over" && claimedBy?.name === owner.name;
    return isMine !== (await page.getByLabel("Write to the customer").count()) > 0 && `${status} by ${claimedBy?.name}`;
  }

  /** Tells how the list of tickets differs from the store, once what waits above it is shown. */
  async function findWrongTickets(page) {
    const more = page.getByRole("main").getByRole("status").getByRole("button");
    if (await more.count()) await more.first().click({ timeout: 1_000 }).catch(() => {}); // it may be gone already
    const { data } = await call("GET", `/v2/agents/${agent}/helpdesk/tickets?limit=50`);
    const labels = new Map((await call("GET", `/v1/agents/${agent}/statuses`)).map((one) => [one.statusId, one.label]));
    const shown = new Map((await rowsOf(page.getByRole("row"))).map(([key, words]) => [key.split(" ").at(-1), words])); // behind the agent
    const wrong = data.find((one) => !shown.get(String(one.ticketNumber))?.includes(labels.get(one.statusId)));
    return wrong ? `ticket ${wrong.ticketNumber} is not ${labels.get(wrong.statusId)}: ${[...shown]}` : shown.size !== data.length && `${shown.size} rows`;
  }

  async function isWhole({ inbox, tickets }, when) {
    const wrong = await untilNothing(async () =>
      (await findWrongList(inbox)) || (await findWrongThread(inbox)) || (await findWrongTickets(tickets)));
    assert.equal(wrong, null, when);
  }

  const close = async (...opened) => {
    for (const page of opened) {
      assert.deepEqual([await page.reports(), page.problems.filter((one) => !isLost(one))], [[], []]);
      await page.context().close();
    }
  };

  test("a stream that is cut loses nothing, at whichever event", async () => {
    for (const most of cuts) {
      const before = stream.streams;
      stream.most = most;
      await happen();
      stream.most = Infinity;
      await isWhole(pages, `cut after ${most} events`);
      assert.ok(stream.streams >= before);
    }
  });

  test("a network that goes and comes back loses nothing", async () => {
    for (const page of Object.values(pages)) await page.context().setOffline(true);
    await happen();
    for (const page of Object.values(pages)) await page.context().setOffline(false);
    await isWhole(pages, "offline");
  });

  test("many events that were missed", async () => {
    const rounds = isLong ? 600 : 60; // two events each, and those of tickets
    const other = await ask("Will you call me?");
    for (const page of Object.values(pages)) await page.context().setOffline(true);
    for (let i = 0; i < rounds; i++) {
      await claim(other);
      await move(other, "handback");
    }
    await happen();
    for (const page of Object.values(pages)) await page.context().setOffline(false);
    await isWhole(pages, `${rounds} rounds`);
  });

  test("ten minutes of sleep", async () => {
    const asleep = await newPage(browser, server.origin, { locale: "en" });
    await asleep.clock.install();
    await asleep.context().addCookies([person.cookie]);
    let streams = 0;
    asleep.on("request", (request) => (streams += request.url().endsWith("/v1/events")));
    await asleep.goto(`${server.url}/inbox/${first}?view=all`);
    await asleep.clock.runFor(1_000);
    await asleep.getByRole("list", { name: "Conversations" }).getByRole("link").first().waitFor();
    const began = streams;
    await happen();
    await asleep.clock.fastForward(10 * 60_000);
    const turn = (find) => async () => {
      await asleep.clock.runFor(500);
      return find();
    };
    assert.equal(await untilNothing(turn(() => streams === began && "no new stream")), null);
    const find = async () => (await findWrongList(asleep)) || findWrongThread(asleep);
    assert.equal(await untilNothing(turn(find)), null);
    await close(asleep);
  });

  test("a server that is killed, and one that starts again", async () => {
    const direct = { inbox: await openPage(`/inbox/${first}?view=all`, person, server), tickets: await openPage(`/agents/${agent}/tickets?view=all`, person, server) };
    for (const page of Object.values(direct)) await live(page);
    await claim(first);
    await server.kill();
    await direct.inbox.getByText(/^offline since /).waitFor();
    await server.start();
    await write(first, "Before and after.");
    await move(first, "handback");
    await happen();
    await isWhole(direct, "killed");
    await isWhole(pages, "killed behind another server");
    await close(...Object.values(direct));
  });

  test("two claim at once: one has the conversation, and both are told", async () => {
    const theirs = await openPage(`/inbox/${first}`, colleague, server);
    const mine = await openPage(`/inbox/${first}`, person, server);
    let waiting = 0;
    let release;
    const both = new Promise((done) => (release = done));
    const button = (page) => page.getByRole("region", { name: "Conversation", exact: true }).getByRole("button", { name: "Take over" });
    for (const page of [mine, theirs]) {
      await button(page).waitFor();
      await page.route("**/claim", async (route) => {
        if (++waiting === 2) release();
        await both; // neither is sent before the other one was pressed
        await route.continue();
      });
    }
    await Promise.all([mine, theirs].map((page) => button(page).click()));
    const composer = (page) => page.getByLabel("Write to the customer");
    const told = (page, name) => page.getByText(`${name} was faster and has this conversation now.`);
    const winner = await Promise.any([mine, theirs].map((page) => composer(page).waitFor().then(() => page)));
    const [loser, name] = winner === mine ? [theirs, owner.name] : [mine, "Lee"];
    await told(loser, name).waitFor();
    assert.deepEqual([await composer(winner).count(), await composer(loser).count(), await told(winner, name).count()], [1, 0, 0]);
    const { claimedBy } = await call("GET", `/v1/conversations/${first}/thread`);
    assert.equal(claimedBy.name, name);
    await move(first, "handback");
    await close(mine, theirs);
  });

  test("an answer against a newer one asks first, and shows it", async () => {
    const mine = await openPage(`/inbox/${first}`, person, server);
    await mine.getByRole("region", { name: "Conversation", exact: true }).getByRole("button", { name: "Take over" }).click();
    await mine.getByLabel("Write to the customer").fill("It comes tomorrow.");
    const isSent = mine.waitForRequest((one) => one.method() === "POST" && /\/messages$/.test(one.url()));
    await mine.route("**/thread*", async (route) => { // the page does not know yet who has the conversation now
      await isSent;
      await route.continue();
    });
    await write(first, "It comes on Friday.", colleague);
    await mine.keyboard.press("Control+Enter");
    const question = mine.getByRole("alertdialog");
    await question.waitFor();
    const said = mine.getByRole("region", { name: "What was said", includeHidden: true });
    await said.getByText("It comes on Friday.").waitFor();
    const entries = async () => (await call("GET", `/v1/conversations/${first}/thread`)).entries.flatMap(({ parts }) => parts.map((one) => one.text));
    assert.ok(!(await entries()).includes("It comes tomorrow."));
    await question.getByRole("button", { name: "Send anyway" }).click();
    await said.getByText("It comes tomorrow.").waitFor();
    assert.deepEqual((await entries()).slice(-2), ["It comes on Friday.", "It comes tomorrow."]);
    await move(first, "handback");
    await close(mine);
  });

  test("nothing else was wrong in the pages that were open all the time", () => close(...Object.values(pages)));
});
