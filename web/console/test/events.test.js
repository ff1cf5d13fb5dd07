// The parts of the live view that need no browser: reading events, the pauses between attempts, what an event is about.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { runnerImport } from "vite";

const load = async (name) => (await runnerImport(join(import.meta.dirname, "../src/api", name))).module;
let live, sse, invalidate, settings, draft;
before(async () => {
  const names = ["events.ts", "../../../shared/stream/sse.ts", "invalidate.ts", "settings.ts", "draft.ts"];
  [live, sse, invalidate, settings, draft] = await Promise.all(names.map(load));
});

test("a comment is a sign of the server, and no event", async () => {
  const pieces = [": ping\n\n", 'event: agent\nid: a1\ndata: {"id":"x"}\n', "\n", ": ping\n\n"];
  const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
  const found = [];
  let signs = 0;
  for await (const list of sse.readEventLists(body, () => signs++)) found.push(...list);
  assert.deepEqual(found, [{ event: "agent", id: "a1", data: '{"id":"x"}' }]);
  assert.equal(signs, pieces.length);
});

test("an event is about the queries that its ids name", () => {
  const source = { id: "s1", agentId: "a1", change: "trained" };
  const about = (name, change, ...key) => invalidate.isAbout(name, change, key);
  for (const [key, want] of [
    [["sources", "a1", { status: "failed" }], true],
    [["sources", "a2"], false],
    [["source", "a1", "s1", "text"], true],
    [["source", "a1", "s2"], false],
    [["knowledge", "a1", "summary"], true],
    [["today", "a1"], true],
    [["use", "a1"], false],
    [["agents"], true],
    [["agent", "a1"], true],
    [["agent", "a1", "insights", 7], false],
    [["agent", "a2"], false],
    [["settings", "a1"], false],
    [["members"], false],
    [["session"], false],
  ]) {
    assert.equal(about("source", source, ...key), want, JSON.stringify(key));
  }
  assert.equal(about("agent", { id: "a1" }, "settings", "a1"), true);
  assert.equal(about("agent", { id: "a1" }, "settings", "a2"), false);
  const progress = (...key) => about("training", { id: "s1", agentId: "a1" }, ...key);
  for (const key of [["agents"], ["sources", "a1", {}], ["knowledge", "a1"], ["source", "a1", "s1", "text"], ["use", "a1"]]) {
    assert.equal(progress(...key), false, JSON.stringify(key));
  }
  for (const key of [["source", "a1", "s1"], ["source", "a1", "s1", "pages"]]) assert.equal(progress(...key), true);
  assert.equal(about("message", { id: "m", agentId: "a1", conversationId: "c" }, "conversation", "a1", "c"), true);
  const ofTicket = { id: "t", agentId: "a1", conversationId: "c", change: "message" };
  for (const [key, want] of [["c", true], ["d", false]]) assert.equal(about("ticket", ofTicket, "conversation", key), want);
  assert.equal(about("message", { id: "m", conversationId: "c" }, "inbox", "list", "mine", ""), true);
  assert.equal(about("hello", {}, "agents"), false);
});

// pass lets time pass that the test makes, with everything that happens in it.
async function pass(t, millis) {
  for (let i = 0; i <= millis; i += 10) {
    t.mock.timers.tick(i === 0 ? 0 : 10);
    await new Promise((done) => setImmediate(done));
  }
}

test("a hundred events are few readings, and none is missed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const read = [];
  const client = {
    getQueryCache: () => new QueryClient().getQueryCache(),
    invalidateQueries: async ({ predicate }) => {
      read.push(["a1", "a2"].filter((id) => predicate({ queryKey: ["agent", id] })));
    },
  };
  let isCaughtUp = false;
  const one = new invalidate.Invalidator(client, () => (isCaughtUp = true));
  for (let i = 0; i < 100; i++) one.add("agent", { id: "a1" });
  await pass(t, 50);
  one.add("agent", { id: "a2" });
  one.add("presence", {});
  await pass(t, 400);
  assert.deepEqual(read, [["a1"], ["a2"]]);
  one.add("reset", {});
  await pass(t, 400);
  assert.deepEqual([read.at(-1), isCaughtUp], [["a1", "a2"], true]);
});

