// Builds the server once and runs the tests against it: node test/run.js [files]
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const here = new URL(".", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "parley-program-"));
const program = process.env.PARLEY_PROGRAM || join(folder, "parley");
try {
  if (!process.env.PARLEY_PROGRAM) execFileSync("go", ["build", "-o", program, "./cmd/parley"], { cwd: join(here, "../../.."), stdio: "inherit" });
  const files = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(here).filter((name) => name.endsWith(".test.js")).map((name) => join(here, name));
  const args = ["--test", "--test-reporter=spec", "--test-concurrency=2", "--test-timeout=300000", ...files];
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, PARLEY_PROGRAM: program } }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
