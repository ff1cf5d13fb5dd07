// Recorded answers of the playground.

const text = "You can send them back within **30 days**. The label is in the parcel.";
const passages = ["Goods may be returned within 30 days of delivery.", "Each parcel holds a label for returns."];

const trace = (i, more) => ({
  id: `psg_${i}`, sourceId: `src_${i}`, name: ["Returns policy", "Shipping FAQ", "Gift cards"][i], rank: 3 - i, score: [0.81, 0.64, 0.22][i],
  heading: "Returns", text: passages[i] ?? "Gift cards do not expire.", start: 0, end: 49, ...more,
});

export const explain = {
  turnId: "t", messageId: "msg_a", state: "done", model: "auto", backEnd: "built-in", promptVersion: "14", configVersion: 27, bounds: { sure: 0.48, unsure: 0.2 },
  question: "return shoes", search: "words", startedAt: "2026-11-22T08:00:00.000Z", toolCalls: [], inputTokens: 180, outputTokens: 24,
  passages: [trace(0, { cited: true, quotes: ["within 30 days"] }), trace(1, { cited: true, quotes: [passages[1]] }), trace(2, {})],
  millis: { retrieved: 4.2, firstToken: 21.5, answered: 38 }, summary: "", score: 0.92, tools: [],
};

const citation = (i, answerStart, answerEnd) => ({
  sourceId: `src_${i}`, name: trace(i).name, url: i === 0 ? "https://shop.example/returns" : "", versionHash: `hash${i}`,
  start: i === 0 ? 22 : 0, end: i === 0 ? 36 : 38, answerStart, answerEnd,
});

export const metadata = {
  messageId: "msg_a", userMessageId: "msg_u", conversationId: "conv", finishReason: "stop", usage: { credits: 1 }, score: 0.92,
  answerState: "sure", citations: [citation(0, 0, 42), citation(1, 43, 70)], explain,
};

/** The events of an answer. `size` is how many characters a delta has; 0 is all of them. */
export function eventsOf({ answer = text, size = 5, metadata: end = metadata, tools = [], lane, error }) {
  const deltas = size === 0 ? [answer] : (answer.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []);
  const { userMessageId, conversationId } = end;
  const events = [
    { type: "start", messageId: end.messageId, messageMetadata: { userMessageId, conversationId, userId: null } },
    { type: "start-step" },
    ...tools.flatMap(({ toolCallId, name, input, output }) => [
      { type: "tool-input-available", toolCallId, toolName: name, input },
      { type: "tool-output-available", toolCallId, output },
    ]),
    { type: "text-start", id: "t1" },
    ...deltas.map((delta) => ({ type: "text-delta", id: "t1", delta })),
    { type: "text-end", id: "t1" },
    ...(error ? [{ type: "error", errorText: error }] : []),
    { type: "finish-step" },
    { type: "finish", finishReason: error ? "error" : "stop", messageMetadata: end },
  ];
  return events.map((event) => (lane ? { ...event, lane } : event));
}

/** An answer of the server that streams events, in pieces of so many bytes. */
export function streamOf(events, bytes = 0) {
  const whole = Buffer.from([...events.map((event) => JSON.stringify(event)), "[DONE]"].map((line) => `data: ${line}\n\n`).join(""));
  const chunks = [];
  for (let i = 0; i < whole.length; i += bytes || whole.length) chunks.push(whole.subarray(i, i + (bytes || whole.length)));
  return [200, { chunks }, { "Content-Type": "text/event-stream" }];
}

/** A stored conversation with the answer above. */
export const record = (id, more) => ({
  conversationId: id,
  answering: false,
  earlier: 0,
  exchanges: [
    {
      question: "How do I return shoes?",
      userMessageId: "msg_u",
      state: "complete",
      parts: [{ type: "text", text }],
      feedback: "positive",
      answer: { ...metadata, conversationId: id },
    },
  ],
  ...more,
});

const recent = (conversationId, question, messages) => ({
  conversationId, question, messages, lastActivity: "2026-11-20T16:41:07.312Z",
});

const backEnds = [
  { name: "auto", backEnd: "gpt-6", connected: true },
  { name: "gpt-5", backEnd: "builtin", connected: false },
  { name: "gpt-6", backEnd: "gpt-6", connected: true },
];

const routes = {
  "GET conversations": () => [200, { conversations: [recent("conv", "How do I return shoes?", 2), recent("conv_2", "Do you ship to Norway?", 6)] }],
  "PATCH settings": ({ body }) => [200, { version: body.baseVersion + 1, settings: { name: "Help desk", instructions: "Be kind and short.", model: "auto", temp: 0.2, visibility: "private", ...body.settings } }],
  "GET playground": () => [200, { models: ["auto", "gpt-5", "gpt-6"], backEnds, actions: [{ name: "track_order", kind: "http", description: "Finds an order" }] }],
  "POST playground": () => streamOf(eventsOf({})),
  "POST compare": () => {
    const [a, b] = [eventsOf({ lane: "a" }), eventsOf({ lane: "b", answer: "Within 30 days.", metadata: { ...metadata, messageId: "msg_b", citations: [] } })];
    return streamOf(a.flatMap((event, i) => (b[i] ? [event, b[i]] : [event])).concat(b.slice(a.length)));
  },
  "PUT feedback": ({ body }) => [200, body],
  "POST improve": ({ body }) => [200, {
    source: { sourceId: "src_n", type: "qna", name: body.question, status: "trained", answers: true, size: 1, updatedAt: "2026-11-20T00:00:00Z" },
    before: { text, score: 0.92, citations: [], credits: 0 },
    after: { text: body.answer, score: 1, citations: [], credits: 1 },
  }],
  "GET passages": ({ query }) => [200, { state: "holds", occurs: true, text: passages[0].slice(query.get("start"), query.get("end")), start: 22, end: 36, version: "hash0", liveVersion: "hash0" }],
};

export function answerPlayground(asked) {
  const stored = /^\/v1\/agents\/[^/]+\/playground\/conversations\/([^/]+)$/.exec(asked.path);
  if (stored && asked.method === "GET") return [200, record(stored[1])];
  const found = /^\/v[12]\/agents\/[^/]+\/(?:.*\/)?([a-z]+)$/.exec(asked.path);
  return found && routes[`${asked.method} ${found[1]}`]?.(asked);
}
