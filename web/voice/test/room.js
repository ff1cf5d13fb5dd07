// Starts the program with rooms in which an agent repeats what it hears.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const root = new URL("../../../", import.meta.url).pathname;

/** Runs it until `stop`. */
export async function startRooms() {
  const folder = mkdtempSync(join(tmpdir(), "parley-rooms-"));
  const file = process.env.PARLEY_VOICEROOM || join(folder, "voiceroom");
  if (!process.env.PARLEY_VOICEROOM) execFileSync("go", ["build", "-o", file, "./internal/rig/voiceroom"], { cwd: root, stdio: "inherit" });
  const child = spawn(file, { stdio: ["pipe", "pipe", "inherit"] });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    gone.then((status) => reject(new Error(`the rooms ended with ${status}`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line).url));
  });
  const stop = async () => {
    child.stdin.end();
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, stop };
}
