// Rules of the widget's sources that no compiler checks.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { collect, parse, sinkOf, textOf } from "../../console/test/rules.js";

const root = join(import.meta.dirname, "..");

/** The files that people have written, with names like `name`. */
function files(name) {
  const folders = readdirSync(root, { withFileTypes: true }).filter((e) => e.isDirectory() && e.name !== "node_modules");
  const below = folders.flatMap((e) => readdirSync(join(root, e.name), { recursive: true }).map((file) => join(e.name, file)));
  return [...readdirSync(root), ...below].filter((file) => name.test(file)).map((file) => join(root, file));
}

const read = (file) => readFileSync(file, "utf8");
const programs = () => files(/\.tsx?$/);

describe("sources", () => {
  test("no text becomes HTML", () => {
    assert.ok(programs().length > 3);
    assert.deepEqual(programs().flatMap((file) => collect(parse(file), sinkOf)), []);
  });

  test("every text is in the catalogs", () => {
    assert.deepEqual(files(/\.tsx$/).flatMap((file) => collect(parse(file), textOf)), []);
  });

  test("styles name no side of the page", () => {
    const side = /^.*(?<![\w-])(left|right|(?:margin|padding|border)-(?:left|right))(?![\w-]).*$/m;
    const rulesOf = (file) => read(file).replaceAll(/\/\*[\s\S]*?\*\//g, "");
    for (const file of files(/\.css$/)) assert.equal(side.exec(rulesOf(file))?.[0], undefined, relative(root, file));
  });

  test("a file has at most 400 lines of at most 140 columns", () => {
    for (const file of files(/\.(ts|tsx|js)$/)) {
      const lines = read(file).trimEnd().split("\n");
      const name = relative(root, file);
      assert.ok(lines.length <= 400, `${name}: ${lines.length} lines`);
      const long = lines.findIndex((line) => line.length > 140);
      assert.equal(long, -1, `${name}:${long + 1}`);
    }
  });

  test("a component and a function has at most 85 lines", () => {
    const long = programs().flatMap((file) => collect(parse(file), (node) => isLongFunction(node) && node.name.getText()));
    assert.deepEqual(long.filter((place) => !longFunctions.some((name) => place.endsWith(`: ${name}`))), []);
  });
});

// What is longer than it should be, and nothing else may become.
const longFunctions = ["ImageField"];

// isLongFunction reports whether a declared function is longer than a page. Those that group tests are not declared.
function isLongFunction(node) {
  if (!node.body || !node.name || !node.parameters) return false;
  return node.getText().split("\n").length > 85;
}
