import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { runnerImport } from "vite";

let i18n;
before(async () => {
  i18n = (await runnerImport(join(import.meta.dirname, "../../shared/i18n/index.ts"))).module;
});

test("placeholders are filled, numbers as the language writes them", () => {
  const { format } = i18n;
  assert.equal(format("{name} has {n}", "de", { name: "$& {n}", n: 1234.5 }), "$& {n} has 1.234,5");
  assert.equal(format("{unknown}", "en"), "{unknown}");
});

test("plural forms are the language's", () => {
  const { format } = i18n;
  const files = { one: "{count} file", other: "{count} files" };
  assert.deepEqual([0, 1, 2].map((count) => format(files, "en", { count })), ["0 files", "1 file", "2 files"]);
  const polish = { one: "{count} plik", few: "{count} pliki", many: "{count} plików", other: "{count} pliku" };
  assert.deepEqual([1, 3, 5].map((count) => format(polish, "pl", { count })), ["1 plik", "3 pliki", "5 plików"]);
  assert.equal(format({ other: "x" }, "en", { count: 1 }), "x");
});

test("the language is the first that there is", () => {
  const { pickLocale } = i18n;
  const available = ["en", "de", "pt-BR"];
  const pick = (...wanted) => pickLocale(wanted, available);
  assert.deepEqual(
    [pick("de-AT", "en"), pick("fr", "pt"), pick("fr"), pick(), pick("en-GB")],
    ["de", "pt-BR", "en", "en", "en"],
  );
});

test("direction", () => {
  const { isRightToLeft } = i18n;
  const directions = ["ar", "he", "ar-XB", "fa", "en", "ja", "az"].map(isRightToLeft);
  assert.deepEqual(directions, [true, true, true, true, false, false, false]);
});

test("pseudo texts are longer and keep their placeholders", () => {
  const { a, b } = i18n.pseudo({ a: "Menu of {name}", b: { one: "{count} row", other: "{count} rows" } });
  assert.ok(a.length >= "Menu of {name}".length * 1.4 && a.includes("{name}"));
  assert.ok(b.one.includes("{count}"));
});
