// What differs between two texts, line by line.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { runnerImport } from "vite";

let compareLines, leaveOutSame;
before(async () => {
  ({ compareLines, leaveOutSame } = (await runnerImport(join(import.meta.dirname, "../src/pages/sources/compare.ts"))).module);
});

const signs = { same: " ", added: "+", removed: "-" };
const show = (lines) => lines.map(({ kind, text }) => signs[kind] + text).join("\n");

test("lines that are there, that came, and that are gone", () => {
  for (const [from, to, want] of [
    ["", "", " "],
    ["a", "a", " a"],
    ["a", "b", "-a\n+b"],
    ["a\nb\nc", "a\nc", " a\n-b\n c"],
    ["a\nc", "a\nb\nc", " a\n+b\n c"],
    ["a\nb\nc\nd", "b\nx\nd\ne", "-a\n b\n-c\n+x\n d\n+e"],
  ]) {
    assert.equal(show(compareLines(from, to)), want);
  }
});

test("of any two texts the lines make up both", () => {
  let seed = 1;
  const random = (below) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 300; round++) {
    const make = () => Array.from({ length: 1 + random(12) }, () => "abc"[random(3)]).join("\n");
    const [from, to] = [make(), make()];
    const lines = compareLines(from, to);
    const without = (kind) => lines.filter((line) => line.kind !== kind).map(({ text }) => text).join("\n");
    assert.deepEqual([without("added"), without("removed")], [from, to]);
  }
});

test("texts with nothing in common cost no table that is too large, and what is the same is left out", () => {
  const many = (word) => Array.from({ length: 5000 }, (_, i) => word + i).join("\n");
  assert.equal(compareLines(many("a"), many("b")).length, 10_000);
  const long = many("a");
  const shown = leaveOutSame(compareLines(long, long.replace("a2500\n", "a2500\nnew\n")));
  assert.deepEqual(
    shown.map((line) => (line.kind === "gap" ? line.count : line.text)),
    [2499, "a2499", "a2500", "new", "a2501", "a2502", 2497],
  );
});
