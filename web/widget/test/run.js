// Runs all tests, or those of the files that are named. What they share is made once, before them, unless PARLEY_WIDGET_BUILD,
// PARLEY_WIDGET_KIT and PARLEY_PROGRAM name what is there: the build, the page of the parts, and the program.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runFiles } from "../../shared/test/runner.mjs";
import { program } from "../../console/test/server.js";
import { buildInto } from "../build.js";
import { buildKit } from "./kit-build.js";

const here = import.meta.dirname;
const made = mkdtempSync(join(tmpdir(), "parley-widget-"));

/** What tests need, by the name of its variable: the sources of tests that need it, and what makes it. */
const shared = {
  PARLEY_WIDGET_BUILD: [
    /./,
    () => buildInto(join(made, "build"), { define: { __PSEUDO_LOCALES__: "true" } }).then(() => join(made, "build")),
  ],
  PARLEY_WIDGET_KIT: [/startKit/, () => buildKit(join(made, "kit")).then(() => join(made, "kit"))],
  PARLEY_PROGRAM: [/startChats|startWidgetServer/, program],
};

// Those that take the longest are first, so that none of them is alone at the end.
const longest = ["pictures", "a11y", "xss", "embed", "dictation", "chat-resume", "chat-sent", "host-page", "closed", "real"].map(
  (name) => `${name}.test.js`,
);

/** The paths of the files of tests, or of those that are named. */
function chooseFiles(names) {
  const there = readdirSync(here).filter((name) => name.endsWith(".test.js"));
  const all = [...new Set([...longest, ...there])].filter((name) => there.includes(name));
  const chosen = all.filter((name) => (names.length > 0 ? names.includes(name) : true));
  return chosen.map((name) => join(here, name));
}

async function makeShared(files) {
  const sources = files.map((file) => readFileSync(file, "utf8"));
  for (const [name, [isNeeded, make]] of Object.entries(shared)) {
    if (!process.env[name] && sources.some((source) => isNeeded.test(source))) process.env[name] = await make();
  }
}

try {
  const names = process.argv.slice(2);
  const files = chooseFiles(names);
  await makeShared(files);
  const minutes = process.env.PARLEY_LONG ? 55 : 40; // only against hanging
  if (!(await runFiles(files, minutes, { isChosen: names.length > 0 }))) process.exitCode = 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}
