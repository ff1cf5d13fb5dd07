// Rules of the sources of the front end that no compiler checks: no text becomes HTML, and every text is in a catalog.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import { collect, parse, sinkOf, textOf, web } from "./rules.js";

const folders = ["console/src", "shared", "voice/src", "voice/demo"];

/** All files of the front end that people have written, by their names below web. */
function sources(pattern) {
  const found = folders.flatMap((folder) => {
    const all = readdirSync(join(web, folder), { recursive: true }).map((name) => join(web, folder, name));
    return all.filter((file) => pattern.test(file) && !file.includes("node_modules"));
  });
  return [...found, join(web, "console/index.html")].filter((file) => pattern.test(file));
}

describe("no text becomes HTML", () => {
  test("the rules find what they are for", () => {
    const bad = [
      "a.innerHTML = b", 'a["outerHTML"] = b', "a.insertAdjacentHTML('x', b)", "document.write(b)", "eval(b)", "new Function(b)",
      "Function(b)", "a.setAttribute('onclick', b)", "a.setAttribute('style', b)", "a.href = 'javascript:b'", "new DOMParser()",
      "<p dangerouslySetInnerHTML={b} />", "<iframe srcDoc={b} />", "Object.assign(a, { srcdoc: b })", "setTimeout('b')",
    ];
    for (const text of bad) assert.equal(collect(parse("x.tsx", text), sinkOf).length, 1, text);
    const good = ["stream.write(b)", "f: Function", "a.textContent = b", "setTimeout(b)", "// a.innerHTML = b", "a.setAttribute('open', b)"];
    for (const text of good) assert.deepEqual(collect(parse("x.tsx", text), sinkOf), [], text);
  });

  test("no source breaks them", () => {
    const files = sources(/\.(ts|tsx|js)$/);
    assert.ok(files.length > 80, `${files.length} files`);
    assert.deepEqual(files.flatMap((file) => collect(parse(file), sinkOf)), []);
  });

  test("no page has a script, a style or a handler inside", () => {
    for (const file of sources(/\.html$/)) {
      const text = readFileSync(file, "utf8").replaceAll(/<!--[\s\S]*?-->/g, "");
      assert.doesNotMatch(text, /<style|\s(on\w+|style|srcdoc)\s*=|<script(?![^>]*\ssrc=)|javascript:/i, file);
    }
  });
});

test("pages change the parameters of the address by useAddressParams alone", () => {
  const users = sources(/console\/src\/.*\.tsx?$/).filter((file) => readFileSync(file, "utf8").includes("useSearchParams"));
  assert.deepEqual(users.map((file) => relative(web, file)), ["console/src/address-params.ts"]);
});

describe("texts are in the catalogs", () => {
  test("the rule finds others", () => {
    const bad = ["<p>Hello</p>", '<p>{a ? "Yes" : t("no")}</p>', '<Button aria-label="Close" />', "<p>rail.unread</p>", '<Field label={"Name" + b} />', "<p>{`${n} rows`}</p>"];
    for (const text of bad) assert.equal(collect(parse("x.tsx", text), textOf).length, 1, text);
    const good = ['<p>{t("a.b")}</p>', '<Icon name="close" />', "<p> · </p>", '<div className="row" />', "<h1>Parley</h1>", '<Count text="rail.unread" />', '<p>{a === "open" && b}</p>'];
    for (const text of good) assert.deepEqual(collect(parse("x.tsx", text), textOf), [], text);
  });

  test("no component has one", () => {
    const files = sources(/console\/src\/.*\.tsx$/);
    assert.ok(files.length > 30, `${files.length} files`);
    assert.deepEqual(files.flatMap((file) => collect(parse(file), textOf)), []);
  });
});
