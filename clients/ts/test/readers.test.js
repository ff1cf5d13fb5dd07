// Readers of server-sent events that others wrote read the same answer from the same stream.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { events } from "fetch-event-stream";
import { Parley } from "../dist/index.js";
import { startModel } from "./model.js";
import { makeAgent, startServer } from "./server.js";

const message = 'Über "quotes", \\backslashes\\ and\nnew lines: 你好 😀';
let model, server, agent, init;

before(async () => {
  model = await startModel();
  server = await startServer({ model: model.url });
  agent = await makeAgent(new Parley({ baseURL: server.url, apiKey: server.apiKey }));
  init = {
    method: "POST",
    headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ message, stream: true }),
  };
});
after(async () => {
  await server?.stop();
  await model?.stop();
});

const url = () => `${server.api}/agents/${agent}/chat`;

/** Checks what a reader gave: the data of each event. */
function check(data) {
  assert.equal(data.at(-1), "[DONE]");
  const read = data.slice(0, -1).map((text) => JSON.parse(text));
  assert.equal(read.filter((event) => event.type === "text-delta").map((event) => event.delta).join(""), `You said: ${message}`);
  assert.equal(read.at(-1).type, "finish");
}

test("eventsource-parser", async () => {
  const response = await fetch(url(), init);
  const data = [];
  for await (const event of response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) data.push(event.data);
  check(data);
});

test("fetch-event-stream", async () => {
  const data = [];
  for await (const event of events(await fetch(url(), init))) data.push(event.data);
  check(data);
});

test("@microsoft/fetch-event-source", async () => {
  globalThis.window = globalThis; // it was written for browsers
  globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
  const { fetchEventSource } = await import("@microsoft/fetch-event-source");
  const data = [];
  await fetchEventSource(url(), { ...init, fetch, openWhenHidden: true, onmessage: (event) => data.push(event.data), onerror: (e) => { throw e; } });
  check(data);
});

test("the client of this package", async () => {
  const client = new Parley({ baseURL: server.url, apiKey: server.apiKey });
  const answer = await (await client.chat.stream(agent, { message })).final();
  assert.equal(answer.text, `You said: ${message}`);
});
