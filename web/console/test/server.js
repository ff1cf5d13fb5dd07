// Starts the real program on a free port with an empty data directory.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** The program: what PARLEY_PROGRAM names, or else one that is built of this folder, once for all tests of a run. */
export function program() {
  if (process.env.PARLEY_PROGRAM) return process.env.PARLEY_PROGRAM;
  const file = join(mkdtempSync(join(tmpdir(), "parley-binary-")), "parley");
  execFileSync("go", ["build", "-o", file, "./cmd/parley"], { cwd: root, stdio: "inherit" });
  process.env.PARLEY_PROGRAM = file;
  process.on("exit", () => rmSync(join(file, ".."), { recursive: true, force: true }));
  return file;
}

/**
 * Starts `parley serve`, or `parley demo` for the command "demo". Returns where the console is, the link for the first
 * person (behind # of `setup`), and what stops it; with `keepLog` also what it has logged so far.
 */
export async function startServer({ command = "serve", options = [], env = {}, keepLog = false } = {}) {
  const data = mkdtempSync(join(tmpdir(), "parley-data-"));
  const words = [command, "--json", "--data", data, "--listen", "127.0.0.1:0", ...options];
  const child = spawn(program(), words, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", keepLog ? "pipe" : process.env.PARLEY_TEST_LOG ? "inherit" : "ignore"],
  });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => (log += text));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const ready = await firstLine(child);
    const origin = ready.url.replace("127.0.0.1", "localhost");
    return { ready, data, origin, url: `${origin}/console`, setup: ready.setupUrl, log: () => log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`the program has ended with ${code}: ${text}`)));
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text.slice(0, text.indexOf("\n"))));
    });
  });
}

export const owner = {
  name: "Owner",
  email: "owner@shop.example",
  company: "Shop",
  password: "a long password for tests",
};

/** Makes the first person without a browser, and returns their cookie and what calls the console's API as them. */
export async function signUp(server, person = owner) {
  const token = server.setup.slice(server.setup.indexOf("#") + 1);
  const reply = await send(server, "POST", "/v1/session/redeem", { token, ...person });
  if (reply.status !== 200) throw new Error(`signing up: ${reply.status} ${await reply.text()}`);
  const [cookie] = reply.headers.getSetCookie()[0].split(";");
  const [name, value] = cookie.split("=");
  const call = async (method, path, body) => (await send(server, method, path, body, { Cookie: cookie })).json();
  return { cookie: { name, value, domain: "localhost", path: "/console", httpOnly: true, sameSite: "Strict" }, call };
}

/** Calls the console's API as a page would. */
export function send(server, method, path, body, headers = {}) {
  return fetch(`${server.url}/api${path}`, {
    method,
    headers: { "Parley-Console": "1", ...(body && { "Content-Type": "application/json" }), ...headers },
    body: body && JSON.stringify(body),
  });
}
