// What is built and committed: its size, and the texts in all languages.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { splitTexts } from "../texts.js";

const root = join(import.meta.dirname, "..");
const built = join(root, "../built/console");
const read = (...names) => readFileSync(join(...names), "utf8");
const locales = readdirSync(join(root, "src/locales")).map((file) => file.replace(".json", ""));
const split = splitTexts();
const sizes = new Map();
const size = (name) => {
  if (!sizes.has(name)) sizes.set(name, gzipSync(read(built, name), { level: 9 }).length);
  return sizes.get(name);
};

describe("built files", () => {
  const index = read(built, "index.html");
  const assets = readdirSync(join(built, "assets")).map((name) => `assets/${name}`);

  test("what the first page loads is at most 200 kB", () => {
    const initial = [...index.matchAll(/(?:src|href)="\/console\/([^"]+\.(?:js|css))"/g)].map(([, name]) => name);
    assert.ok(initial.length >= 2);
    const sum = initial.map(size).reduce((a, b) => a + b);
    assert.ok(sum <= 200_000, `${sum} bytes: ${initial.map((name) => `${name} ${size(name)}`).join(", ")}`);
  });

  const catalogOf = (name) => /^assets\/([\w-]+)\.([a-z]{2}(?:-[A-Z]{2})?)-[\w-]{8}\.js$/.exec(name);

  test("a lazy file is at most 90 kB, and all that a person can load 750 kB, in one language", () => {
    const code = assets.filter((name) => /\.(js|css)$/.test(name));
    const lazy = code.filter((name) => !index.includes(name));
    for (const name of lazy) assert.ok(size(name) <= 90_000, `${name}: ${size(name)}`);
    for (const locale of locales) {
      const loaded = code.filter((name) => [undefined, locale].includes(catalogOf(name)?.[2]));
      const sum = loaded.map(size).reduce((a, b) => a + b);
      assert.ok(sum <= 750_000, `${locale}: ${sum}`);
    }
  });

  test("a lazy page is at most 90 kB with all that it shares with others", () => {
    const pages = assets.filter((name) => name.endsWith(".js") && !catalogOf(name)).flatMap(importsOf);
    const programs = pages.filter(([own]) => !catalogOf(own));
    assert.ok(programs.length >= 9, `${programs.length} pages`);
    for (const page of programs) {
      const outer = programs.filter(([own]) => own !== page[0] && page.includes(own)); // it is a part of that page
      const own = page.filter((name) => !index.includes(name) && !outer.some((other) => other.includes(name)));
      const sum = own.map(size).reduce((a, b) => a + b, 0);
      assert.ok(sum <= 90_000, `${page[0]}: ${sum} bytes: ${own.map((name) => `${name} ${size(name)}`).join(", ")}`);
    }
  });

  test("the texts of a page are at most 8 kB, and 15 kB with those of the first page", () => {
    const catalogs = assets.map(catalogOf).filter(Boolean);
    for (const locale of locales) {
      const own = catalogs.filter(([, , tag]) => tag === locale);
      const first = own.filter(([, page]) => page === "core").map(([name]) => size(name));
      assert.equal(first.length, locale === "en" ? 0 : 1, "English is built in");
      const pages = own.filter(([, page]) => page !== "core").map(([name]) => [name, size(name)]);
      assert.ok(pages.length >= 9, `${pages.length} catalogs of pages`);
      const [core] = first.length > 0 ? first : [gzipSync(JSON.stringify(split.pick("core", "en"))).length];
      assert.ok(core <= 8_000, `${locale}: ${core}`);
      for (const [name, bytes] of pages) {
        assert.ok(bytes <= 8_000 && core + bytes <= 15_000, `${name}: ${core} and ${bytes}`);
      }
    }
  });

  test("the page has no inline script, no inline style and no foreign address", () => {
    assert.doesNotMatch(index, /<style|\sstyle=|<script(?![^>]*\ssrc="\/console\/)|https?:/);
    for (const name of assets) assert.match(name, /-[\w-]{8}\.\w+$/);
  });
});

describe("texts", () => {
  const folder = join(root, "src/locales");
  const en = JSON.parse(read(folder, "en.json"));
  const placeholders = (text) => [...new Set(text.match(/\{\w+\}/g))].sort();
  const forms = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry));

  for (const file of readdirSync(folder)) {
    const locale = file.replace(".json", "");
    test(`${locale} has every text, with the same placeholders and all plural forms`, () => {
      const catalog = JSON.parse(read(folder, file));
      assert.deepEqual(Object.keys(catalog).sort(), Object.keys(en).sort());
      const plurals = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
      for (const [key, entry] of Object.entries(catalog)) {
        const wanted = [...new Set(forms(en[key]).flatMap(placeholders))].sort();
        assert.equal(typeof entry, typeof en[key], key);
        if (typeof entry === "string") assert.deepEqual(placeholders(entry), wanted, key);
        else checkPlural(locale, key, entry, wanted, plurals);
      }
    });
  }

  // A form that is for one number alone may say it in a word.
  function checkPlural(locale, key, entry, wanted, plurals) {
    assert.deepEqual(Object.keys(entry).sort(), [...plurals].sort(), key);
    for (const [form, text] of Object.entries(entry)) {
      const found = placeholders(text);
      const isOfOneNumber = numbersOf(locale, form).length === 1;
      const rest = wanted.filter((name) => !isOfOneNumber || name !== "{count}" || found.includes(name));
      assert.deepEqual(found, rest, `${key} ${form}`);
    }
  }

  function numbersOf(locale, form) {
    const rules = new Intl.PluralRules(locale);
    return Array.from({ length: 300 }, (_, n) => n).filter((n) => rules.select(n) === form);
  }

  test("the list of languages has a catalog for each, and the other way round", () => {
    const [, list] = /export const locales = (\[.*\]);/.exec(read(root, "src/texts.ts"));
    assert.deepEqual(JSON.parse(list).sort(), locales.sort());
  });

  test("every text is used", () => {
    const source = files(join(root, "src"), /\.tsx?$/).map((file) => read(file)).join("\n");
    const starts = [...source.matchAll(/`([\w.]+\.)\$\{/g)].map(([, start]) => start);
    const isUsed = (key) => source.includes(`"${key}"`) || starts.some((start) => key.startsWith(start));
    assert.deepEqual(Object.keys(en).filter((key) => !isUsed(key)), []);
  });

  test("every file of styles begins with the order of layers, since any of them may come first", () => {
    for (const file of files(join(root, "src"), /\.css$/)) assert.match(read(file), /^@layer reset, tokens, base, components;/, file);
  });

  test("styles name no side of the page", () => {
    for (const file of files(join(root, "src"), /\.css$/)) {
      const found = read(file).match(/^.*(?<![\w-])(left|right|margin-(?:left|right)|padding-(?:left|right))\b.*$/m);
      assert.equal(found, null, `${file}: ${found?.[0]}`);
    }
  });
});

/** What a file loads when it is needed: for each page its own file, then all that this one needs. */
function importsOf(name) {
  const code = read(built, name);
  const shared = JSON.parse(/m\.f=(\["assets[^\]]*\])/.exec(code)?.[1] ?? "[]");
  const imports = /import\([`"']\.\/([^`"']+)[`"']\)(?:\s*,\s*__vite__mapDeps\(\[([\d,]*)\]\))?/g;
  return [...code.matchAll(imports)].map(([, own, needs]) => [
    ...new Set([`assets/${own}`, ...(needs ? needs.split(",").map((i) => shared[i]) : [])]),
  ]);
}

function files(folder, name) {
  const all = readdirSync(folder, { recursive: true }).map((file) => join(folder, file));
  return all.filter((file) => name.test(file));
}
