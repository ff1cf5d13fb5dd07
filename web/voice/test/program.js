// Starts the real program: `parley demo`, whose agent answers from the manual, and to which the tests add agents of their own.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { skip as noBrowser } from "./chromium.js";

const root = new URL("../../../", import.meta.url).pathname;

const installed = (name) => (process.env.PATH ?? "").split(delimiter).some((folder) => {
  try {
    accessSync(join(folder, name), constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

/** Why nothing is said to the real program in a browser: false where it is. */
export const skip = noBrowser || (installed("flite") || process.env.CI ? false : "SKIP: no flite on the PATH: no spoken question is asked in a browser");
if (skip && !noBrowser) console.error(skip);

/** Runs `parley demo` until `stop`, with settings in its environment and what it leaves behind in `folder`. */
export async function startProgram(folder, settings) {
  const file = process.env.PARLEY_PROGRAM || join(folder, "parley");
  if (!process.env.PARLEY_PROGRAM) execFileSync("go", ["build", "-o", file, "./cmd/parley"], { cwd: root, stdio: "inherit" });
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  const child = spawn(file, ["demo", "--listen", "127.0.0.1:0", "--json"], { env: { ...env, ...settings }, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const ready = await new Promise((resolve, reject) => {
    gone.then((status) => reject(new Error(`the demo ended with ${status}:\n${log}`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });

  /** Asks the REST API for what is below the agents; the demo's own agent where none is named. */
  const ask = async (method, path, body, agent = ready.agentId, key = ready.apiKey) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const reply = await fetch(`${ready.url}/api/v2/agents${agent && `/${agent}`}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${await reply.clone().text()}`);
    return reply.json();
  };
  /** Gives a command of the command line to the running server. */
  const command = async (...words) => JSON.parse((await promisify(execFile)(file, [...words, "--json", "--data", ready.data], { env })).stdout);
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
  };
  return { ...ready, ask, command, stop, log: () => log.slice(-4000) };
}
