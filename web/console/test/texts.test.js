// How the catalogs of texts are split: each page has what it names, and the build says where it does not.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { answers, user } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";
import { addTexts, findLacks, followImports, keysOf, splitTexts } from "../texts.js";

const root = join(import.meta.dirname, "..");
const split = splitTexts();
const page = (name) => join(root, "src/pages", name);

test("a program names texts as a whole and by their beginning", () => {
  const keys = ["a.one", "a.two", "b.one", "b.two", "c"];
  assert.deepEqual(keysOf('t("a.one") + t(`b.${way}`)', keys), ["a.one", "b.one", "b.two"]);
  assert.deepEqual(keysOf("[`a.one`,'a.two','c']", keys), ["a.one", "a.two", "c"]);
  assert.deepEqual(keysOf("a.one, `model ${c}`", keys), []);
});

test("every text is loaded with the first page or with one that names it", () => {
  const pages = ["core", ...split.pages].map((file) => new Set(split.keys(file)));
  assert.ok(pages.length > 15, `${pages.length} pages`);
  assert.deepEqual(split.all.filter((key) => !pages.some((has) => has.has(key))), []);
  for (const has of pages.slice(1)) for (const key of has) assert.ok(!pages[0].has(key), `${key} is loaded twice`);
  assert.ok(split.keys(page("playground/index.tsx")).includes("playground.why.words"));
  assert.ok(split.keys("core").includes("signIn.title"));
});

test("a page is loaded with what it imports, but not with what it loads later or takes types from", () => {
  const files = followImports(join(root, "src/app.tsx"));
  assert.ok(files.includes(page("sign-in.tsx")));
  assert.ok(!files.includes(page("me.tsx")) && !files.includes(join(root, "src/api/operator.ts")));
});

test("lazyPage is given the texts of the page", () => {
  const code = 'const A = lazyPage(() => import("./pages/me"));';
  assert.equal(
    addTexts(code, join(root, "src/app.tsx")),
    `import texts0 from "texts:src/pages/me.tsx";const A = lazyPage(() => import("./pages/me"), texts0);`,
  );
});

test("the build finds what a page names and does not have, where it is in a file that it shares as well", () => {
  const chunk = (fileName, facadeModuleId, code, imports = []) => {
    return { type: "chunk", fileName, facadeModuleId, code, imports, isDynamicEntry: fileName !== "index.js" };
  };
  const find = (own, shared) => {
    const chunks = [
      chunk("index.js", join(root, "index.html"), '"a.first"'),
      chunk("me.js", page("me.tsx"), own, ["index.js", "shared.js"]),
      chunk("shared.js", null, shared),
    ];
    const bundle = Object.fromEntries(chunks.map((one) => [one.fileName, one]));
    const keys = (file) => (file === "core" ? ["a.first"] : ["b.own"]);
    return [...findLacks(bundle, { all: ["a.first", "b.own", "b.other"], keys })];
  };
  assert.deepEqual(find('"b.own"', "`a.first`"), []);
  assert.deepEqual(find('"b.own"', "`b.other`"), ["me.js has no b.other"]);
  assert.deepEqual(find("`b.${x}`", ""), ["me.js has no b.other"]);
});

describe("another language", { skip }, () => {
  const open = useSamePages();
  const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

  test("has the texts of the pages that were there before it, and of those that come after it", async () => {
    await open(answers({ me: { ...user } }), "/agents", async (page) => {
      await page.getByRole("main").getByText("Wholesale").waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press("m");
      await heading(page, "Your page");
      await page.getByLabel("Language", { exact: true }).click();
      await page.getByRole("option", { name: "Deutsch", exact: true }).click();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await heading(page, "Ihre Seite");
      await page.keyboard.press("g");
      await page.keyboard.press("a");
      await heading(page, "Agenten");
      await page.getByRole("main").getByRole("link", { name: "Wholesale" }).click();
      await page.getByRole("navigation").getByRole("link", { name: "Quellen" }).click();
      await heading(page, "Quellen");
      const wanted = ["agent-home de", "agents de", "agents en", "core de", "me de", "me en", "sources de"];
      const files = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      const catalogs = files.map((name) => /([\w-]+)\.(en|de)-[^/]*$/.exec(name)).filter(Boolean);
      assert.deepEqual(catalogs.map(([, part, tag]) => `${part} ${tag}`).sort(), wanted);
    });
  });
});
