// The texts of the chat: complete in every language, used, small, and none in the sources.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { textsOf } from "../catalogs.js";

const root = join(import.meta.dirname, "..");
const folder = join(root, "locales");
const wanted = "ar de en es fr he hi id it ja ko nl pl pt-BR ru sv tr uk vi zh-Hans".split(" ");
const largest = 3500; // bytes of a catalog as it is loaded, compressed

const read = (locale) => JSON.parse(readFileSync(join(folder, `${locale}.json`), "utf8"));
const en = read("en");
const formsOf = (entry) => (typeof entry === "string" ? { text: entry } : entry);
const placeholders = (text) => [...new Set(text.match(/\{\w+\}/g))].sort();

/** The whole numbers up to 200 that have a plural form. */
const numbersOf = (locale, form) => {
  const rules = new Intl.PluralRules(locale);
  return Array.from({ length: 201 }, (_, n) => n).filter((n) => rules.select(n) === form);
};

test("there are the languages that are promised", () => {
  assert.deepEqual(readdirSync(folder).map((name) => name.replace(".json", "")).sort(), wanted);
});

describe("catalogs", () => {
  for (const locale of wanted) {
    const catalog = read(locale);
    test(`${locale}: the keys of the English one`, () => {
      assert.deepEqual(Object.keys(catalog).sort(), Object.keys(en).sort());
    });

    test(`${locale}: plural forms`, () => {
      const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
      for (const [key, entry] of Object.entries(en)) {
        if (typeof entry === "string") assert.equal(typeof catalog[key], "string", key);
        else assert.deepEqual(Object.keys(catalog[key]).sort(), pluralCategories.sort(), key);
      }
    });

    test(`${locale}: placeholders`, () => {
      for (const [key, entry] of Object.entries(en)) {
        const names = new Set(Object.values(formsOf(entry)).flatMap(placeholders));
        for (const [form, text] of Object.entries(formsOf(catalog[key]))) {
          // The number may go without saying where a form is that of a single one.
          const left = form !== "text" && numbersOf(locale, form).length <= 1 ? ["{count}"] : [];
          const all = new Set([...placeholders(text), ...left.filter((name) => names.has(name))]);
          assert.deepEqual([...all].sort(), [...names].sort(), `${key} ${form}`);
        }
      }
    });

    test(`${locale}: no text is empty, blank at an end, or unlike its neighbors in punctuation`, () => {
      for (const [key, entry] of Object.entries(catalog)) {
        for (const text of Object.values(formsOf(entry))) assert.ok(text && text === text.trim(), key);
      }
    });

    test(`${locale}: at most 3.5 kB`, () => {
      const size = gzipSync(JSON.stringify(textsOf(catalog)), { level: 9 }).length;
      assert.ok(size <= largest, `${size} bytes`);
    });
  }
});

/** The sources that may ask for a text. */
function sources() {
  const folders = readdirSync(root, { withFileTypes: true }).filter((e) => e.isDirectory()
    && !/^(node_modules|test|locales)$/.test(e.name));
  const names = folders.flatMap((e) => readdirSync(join(root, e.name), { recursive: true }).map((name) => join(root, e.name, name)));
  return names.filter((name) => /\.tsx?$/.test(name)).map((name) => readFileSync(name, "utf8"));
}

test("every text is used", () => {
  const text = sources().join("\n");
  // A key is written out, or begins with what comes before a value in a template: `error.${code}`.
  const beginnings = [...text.matchAll(/`(\w+\.\w*)\$\{/g)].map(([, start]) => start).filter((start) => start.length > 2);
  const isUsed = (key) => text.includes(`"${key}"`) || beginnings.some((start) => key.startsWith(start));
  assert.deepEqual(Object.keys(en).filter((key) => !isUsed(key)), []);
});
