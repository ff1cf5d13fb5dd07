// Streams of events, and the state of an answer.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runnerImport } from "vite";

let EventParser, readEvents, advance, newTurn, readTurn, textOfTurn;
before(async () => {
  const folder = join(import.meta.dirname, "../../shared/stream");
  ({ EventParser, readEvents } = (await runnerImport(join(folder, "sse.ts"))).module);
  ({ advance, newTurn, readTurn, textOfTurn } = (await runnerImport(join(folder, "turn.ts"))).module);
});

const stream = (chunks) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
const collect = async (list) => {
  const found = [];
  for await (const one of list) found.push(one);
  return found;
};

const text = "\ufeff: hello\r\ndata: a\r\ndata:b\r\n\r\nevent: note\nid: 7\ndata: é😀مر\n\nretry: 5\r\rdata\r\rdata: x\nunknown\n\ndata: cut";
const want = [
  { event: "message", id: "", data: "a\nb" },
  { event: "note", id: "7", data: "é😀مر" },
  { event: "message", id: "7", data: "" },
  { event: "message", id: "7", data: "x" },
];

describe("server-sent events", () => {
  test("any split of bytes gives the same events", async () => {
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = [];
      for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.slice(i, i + size));
      assert.deepEqual(await collect(readEvents(stream(chunks))), want, `pieces of ${size}`);
    }
    for (let at = 0; at <= bytes.length; at++) {
      assert.deepEqual(await collect(readEvents(stream([bytes.slice(0, at), bytes.slice(at)]))), want, `cut at ${at}`);
    }
  });

  test("a line end at the end of a piece may go on", () => {
    const parser = new EventParser();
    assert.deepEqual([parser.push("data: a\r"), parser.push("\n\r"), parser.push("\n")].flat().length, 1);
  });
});

const events = [
  { type: "start", messageId: "m", messageMetadata: { userMessageId: "u", conversationId: "c", userId: null } },
  { type: "start-step" },
  { type: "text-start", id: "t1" },
  { type: "text-delta", id: "t1", delta: "Let me " },
  { type: "text-delta", id: "t1", delta: "look." },
  { type: "text-end", id: "t1" },
  { type: "tool-input-start", toolCallId: "k", toolName: "track" },
  { type: "tool-input-available", toolCallId: "k", toolName: "track", input: { no: 1 } },
  { type: "tool-output-available", toolCallId: "k", output: { status: "success" } },
  { type: "finish-step" },
  { type: "something-new", id: "t1", delta: "!" },
  { type: "text-delta", id: "t2", delta: "Done." },
  { type: "finish", finishReason: "stop", messageMetadata: { messageId: "m", citations: [], usage: { credits: 1 } } },
];

describe("the state of an answer", () => {
  test("follows the events", () => {
    const turn = events.reduce(advance, newTurn());
    assert.deepEqual([turn.status, turn.messageId, turn.conversationId], ["done", "m", "c"]);
    assert.deepEqual(turn.parts, [
      { kind: "text", id: "t1", text: "Let me look." },
      { kind: "tool", id: "k", name: "track", input: { no: 1 }, output: { status: "success" }, isDone: true },
      { kind: "text", id: "t2", text: "Done." },
    ]);
    assert.equal(textOfTurn(turn.parts), "Let me look.Done.");
    assert.equal(turn.metadata.usage.credits, 1);
  });

  test("a failure stays one to the end", () => {
    const failed = [{ type: "error", errorText: "No." }, events.at(-1)].reduce(advance, newTurn());
    assert.deepEqual([failed.status, failed.error], ["failed", "No."]);
  });

  test("is the same from single bytes, which cut letters of two, three and four bytes", async () => {
    const texts = ["é", "€", "مرحبا", "한국어", "😀", "👩‍👩‍👧", "🇳🇴", "e\u0301", "\u202e", "\u2028", "\ufeff", "\0", "\ud800", "𝔘𝔫𝔦"];
    const said = [events[0], ...texts.map((delta) => ({ type: "text-delta", id: "t1", delta })), events.at(-1)];
    const bytes = new TextEncoder().encode(said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    const raw = new TextEncoder().encode(`data: {"type":"text-delta","id":"t1","delta":"${texts.slice(0, 8).join("")}"}\r\n\r\n`);
    for (const size of [1, 2, 3]) {
      const pieces = (whole) => Array.from({ length: Math.ceil(whole.length / size) }, (_, i) => whole.slice(i * size, (i + 1) * size));
      assert.deepEqual(await collect(readTurn(stream(pieces(bytes)))), said);
      const [{ delta }] = await collect(readTurn(stream(pieces(raw))));
      assert.equal(delta, texts.slice(0, 8).join(""));
      const turn = (await collect(readTurn(stream(pieces(bytes))))).reduce(advance, newTurn());
      assert.equal(textOfTurn(turn.parts), texts.join(""));
    }
  });

  test("is read from a response, whose broken lines are skipped", async () => {
    const lines = ["not json", "null", "[1]", '"x"', JSON.stringify(events[0]), "[DONE]", JSON.stringify(events[2])];
    const bytes = new TextEncoder().encode(lines.map((line) => `data: ${line}\n\n`).join(""));
    assert.deepEqual(await collect(readTurn(stream([bytes]))), [events[0]]);
  });
});
