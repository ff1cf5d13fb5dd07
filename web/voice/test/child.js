// Starts a program of this project.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const root = new URL("../../../", import.meta.url).pathname;

/** The program that a variable of the environment names, or else one that is built into `folder`. */
export function built(variable, source, folder) {
  if (process.env[variable]) return process.env[variable];
  const file = join(folder, source.split("/").at(-1));
  execFileSync("go", ["build", "-o", file, source], { cwd: root, stdio: "inherit" });
  return file;
}

/** Starts one that writes a line of JSON when it is ready, and returns what the line says. `quit` has it end, and `input` is the first that it reads. */
export async function start(file, words, { env, input = "", quit = (child) => child.stdin.end() } = {}) {
  const child = spawn(file, words, { env, stdio: "pipe" });
  const gone = once(child, "exit");
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  child.stdin.on("error", () => {}).write(input); // it may be gone
  const ready = await new Promise((resolve, reject) => {
    gone.then(([status]) => reject(new Error(`${child.spawnargs.join(" ")} ended with ${status}:\n${log}`)), reject);
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) quit(child);
    await gone;
  };
  return { ready, stop, log: () => log.slice(-4000) };
}
