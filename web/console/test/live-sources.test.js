// Sources and their training live from the stream of events: what is read again, and that nothing is missed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { assertSoon, skip, untilNothing } from "./browser.js";
import { EventLog } from "./event-log.js";
import { useSamePages } from "./setup.js";
import { sources } from "./source-answers.js";

const agentId = agents[0].id;
const path = `/agents/${agentId}/sources`;
const list = `/v1${path}`;
const book = sources[1].sourceId;

describe("sources and events", { skip }, () => {
  const installClock = (page) => page.clock.install();
  const open = useSamePages();
  const openWithClock = useSamePages(installClock);
  const row = (page, name) => page.getByRole("row", { name: new RegExp(name) });
  const count = (answer, at) => answer.state.asked.filter((a) => a.method === "GET" && a.path === at).length;

  /** Opens the list with a stream and a clock that the test turns. */
  const follow = async (use) => {
    const [events, answer] = [new EventLog(), answers()];
    await openWithClock(events.with(answer), path, async (page) => {
      const run = (time) => page.clock.runFor(time);
      await run(1000);
      await row(page, "handbook.pdf").waitFor();
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      await run(1000);
      await use({ page, events, answer, run });
    });
  };
  /** Makes progress and tells it. */
  const advance = (answer, events, done) => {
    answer.state.sources = answer.state.sources.map((one) =>
      one.sourceId === book ? { ...one, progress: { unit: "bytes", done, total: 3_200_000 } } : one,
    );
    events.send("training", { id: book, agentId, change: "progress" });
  };
  const finish = (answer, events) => {
    answer.state.sources = answer.state.sources.map((one) =>
      one.sourceId === book ? { ...one, status: "trained", progress: null } : one,
    );
    events.send("source", { id: book, agentId, change: "trained" });
  };
  const isLive = (page) => row(page, "handbook.pdf").getByText("Live", { exact: true }).waitFor();

  test("progress has the source read and not the list; nothing is read while nothing happens", async () => {
    await follow(async ({ page, events, answer, run }) => {
      const at = `${list}/${book}`;
      const [lists, uses] = [count(answer, list), count(answer, `/v1/agents/${agentId}/knowledge-use`)];
      advance(answer, events, 2_900_000);
      await run(500);
      await row(page, "handbook.pdf").getByText("2.9 MB of 3.2 MB").waitFor();
      await run(500);
      assert.deepEqual([count(answer, list), count(answer, at)], [lists, 1]);
      await run(30_000);
      assert.deepEqual([count(answer, list), count(answer, at)], [lists, 1]);
      assert.equal(count(answer, `/v1/agents/${agentId}/knowledge-use`), uses);
      finish(answer, events);
      await run(500);
      await isLive(page);
      assert.equal(count(answer, `/v1/agents/${agentId}/knowledge-use`), uses);
    });
  });

  test("an agent's home and its card say how far its training is, while it goes on", async () => {
    const [events, answer] = [new EventLog(), answers({ list: [{ ...agents[0], status: "training" }] })];
    await open(events.with(answer), `/agents/${agentId}`, async (page) => {
      const main = page.getByRole("main");
      await main.getByText("31%").waitFor();
      await main.getByRole("listitem").filter({ hasText: "handbook.pdf" }).getByText("1.5 MB of 3.2 MB").waitFor();
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      advance(answer, events, 3_200_000);
      await main.getByText("49%").waitFor();
      await page.getByRole("link", { name: "Agents", exact: true }).click();
      await main.getByRole("listitem").filter({ hasText: agents[0].name }).getByText("49%").waitFor();
    });
  });

  test("what an agent has done today is counted again each minute, while its home is looked at", async () => {
    const answer = answers();
    await open(answer, "/agents", async (page) => {
      await page.getByRole("link", { name: agents[0].name }).waitFor();
      await page.clock.install();
      await page.goto(page.url().replace(/\/agents$/, `/agents/${agentId}`));
      await page.clock.runFor(1000);
      await page.getByText("0.41 sec").waitFor();
      const counted = () => count(answer, `/v1/agents/${agentId}/today`);
      const before = counted();
      await page.clock.runFor(30_000);
      assert.equal(counted(), before);
      await page.clock.runFor(31_000);
      await assertSoon(counted, before + 1);
    });
  });

  test("progress is in the list, whatever was looked for by its name before", async () => {
    const [events, answer] = [new EventLog(), answers()];
    await open(events.with(answer), `/agents/${agentId}`, async (page) => {
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Commands" }).getByRole("searchbox").fill("hand");
      await page.getByRole("menuitem", { name: "handbook.pdf" }).waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("link", { name: "Sources", exact: true }).click();
      await row(page, "handbook.pdf").getByText("1.5 MB of 3.2 MB").waitFor();
      advance(answer, events, 2_900_000);
      await row(page, "handbook.pdf").getByText("2.9 MB of 3.2 MB").waitFor();
    });
  });

  test("without events what moves is read every two seconds, until it stands", async () => {
    const answer = answers();
    await openWithClock(answer, path, async (page) => {
      await page.clock.runFor(1000);
      await row(page, "handbook.pdf").waitFor();
      answer.state.sources = answer.state.sources.map((one) => ({ ...one, status: "trained", progress: null }));
      await page.clock.runFor(2_500);
      await row(page, "handbook.pdf").getByText("Live", { exact: true }).waitFor();
      await page.clock.runFor(500);
      const lists = count(answer, list);
      await page.clock.runFor(60_000);
      assert.equal(count(answer, list), lists);
    });
  });

  const steps = 4;
  test("a stream that is cut after any event misses none", async () => {
    await follow(async ({ page, events, answer, run }) => {
      for (let cutAfter = 0; cutAfter <= steps; cutAfter++) {
        for (let step = 1; step <= steps; step++) {
          if (step === cutAfter + 1) events.cut();
          advance(answer, events, step * 100_000 + cutAfter);
        }
        if (cutAfter === steps) events.cut();
        const before = events.requests;
        await untilNothing(async () => {
          await run(500);
          return events.requests === before && events.open.size === 0;
        });
        await run(1000);
        const wanted = new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format(steps * 100);
        await row(page, "handbook.pdf").getByText(new RegExp(`${wanted}(\\.\\d)? kB of 3.2 MB`)).waitFor();
      }
      events.cut();
      finish(answer, events);
      await run(3000);
      await isLive(page);
    });
  });

  for (const [name, isTruncated] of [
    ["told one by one", false],
    ["answered by a reset", true],
  ]) {
    test(`a thousand events that were missed, ${name}: right two seconds after the stream is back`, async () => {
      await follow(async ({ page, events, answer, run }) => {
        events.isDown = true;
        events.cut();
        await run(3000);
        await page.getByText(/^offline since /).waitFor();
        for (let i = 0; i < 999; i++) advance(answer, events, i * 1000);
        finish(answer, events);
        Object.assign(events, { isDown: false, isTruncated });
        const lists = count(answer, list);
        await untilNothing(async () => {
          await run(500);
          return events.open.size === 0;
        });
        await run(2000);
        await isLive(page);
        assert.equal(await row(page, "handbook.pdf").count(), 1);
        assert.ok(count(answer, list) - lists <= 3, `${count(answer, list) - lists} readings of the list`);
      });
    });
  }

  test("after ten minutes of sleep in which much happened the list is right", async () => {
    await follow(async ({ page, events, answer, run }) => {
      events.cut();
      for (let i = 0; i < 200; i++) advance(answer, events, i * 1000);
      const id = "01998b2d-0000-7000-8000-000000000777";
      answer.state.sources = [{ ...answer.state.sources[5], sourceId: id, name: "Dreamt" }, ...answer.state.sources];
      events.send("source", { id, agentId, change: "created" });
      finish(answer, events);
      await page.clock.fastForward(10 * 60_000);
      await run(2000);
      await isLive(page);
      await row(page, "Dreamt").waitFor();
      assert.equal(await page.getByRole("row").count(), 8);
    });
  });

  test("what is typed stays while the source changes, and leaving it asks", async () => {
    const [events, answer] = [new EventLog(), answers()];
    await open(events.with(answer), `${path}/${sources[2].sourceId}?tab=settings`, async (page) => {
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      await page.getByLabel("Answer", { exact: true }).fill("From nine to six.");
      answer.state.sources = answer.state.sources.map((one) =>
        one.sourceId === sources[2].sourceId ? { ...one, name: "Renamed", updatedAt: new Date().toISOString() } : one,
      );
      events.send("source", { id: sources[2].sourceId, agentId, change: "changed" });
      await page.getByRole("dialog", { name: "Renamed" }).waitFor();
      assert.equal(await page.getByLabel("Answer", { exact: true }).inputValue(), "From nine to six.");
      await page.keyboard.press("Escape");
      const question = page.getByRole("alertdialog", { name: "Changes are not saved" });
      await question.getByRole("button", { name: "Stay" }).click();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      assert.equal(await question.count(), 0);
    });
  });

  /** What is sent to change a source, and what a colleague changes of it. */
  const twoEditors = (answer, { sourceId }) => ({
    sent: () => answer.state.asked.filter((a) => a.method === "PUT" && a.path === `/v2${path}/${sourceId}`).map(({ body }) => body),
    colleague: (change) => {
      const changed = { ...change, updatedAt: new Date().toISOString() };
      answer.state.sources = answer.state.sources.map((one) => (one.sourceId === sourceId ? { ...one, ...changed } : one));
    },
  });
  const conflict = (page) => page.getByRole("alertdialog", { name: "Someone else has saved changes" });

  test("two people change an answer: what both have changed is asked for, and only what was changed is sent", async () => {
    const answer = answers();
    const { sent, colleague } = twoEditors(answer, sources[2]);
    await open(answer, `${path}/${sources[2].sourceId}?tab=settings`, async (page) => {
      await page.getByLabel("Answer", { exact: true }).fill("From nine to six.");
      colleague({ name: "Renamed", answer: "From ten to five." });
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await conflict(page).getByRole("row", { name: "Answer From nine to six. From ten to five." }).waitFor();
      assert.equal(await conflict(page).getByRole("row").count(), 2);
      assert.deepEqual(sent(), []);
      await conflict(page).getByRole("button", { name: "Save mine" }).click();
      await page.getByText("Saved.").waitFor();
      assert.deepEqual(sent(), [{ answer: "From nine to six." }]);
    });
  });

  test("two people change a text: how it differs is shown, and that of the other can be kept", async () => {
    const answer = answers();
    const { sent, colleague } = twoEditors(answer, sources[5]);
    await open(answer, `${path}/${sources[5].sourceId}?tab=settings`, async (page) => {
      const text = page.getByRole("textbox", { name: "Text" });
      await text.fill("Goods may be sent back within ninety days.");
      answer.state.text = "Goods may be sent back within sixty days.";
      colleague({});
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await conflict(page).getByText("within ninety days.").waitFor();
      await conflict(page).getByText("within sixty days.").waitFor();
      await conflict(page).getByRole("button", { name: "Keep theirs" }).click();
      await assertSoon(() => text.inputValue(), answer.state.text);
      assert.deepEqual(sent(), []);
      assert.equal(await page.getByText("Saved.").count(), 0);
    });
  });
});
