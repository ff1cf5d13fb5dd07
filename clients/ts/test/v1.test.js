// Readers of server-sent events that others wrote read an answer of version 1 as it is stored, character by character.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { events } from "fetch-event-stream";
import { Parley } from "../dist/index.js";
import { startModel } from "./model.js";
import { makeAgent, startServer } from "./server.js";

// Pieces as models say them: blanks before words, line breaks of all kinds in all places, and what a stream could take for its own.
const pieces = ["Hello", " ", "  world", "\n", "\n", "- one", "\r", "\n- two\r", "- three", "\r\n", "data: x", ":", " id: 7", "\n[DONE]\n", "[DONE]", " [", "DONE]", "\ndata:", " é",
  "\u0301", "👩‍👩‍👧", "\u200b\u2028x", " \u00a0", "שלום", '"quoted"', "\\n", "\n\n", "the end", " ", "\n"];
// Code has lines that begin with blanks. One of the readers drops those, whatever is before them.
const code = ["```", "\n", "if x:", "\n", "    y", "\n\t", "z", "\n```"];

let model, server, agent;

before(async () => {
  model = await startModel();
  server = await startServer({ model: model.url });
  agent = await makeAgent(new Parley({ baseURL: server.url, apiKey: server.apiKey }));
});
after(async () => {
  await server?.stop();
  await model?.stop();
});

const headers = () => ({ authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" });
const url = () => `${server.url}/api/v1/chat`;

function request(said, conversationId) {
  const messages = [{ role: "user", content: `[pieces] ${JSON.stringify(said)}` }];
  return { method: "POST", headers: headers(), body: JSON.stringify({ chatbotId: agent, messages, conversationId, stream: true }) };
}

/** Checks what a reader gave, the data of each event, against what was said and what is stored. */
async function check(data, said, conversationId) {
  assert.equal(data.at(-1), "[DONE]");
  const text = data.slice(0, -1).join("");
  assert.equal(text, said.join("").replaceAll("\r\n", "\n").replaceAll("\r", "\n"));
  const response = await fetch(`${server.url}/api/v1/get-conversations?chatbotId=${agent}&size=100`, { headers: headers() });
  const saved = (await response.json()).data.find((c) => c.id === conversationId);
  assert.deepEqual(saved.messages.at(-1), { role: "assistant", content: text });
}

for (const [what, said] of Object.entries({ pieces, code })) {
  test(`eventsource-parser reads ${what}`, async () => {
    const response = await fetch(url(), request(said, `esp ${what}`));
    const data = [];
    for await (const event of response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) data.push(event.data);
    await check(data, said, `esp ${what}`);
  });

  test(`@microsoft/fetch-event-source reads ${what}`, async () => {
    globalThis.window = globalThis; // it was written for browsers
    globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
    const { fetchEventSource } = await import("@microsoft/fetch-event-source");
    const data = [];
    await fetchEventSource(url(), { ...request(said, `ms ${what}`), fetch, openWhenHidden: true, onmessage: (event) => data.push(event.data), onerror: (e) => { throw e; } });
    await check(data, said, `ms ${what}`);
  });
}

test("fetch-event-stream reads pieces", async () => {
  const data = [];
  for await (const event of events(await fetch(url(), request(pieces, "fes")))) data.push(event.data);
  await check(data, pieces, "fes");
});
