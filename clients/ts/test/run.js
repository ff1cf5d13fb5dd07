// Builds the server once and runs the tests against it: node test/run.js [files]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runFiles } from "../../../web/shared/test/runner.mjs";

const here = new URL(".", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "parley-program-"));
const program = process.env.PARLEY_PROGRAM || join(folder, "parley");
try {
  if (!process.env.PARLEY_PROGRAM) execFileSync("go", ["build", "-o", program, "./cmd/parley"], { cwd: join(here, "../../.."), stdio: "inherit" });
  const chosen = process.argv.slice(2);
  const files = chosen.length > 0 ? chosen : readdirSync(here).filter((name) => name.endsWith(".test.js")).map((name) => join(here, name));
  process.env.PARLEY_PROGRAM = program;
  if (!(await runFiles(files, 10, { isChosen: chosen.length > 0 }))) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
