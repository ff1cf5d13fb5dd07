// Chats of real visitors: the program with a scripted model, the chat frame in a browser, and what breaks in between.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program, signUp } from "../../console/test/server.js";
import { startFront } from "./server.js";
import { startModel } from "./model.js";

/** Starts the program in a folder; it may be killed and started again there. */
async function run(data, env) {
  const words = ["serve", "--json", "--data", data, "--listen", "127.0.0.1:0"];
  const child = spawn(program(), words, {
    env: { ...process.env, PARLEY_TRUST_PROXY: "true", ...env },
    stdio: ["ignore", "pipe", process.env.PARLEY_TEST_LOG ? "inherit" : "ignore"],
  });
  const ended = new Promise((done) => child.once("exit", done));
  const ready = await new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`the program has ended with ${code}: ${text}`)));
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text.slice(0, text.indexOf("\n"))));
    });
  });
  return { ready, end: (signal) => (child.kill(signal), ended) };
}

/** Makes an agent that everybody may ask, with actions as a manifest has them, and returns its id. */
async function createAgent(call, actions) {
  const ipRateLimits = { limit: 200, timeframe: 1, message: "Too many at once." };
  const settings = { name: "Shop help", visibility: "public", ipRateLimits };
  const { memberships } = await call("GET", "/v1/session");
  const applied = await call("POST", `/v1/accounts/${memberships[0].accountId}/manifest`, {
    documents: [], text: JSON.stringify({ agent: { key: "shop" }, settings, actions }), prune: false, dryRun: false,
  });
  if (!applied.agents) throw new Error(`creating an agent: ${JSON.stringify(applied)}`);
  return applied.agents[0].agentId;
}

/**
 * Starts the program with an agent and a scripted model, behind a server that can cut connections: `cut()` breaks those
 * of answers, `isDown` refuses all. `kill()` and `restart()` are of the program.
 */
export async function startChats({ actions = [] } = {}) {
  const data = mkdtempSync(join(tmpdir(), "parley-chat-"));
  const model = await startModel();
  let server = await run(data, model.env);
  const origin = () => server.ready.url.replace("127.0.0.1", "localhost");
  const { call, cookie } = await signUp({ url: `${origin()}/console`, setup: server.ready.setupUrl });
  const agentId = await createAgent(call, actions);
  const upload = async (name, text) => {
    const body = new FormData();
    body.set("file", new Blob([text]), name);
    const headers = { "Parley-Console": "1", Cookie: `${cookie.name}=${cookie.value}` };
    return (await fetch(`${origin()}/console/api/v1/agents/${agentId}/files`, { method: "POST", headers, body })).json();
  };
  const open = new Set();
  const front = await startFront(() => server.ready.url);
  front.handle = (asked, reply) => {
    if (chats.isDown) return reply.destroy(), true;
    if (chats.handle?.(asked, reply)) return true;
    if (/\/(messages|events|retry)$/.test(asked.url.split("?")[0])) {
      open.add(reply);
      reply.on("close", () => open.delete(reply));
    }
    return false;
  };
  const chats = {
    model,
    agentId,
    call,
    upload,
    front,
    isDown: false,
    handle: undefined,
    url: (mode = "") => `${front.at("127.0.0.1")}/chatbot-iframe/${agentId}${mode && `?mode=${mode}`}`,
    cut: () => open.forEach((reply) => reply.destroy()),
    kill: () => server.end("SIGKILL"),
    restart: async () => void (server = await run(data, model.env)),
    credits: async () => {
      const reply = await call("GET", `/v2/agents/${agentId}`);
      return (reply.data ?? reply).creditsUsed;
    },
    stop: async () => {
      front.stop();
      await server.end("SIGTERM");
      model.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
  return chats;
}

/** Numbers that are the same in each run: mulberry32. */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

let addresses = 0;

/** The headers of a visitor from an address of its own: there are limits for each. */
export const nextAddress = () => ({ "X-Forwarded-For": `10.0.${++addresses >> 8}.${addresses & 255}` });

/** A text in the list of messages; what is spoken of them is elsewhere. */
export const said = (page, text) => page.getByRole("log").getByText(text).first();

export const field = (page) => page.locator("textarea");
export const answers = (page) => page.locator("article[data-state=complete]:not(:has(h2:text-matches('^You said')))");

export { sendQuestion as ask } from "./question.js";

/** What the server has of the conversation that a page shows. */
export const stored = (page) =>
  page.evaluate(async () => {
    const name = Object.keys(localStorage).find((key) => key.startsWith("parley:"));
    const { token, conversationId } = JSON.parse(localStorage.getItem(name));
    const base = `/api/chat/${name.slice("parley:".length)}/conversation/${conversationId}`;
    const reply = await fetch(base, { headers: { Authorization: `Visitor ${token}` } });
    return (await reply.json()).data;
  });
