// Starts the real program: `parley demo`, whose agent answers from the manual, and a media server for it to use.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

const root = new URL("../../../../", import.meta.url).pathname;

/** The built program, which is made in `folder` unless PARLEY_PROGRAM names one. */
export function program(folder) {
  if (process.env.PARLEY_PROGRAM) return process.env.PARLEY_PROGRAM;
  const file = join(folder, "parley");
  execFileSync("go", ["build", "-o", file, "./cmd/parley"], { cwd: root, stdio: "inherit" });
  return file;
}

/** Runs `parley demo` until `stop`. */
export async function startDemo(file, folder, settings) {
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  const child = spawn(file, ["demo", "--listen", "127.0.0.1:0", "--json"], { env: { ...env, ...settings }, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const { data, ...ready } = JSON.parse(await line(child, () => log));
  const ask = async (method, path, body) => {
    const headers = { Authorization: `Bearer ${ready.apiKey}`, "Content-Type": "application/json" };
    const reply = await fetch(`${ready.url}/api/v2/agents/${ready.agentId}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const said = await reply.json();
    if (reply.status === 429 && said.error.details.reason === "concurrent_exceeded") {
      await setTimeout(1000); // the machine is too busy for one more, and tells so
      return ask(method, path, body);
    }
    assert.equal(reply.status, 200, JSON.stringify(said));
    return said;
  };
  const command = async (...words) => JSON.parse((await promisify(execFile)(file, [...words, "--json", "--data", data], { env })).stdout);
  return {
    ...ready,
    ask,
    command,
    /** Opens a session, as a backend does. */
    session: async (body = {}) => (await ask("POST", "/voice/sessions", body)).data,
    /** What `parley voice sessions` says of a session. */
    stored: async ({ sessionId }) => (await command("voice", "sessions")).find((s) => s.sessionId === sessionId),
    stop: () => ended(child, () => child.kill("SIGTERM")),
    log: () => log.slice(-4000),
  };
}

/** Runs the media server until `stop`, for a server to use as a LiveKit of others, so that the tests have its key. */
export async function startMedia(file, folder) {
  const [key, secret] = ["native", randomBytes(32).toString("hex")];
  const child = spawn(file, ["sfu"], { env: { PATH: process.env.PATH, TMPDIR: folder }, stdio: ["pipe", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  child.stdin.write(`${JSON.stringify({ key, secret, loopback: true })}\n`);
  const { port, error } = JSON.parse(await line(child, () => log));
  if (error) throw new Error(error);
  const url = `ws://127.0.0.1:${port}`;
  return {
    url,
    settings: { PARLEY_LIVEKIT_URL: url, PARLEY_LIVEKIT_KEY: key, PARLEY_LIVEKIT_SECRET: secret },
    sign: (claims) => sign({ iss: key, exp: Math.floor(Date.now() / 1000) + 600, ...claims }, secret),
    stop: () => ended(child, () => child.stdin.end()),
  };
}

/** What a token says. */
export const claims = (token) => JSON.parse(Buffer.from(token.split(".")[1], "base64url"));

function sign(said, secret) {
  const text = [{ alg: "HS256", typ: "JWT" }, said].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

function line(child, log) {
  return new Promise((resolve, reject) => {
    child.once("exit", (status) => reject(new Error(`${child.spawnargs.join(" ")} ended with ${status}:\n${log()}`)));
    createInterface({ input: child.stdout }).once("line", resolve);
  });
}

async function ended(child, end) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  end();
  await gone;
}
