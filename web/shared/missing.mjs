// Prints the texts that the catalogs of a folder lack, with their English, and those that en.json does not have:
//
//	node ../shared/missing.mjs FOLDER              {"fr": {"missing": {KEY: ENGLISH}, "forms": […], "unknown": [KEY]}, …}
//	node ../shared/missing.mjs FOLDER add FILE     adds texts, {"fr": {KEY: TEXT}, …}
//	node ../shared/missing.mjs FOLDER sort         puts all catalogs into the order of the keys, and drops what is unknown
//
// It fails while something is missing.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, command, file] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const fileOf = (locale) => join(folder, `${locale}.json`);
const locales = readdirSync(folder).map((name) => name.replace(".json", ""));
const en = read(fileOf("en"));

if (command === "add") add(read(file));
if (command === "sort") locales.forEach((locale) => write(locale, read(fileOf(locale))));

const found = locales.map((locale) => [locale, compare(locale, read(fileOf(locale)))]);
const lacking = found.filter(([, lacks]) => Object.keys(lacks).length > 0);
if (lacking.length > 0) {
  console.log(JSON.stringify(Object.fromEntries(lacking), null, 2));
  process.exitCode = 1;
}

function compare(locale, catalog) {
  const missing = Object.entries(en).filter(([key]) => !(key in catalog));
  const unknown = Object.keys(catalog).filter((key) => !(key in en));
  const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
  const plurals = Object.entries(catalog).filter(([, entry]) => typeof entry !== "string");
  const forms = plurals.flatMap(([key, entry]) => {
    return pluralCategories.filter((form) => !(form in entry)).map((form) => `${key}: ${form}`);
  });
  return {
    ...(missing.length > 0 && { missing: Object.fromEntries(missing) }),
    ...(forms.length > 0 && { forms }),
    ...(unknown.length > 0 && { unknown }),
  };
}

function add(texts) {
  for (const [locale, more] of Object.entries(texts)) write(locale, { ...read(fileOf(locale)), ...more });
}

function write(locale, catalog) {
  const keys = Object.keys(catalog).filter((key) => key in en).sort();
  const lines = keys.map((key) => `  ${JSON.stringify(key)}: ${writeEntry(catalog[key])}`);
  writeFileSync(fileOf(locale), `{\n${lines.join(",\n")}\n}\n`);
}

function writeEntry(entry) {
  if (typeof entry === "string") return JSON.stringify(entry);
  const forms = Object.entries(entry).map(([form, text]) => `${JSON.stringify(form)}: ${JSON.stringify(text)}`);
  const line = `{ ${forms.join(", ")} }`;
  return line.length <= 90 ? line : `{\n${forms.map((form) => `    ${form}`).join(",\n")}\n  }`;
}
