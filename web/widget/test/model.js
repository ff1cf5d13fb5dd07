// A model server for tests, in OpenAI's wire format: says what a test wants, at the pace that it wants.
import { createServer } from "node:http";

/**
 * Starts it. `answer(question, request)` returns what the model says: {text, pieces, pause, gate, call}. `gate(i)` may
 * return a promise, which is awaited before piece i; where it fails, the connection breaks. A call is that of a tool,
 * {name, input}. `asked` lists the questions.
 */
export async function startModel() {
  const model = { asked: [], answer: () => ({ text: "Yes." }) };
  const server = createServer(async (request, reply) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString() || "{}");
    const question = textOf(body.messages?.findLast(({ role }) => role === "user")?.content);
    model.asked.push(question);
    await say(reply, await model.answer(question, body)).catch(() => setImmediate(() => reply.destroy())); // after what was written
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/v1`;
  const env = { PARLEY_MODEL_URL: url, PARLEY_MODEL: "scripted", PARLEY_MODEL_KEY: "none" };
  return Object.assign(model, { env, stop: () => (server.close(), server.closeAllConnections()) });
}

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join(""));

async function say(reply, { text = "", pieces = 1, pause = 0, gate, call, status = 200 }) {
  if (status !== 200) return reply.writeHead(status).end("{}");
  reply.writeHead(200, { "Content-Type": "text/event-stream" });
  const write = (more) => reply.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...more })}\n\n`);
  const send = (delta, finish = null) => write({ choices: [{ index: 0, delta, finish_reason: finish }] });
  for (const [i, piece] of cut(text, pieces).entries()) {
    await gate?.(i);
    if (reply.destroyed) return;
    send({ content: piece });
    if (pause) await new Promise((done) => setTimeout(done, pause));
  }
  if (call) {
    const { name, input } = call;
    const id = `call_${Math.random().toString(36).slice(2)}`;
    send({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: JSON.stringify(input) } }] });
  }
  send({}, call ? "tool_calls" : "stop");
  write({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });
  reply.end("data: [DONE]\n\n");
}

/** A gate that is never passed: the answer has a beginning and no end. */
export const endless = (from) => (i) => (i >= from ? new Promise(() => {}) : undefined);

/** A gate at which the answer breaks off. */
export const broken = (from) => (i) => (i >= from ? Promise.reject(new Error("broken off")) : undefined);

/** A gate that is closed before each of some pieces. `reached(i)` resolves when one is next, `open(i)` lets it pass. */
export function createGate(indexes) {
  const defer = () => {
    let resolve;
    return { promise: new Promise((done) => (resolve = done)), resolve };
  };
  const stops = new Map(indexes.map((i) => [i, { reached: defer(), opened: defer() }]));
  const pass = (i) => {
    stops.get(i)?.reached.resolve();
    return stops.get(i)?.opened.promise;
  };
  return { pass, reached: (i) => stops.get(i).reached.promise, open: (i) => stops.get(i).opened.resolve() };
}

/** A text in so many pieces, or as many as it has characters, cut between them. */
function cut(text, count) {
  const all = [...text];
  const number = Math.min(count, all.length);
  const at = (i) => Math.round((i * all.length) / number);
  return Array.from({ length: number }, (_, i) => all.slice(at(i), at(i + 1)).join(""));
}
