// Starts the real server on a temporary data directory, with a model on loopback where a test brings one.
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { freePort } from "../../../web/shared/test/port.mjs";

const root = new URL("../../../", import.meta.url).pathname;

/** The program: the one that `npm test` built, or else one of our own. */
function program(folder) {
  if (process.env.PARLEY_PROGRAM) return process.env.PARLEY_PROGRAM;
  const file = join(folder, "parley");
  execFileSync("go", ["build", "-o", file, "./cmd/parley"], { cwd: root, stdio: "inherit" });
  return file;
}

/** Runs a server until `stop`; between `halt` and `begin` it is down. `model` is the address of a model server; without it the built-in model answers. */
export async function startServer({ model, flags = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "parley-client-"));
  const file = program(folder);
  const data = join(folder, "data");
  const env = { PATH: process.env.PATH, HOME: folder, PARLEY_DATA: data };
  if (model) Object.assign(env, { PARLEY_MODEL_URL: model, PARLEY_MODEL: "stub", PARLEY_MODEL_REWRITE: "0" }); // the stub counts what it is asked
  const listen = `127.0.0.1:${await freePort()}`; // when it begins again it is where it was
  const args = ["serve", "--listen", listen, "--rate-limit", "100000", "--json", ...flags];
  let child, log = "";
  const begin = () => {
    child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    child.stderr.on("data", (chunk) => (log += chunk));
    return ready(child, () => log);
  };
  const url = await begin();
  const run = async (...words) => JSON.parse((await promisify(execFile)(file, [...words, "--json"], { env })).stdout);
  const { accountId, apiKey } = await run("account", "create", "--name", "Tests");
  const halt = async () => {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  };
  const stop = async () => {
    await halt();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, api: `${url}/api/v2`, accountId, apiKey, folder, run, halt, begin, stop, log: () => log };
}

/** Waits for the line that says where the server is. */
function ready(child, log) {
  return new Promise((resolve, reject) => {
    child.once("exit", (status) => reject(new Error(`the server ended with ${status}:\n${log()}`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line).url));
  });
}

/** Waits until `look` returns something true, and returns that. A minute only guards against waiting without end. */
export async function until(what, look, patience = 60_000) {
  for (const end = Date.now() + patience; ; ) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Makes an agent; with `text` it has read that. */
export async function makeAgent(client, text) {
  const { id } = await client.agents.create({ name: "Shop" });
  if (text) {
    const source = await client.sources.create(id, { type: "text", name: "Handbook", content: text });
    await until("the source is trained", async () => (await client.sources.get(id, source.id)).status === "trained");
  }
  return id;
}
