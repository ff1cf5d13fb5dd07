// Runs all tests, or those of the files that are named, against one build and one program that are made for them, unless
// PARLEY_CONSOLE_BUILD and PARLEY_PROGRAM name them.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runFiles } from "../../shared/test/runner.mjs";
import { skip } from "./browser.js";
import { buildForTests } from "./build.js";
import { program } from "./server.js";

// Those that take the longest are first, so that none of them is alone at the end.
const longest = [
  ...["roles", "axe", "screens", "sinks", "sources", "agent-settings", "playground-place", "manual", "source-choice", "boundaries", "shell"],
  ...["pages", "keyboard", "xss", "inbox-live", "workspace", "long-inbox", "first-run", "companies", "looks", "outage", "session"],
  ...["live-sources", "sign-in", "company-import", "tickets", "account-access", "live"],
].map((name) => `${name}.test.js`);
const given = process.env.PARLEY_CONSOLE_BUILD;
const folder = given || (await buildForTests());
try {
  const names = process.argv.slice(2);
  const chosen = (name) => name.endsWith(".test.js") && (!names.length || names.includes(name));
  const there = readdirSync(import.meta.dirname);
  const files = [...new Set([...longest, ...there])].filter((name) => chosen(name) && there.includes(name));
  process.env.PARLEY_CONSOLE_BUILD = folder;
  if (!skip) program();
  const minutes = process.env.PARLEY_LONG ? 55 : 40; // only against hanging
  const paths = files.map((name) => join(import.meta.dirname, name));
  if (!(await runFiles(paths, minutes, { isChosen: names.length > 0 }))) process.exitCode = 1;
} finally {
  if (!given) rmSync(folder, { recursive: true, force: true });
}