test("what an event is about is read again, also while it is read for the first time", async () => {
  const client = new QueryClient();
  const answers = [];
  const queryFn = () => new Promise((answer) => answers.push(answer));
  const shown = new QueryObserver(client, { queryKey: ["agents"], queryFn });
  const results = [];
  const leave = shown.subscribe(({ data, isFetching }) => isFetching || results.push(data));
  const one = new invalidate.Invalidator(client, () => {});
  one.add("agent", { id: "a1" });
  await new Promise((done) => setTimeout(done)); // the events of one message
  await answered("before the event");
  await answered("after it");
  assert.deepEqual(results.at(-1), "after it");
  one.close();
  leave();

  async function answered(text) {
    while (answers.length === 0) await new Promise((done) => setImmediate(done));
    answers.shift()(text);
    while (results.at(-1) !== text) await new Promise((done) => setImmediate(done));
  }
});

test("a dispute is a setting that both have changed to something else", () => {
  const { findDisputes } = settings;
  const before = { name: "A", temp: 0, domains: ["x"] };
  assert.deepEqual(findDisputes(before, { name: "B" }, { name: "A", temp: 1 }), []);
  assert.deepEqual(findDisputes(before, { name: "B" }, { name: "B" }), []);
  assert.deepEqual(findDisputes(before, { name: "B", domains: ["y"] }, { name: "C", domains: ["x"] }), [
    { name: "name", mine: "B", theirs: "C" },
  ]);
});

test("what was typed after changes were sent rests on them", () => {
  const { findLater } = draft;
  const base = { name: "A", text: "B", temp: 0 };
  assert.deepEqual(findLater(base, { name: "C" }, { name: "C" }), {});
  assert.deepEqual(findLater(base, { name: "C" }, { name: "D", text: "E" }), { name: "D", text: "E" });
  assert.deepEqual(findLater(base, { name: "C", temp: 1 }, { temp: 1 }), { name: "A" }, "as it was before");
});

test("the pauses between attempts grow to a bound, with some chance in each", () => {
  const middle = Array.from({ length: 8 }, (_, attempt) => live.pauseBefore(attempt, 0.5));
  assert.deepEqual(middle, [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  assert.deepEqual([live.pauseBefore(1, 0), live.pauseBefore(1, 1)], [750, 1250]);
  for (let attempt = 0; attempt < 2000; attempt += 7) {
    const pause = live.pauseBefore(attempt);
    assert.ok(pause >= 375 && pause <= 18_750, `${attempt}: ${pause}`);
  }
});

test("a clock that has jumped, or a server that is silent, calls for a new stream; a slow timer does not", () => {
  const page = { isVisible: true, isConnected: true, lastTick: 0, lastSign: 0 };
  const check = (now, change = {}) => live.needsNewStream(now, { ...page, ...change });
  assert.equal(check(5_000), false);
  assert.equal(check(35_000, { lastSign: 30_000 }), false, "a tick that comes late");
  assert.equal(check(35_001, { lastSign: 30_000 }), true, "a closed lid");
  assert.equal(check(36_000, { isVisible: false, lastSign: 30_000 }), false, "timers of a page that nobody sees are late");
  assert.equal(check(20_000, { lastTick: 19_000 }), false);
  assert.equal(check(20_001, { lastTick: 19_000 }), true, "silence");
  assert.equal(check(20_001, { lastTick: 19_000, isVisible: false }), true, "silence that nobody sees");
  assert.equal(check(90_000, { lastTick: 89_000, isConnected: false }), false, "there is no stream to be silent");
  assert.equal(check(-3_600_000, { lastTick: 1_000 }), false, "a clock that was set back");
});
