// Runs all tests, with programs that are built once for them, unless PARLEY_PROGRAM and PARLEY_VOICEROOM name them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runFiles } from "../../shared/test/runner.mjs";

const [root, here] = ["../../../", "."].map((path) => new URL(path, import.meta.url).pathname);
const folder = mkdtempSync(join(tmpdir(), "parley-programs-"));
try {
  const { PARLEY_PROGRAM, PARLEY_VOICEROOM } = process.env;
  if (!PARLEY_PROGRAM || !PARLEY_VOICEROOM) execFileSync("go", ["build", "-o", `${folder}/`, "./cmd/parley", "./internal/testkit/voiceroom"], { cwd: root, stdio: "inherit" });
  const files = readdirSync(here).filter((name) => name.endsWith(".test.js")).map((name) => join(here, name));
  Object.assign(process.env, { PARLEY_PROGRAM: join(folder, "parley"), PARLEY_VOICEROOM: join(folder, "voiceroom"), ...process.env });
  if (!(await runFiles(files, 10, { concurrency: 2 }))) process.exitCode = 1; // calls are mostly waiting
} finally {
  rmSync(folder, { recursive: true, force: true });
}
