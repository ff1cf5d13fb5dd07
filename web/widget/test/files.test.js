// What is built and committed: the sizes of what pages load.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const built = join(import.meta.dirname, "../../built/widget");
const manifest = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8"));
const size = (name) => gzipSync(readFileSync(join(built, name)), { level: 9 }).length;

/** A file with all that it needs before it runs. */
function withImports(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const code = readFileSync(join(built, name), "utf8");
  for (const [, other] of code.matchAll(/(?:import|from)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) withImports(other, found);
  return found;
}

test("the loaders are at most 5.0 kB, and what they load when the chat is used 6.5 kB", () => {
  const fresh = process.env.PARLEY_WIDGET_BUILD ?? built;
  const sizes = readdirSync(fresh).map((name) => [name, gzipSync(readFileSync(join(fresh, name)), { level: 9 }).length]);
  const above = (pattern, bar) => sizes.filter(([name, bytes]) => pattern.test(name) && bytes > bar);
  assert.deepEqual(above(/embed\.min\.js$/, 5000), []);
  assert.deepEqual(above(/^(window|center)-/, 6500), []);
});

test("the chat frame is at most 45 kB with one language, the help page at most 50 kB", () => {
  const locales = readdirSync(built).filter((name) => /^[a-z]{2}(-\w+)?-[\w-]{8}\.js$/.test(name));
  const locale = Math.max(0, ...locales.map(size));
  for (const [page, bar] of [["chat", 45_000], ["help", 50_000]]) {
    if (!manifest[`${page}.js`]) continue;
    const names = [...withImports(manifest[`${page}.js`]), ...[manifest[`${page}.css`]].filter(Boolean)];
    const sum = names.map(size).reduce((a, b) => a + b) + locale;
    assert.ok(sum <= bar, `${page}: ${sum} bytes: ${names.map((name) => `${name} ${size(name)}`).join(", ")}, a language ${locale}`);
  }
});

test("the names of files change with their content, but those of the loaders", () => {
  const loaders = ["embed", "center-stage-embed", "side-panel-embed", "search-embed"].map((name) => `${name}.min.js`);
  const fixed = [...loaders, "manifest.json", "widget.licenses.txt"];
  for (const name of readdirSync(built)) assert.ok(fixed.includes(name) || /-[\w-]{8}\.\w+$/.test(name), name);
  for (const name of fixed) assert.ok(existsSync(join(built, name)), name);
});
