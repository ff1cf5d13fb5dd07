// What the runner keeps of files of tests that have passed: they run again once something that they read has changed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";

const begin = 'import { appendFileSync, readFileSync } from "node:fs";\nimport { test } from "node:test";\nappendFileSync(process.env.RUNS, "x");\n';
const files = {
  "web/parts/test/part.test.js": `${begin}import { name } from "./name.js";\ntest("part", () => readFileSync(new URL(name, import.meta.url)));\n`,
  "web/parts/test/name.js": 'export const name = "data.txt";\n',
  "web/parts/test/data.txt": "one",
  "web/parts/test/nothing.test.js": `${begin}import { existsSync } from "node:fs";\ntest("nothing", () => existsSync(new URL("data.txt/more", import.meta.url)));\n`,
  "web/parts/test/wrong.test.js": `${begin}test("wrong", () => { throw new Error("wrong"); });\n`,
  "web/parts/test/tool.test.js": `${begin}import { execFileSync } from "node:child_process";\ntest("tool", () => execFileSync("true"));\n`,
};

describe("a file of tests", () => {
  let root;
  before(() => {
    root = mkdtempSync(join(tmpdir(), "parley-results-"));
    cpSync(join(import.meta.dirname, "../../shared/test"), join(root, "web/shared/test"), { recursive: true });
    mkdirSync(join(root, "web/parts/test"), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  /** Runs a file and returns how often it has run by now, and what the runner has printed. */
  async function run(name, options = "{}", more = {}) {
    const program = join(root, "web/parts/run.mjs");
    const file = JSON.stringify(join(root, "web/parts/test", name));
    writeFileSync(program, `import { runFiles } from "../shared/test/runner.mjs";\nawait runFiles([${file}], 1, ${options});\n`);
    const { NODE_OPTIONS, NODE_TEST_CONTEXT, PARLEY_TRACE, PARLEY_CHECKS, ...rest } = process.env;
    const env = { ...rest, RUNS: join(root, name), XDG_CACHE_HOME: join(root, "cache"), PARLEY_TEST_CACHE: "", ...more };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
    return { count: readFileSync(join(root, name), "utf8").length, isKnown: stdout.includes("(cached)") };
  }

  const change = (name, text) => writeFileSync(join(root, "web/parts/test", name), text);

  test("that has passed is not run again until something changes that it reads or imports", async () => {
    assert.deepEqual(await run("part.test.js"), { count: 1, isKnown: false });
    assert.deepEqual(await run("part.test.js"), { count: 1, isKnown: true });
    change("data.txt", "two");
    assert.deepEqual(await run("part.test.js"), { count: 2, isKnown: false });
    change("name.js", 'export const name = "./data.txt";\n');
    assert.deepEqual(await run("part.test.js"), { count: 3, isKnown: false });
    change("data.txt", "one");
    change("name.js", 'export const name = "data.txt";\n');
    assert.deepEqual(await run("part.test.js"), { count: 3, isKnown: true });
  });

  test("that looks for what is not there, in a file as in a folder, is kept as well", async () => {
    assert.deepEqual(await run("nothing.test.js"), { count: 1, isKnown: false });
    assert.deepEqual(await run("nothing.test.js"), { count: 1, isKnown: true });
  });

  test("runs where it is asked for, and where nothing kept is to be used", async () => {
    assert.deepEqual(await run("part.test.js", "{ isChosen: true }"), { count: 4, isKnown: false });
    assert.deepEqual(await run("part.test.js", "{}", { PARLEY_TEST_CACHE: "off" }), { count: 5, isKnown: false });
    assert.deepEqual(await run("part.test.js", "{}", { PARLEY_LONG: "1" }), { count: 6, isKnown: false });
    assert.deepEqual(await run("part.test.js", "{}", { CI: "another" }), { count: 7, isKnown: false });
  });

  test("that failed, or that starts a program of which nothing is known, runs each time", async () => {
    const { count } = await run("wrong.test.js"); // twice: what fails is tried again
    assert.deepEqual(await run("wrong.test.js"), { count: 2 * count, isKnown: false });
    await run("tool.test.js");
    assert.deepEqual(await run("tool.test.js"), { count: 2, isKnown: false });
  });
});
