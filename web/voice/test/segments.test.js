import assert from "node:assert/strict";
import { test } from "node:test";
import { Segments } from "../dist/segments.js";

function recorded() {
  const shown = [];
  return { shown, segments: new Segments((segmentId, text) => shown.push(`${segmentId}: ${text}`)) };
}

test("a segment that comes whole each time is replaced", () => {
  const { shown, segments } = recorded();
  for (const text of ["Where", "Where is", "Where is my order?"]) {
    const stream = segments.begin("a");
    stream.add(text);
    stream.end();
  }
  assert.deepEqual(shown, ["a: Where", "a: Where is", "a: Where is my order?"]);
});

test("a segment that comes as one stream of words grows", () => {
  const { shown, segments } = recorded();
  const stream = segments.begin("b");
  for (const words of ["It", " is", " on its way."]) stream.add(words);
  stream.end();
  assert.deepEqual(shown, ["b: It", "b: It is", "b: It is on its way."]);
});

test("a whole text that comes in chunks does not flicker", () => {
  const { shown, segments } = recorded();
  for (const chunks of [["A long text"], ["A lo", "ng text", ", and more"]]) {
    const stream = segments.begin("c");
    chunks.forEach((chunk) => stream.add(chunk));
    stream.end();
  }
  assert.deepEqual(shown, ["c: A long text", "c: A long text, and more"]);
});

test("a text may become shorter, down to nothing", () => {
  const { shown, segments } = recorded();
  for (const text of ["It is on its way to you.", "It is on its", ""]) {
    const stream = segments.begin("d");
    if (text) stream.add(text);
    stream.end();
  }
  assert.deepEqual(shown, ["d: It is on its way to you.", "d: It is on its", "d: "]);
});

test("of two open streams the one that began last is right", () => {
  const { shown, segments } = recorded();
  const [first, second] = [segments.begin("e"), segments.begin("e")];
  second.add("the newer");
  second.end();
  first.add("the older");
  first.end();
  assert.deepEqual(shown, ["e: the newer"]);
});

test("segments do not mix", () => {
  const { shown, segments } = recorded();
  const [one, two] = [segments.begin("f"), segments.begin("g")];
  one.add("One");
  two.add("Two");
  one.end();
  two.end();
  assert.deepEqual(shown, ["f: One", "g: Two"]);
});
