// Markdown in answers: what tokens become, texts that are still written, places of citations.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runnerImport } from "vite";

const shared = join(import.meta.dirname, "../../shared/markdown");
const load = async (path) => (await runnerImport(path)).module;

let lex, Blocks, Converter, textOf, citedBlocks, citeBlocks, toUTF16, readAddress, looksLikeOther, withoutControls;
before(async () => {
  ({ lex } = await load(join(import.meta.dirname, "../src/components/markdown/lexer.ts")));
  ({ Blocks } = await load(join(shared, "blocks.ts")));
  ({ Converter, textOf } = await load(join(shared, "nodes.ts")));
  ({ citedBlocks, toUTF16 } = await load(join(shared, "cites.ts")));
  ({ citeBlocks } = await load(join(import.meta.dirname, "../src/pages/playground/citations.ts")));
  ({ readAddress, looksLikeOther, withoutControls } = await load(join(shared, "links.ts")));
});

const convert = (text, base) => new Converter(base).blocks(lex(text));

/** A short form of nodes, to compare with. */
function brief(node) {
  if (Array.isArray(node)) return node.map(brief).join(" ");
  const { kind } = node;
  if (kind === "text") return JSON.stringify(node.text);
  if (kind === "cite") return `^${node.index}`;
  if (kind === "list") return `list(${node.items.map((i) => `${i.isDone === undefined ? "" : i.isDone ? "x:" : "o:"}${brief(i.children)}`).join(", ")})`;
  if (kind === "table") return `table(${[node.header, ...node.rows].map((row) => row.map(brief).join("|")).join("/")})`;
  if (kind === "link") return `link<${node.address.href}${node.isOther ? " other" : ""}>(${brief(node.children)})`;
  if (kind === "image") return `image<${node.address.href}>(${node.alt})`;
  if (kind === "heading") return `h${node.level}(${brief(node.children)})`;
  if (node.text !== undefined) return `${kind}(${JSON.stringify(node.text)}${node.language ? ` ${node.language}` : ""})`;
  return node.children ? `${kind}(${brief(node.children)})` : kind;
}

const rows = {
  "a **b** *c* ~~d~~ `e`": `paragraph("a " strong("b") " " em("c") " " del("d") " " code("e"))`,
  "# One\n\n###### Six": `h3("One") h6("Six")`,
  "Title\n=====\n\nNext\n---": `h3("Title") h4("Next")`,
  "- a\n- b\n  1. c": `list(paragraph("a"), paragraph("b") list(paragraph("c")))`,
  "- [ ] a\n- [x] b": `list(o:paragraph("a"), x:paragraph("b"))`,
  "> q\n> r": `quote(paragraph("q\\nr"))`,
  "```js\nx < y\n```": `fence("x < y" js)`,
  "    code": `fence("code")`,
  "| a | b |\n|---|:-:|\n| 1 | *2* |": `table("a"|"b"/"1"|em("2"))`,
  "---": "rule",
  "a  \nb\\\nc": `paragraph("a" break "b" break "c")`,
  "\\*a\\* &amp; &#x41; &nope;": `paragraph("*" "a" "*" " & A &nope;")`,
  "[a](http://x.example/?q=1&amp;r 'title')": `paragraph(link<http://x.example/?q=1&r>("a"))`,
  "<http://x.example/?a&amp;b>": `paragraph(link<http://x.example/?a&amp;b>("http://x.example/?a&amp;b"))`,
  "see www.x.example now": `paragraph("see " link<http://www.x.example/>("www.x.example") " now")`,
  "jo@x.example": `paragraph(link<mailto:jo@x.example>("jo@x.example"))`,
  "![a *b*](http://x.example/p.png)": "paragraph(image<http://x.example/p.png>(a *b*))",
  "<script>alert(1)</script>\n": `raw("<script>alert(1)</script>")`,
  "<!-- x\n\ny -->": `raw("<!-- x\\n\\ny -->")`,
  "a <b onclick=x>c</b>": `paragraph("a " "<b onclick=x>" "c" "</b>")`,
  "[a]: http://x.example\n\n[a]": `paragraph("[a]: " link<http://x.example/>("http://x.example")) paragraph("[a]")`,
  "[a](javascript:alert(1))": `paragraph("[a](javascript:alert(1))")`,
  "[a](//x.example)": `paragraph("[a](//x.example)")`,
  "![a](data:image/svg+xml,x)": `paragraph("![a](data:image/svg+xml,x)")`,
  "<a>www.x.example\n\nwww.y.example": `paragraph("<a>" link<http://www.x.example/>("www.x.example")) paragraph(link<http://www.y.example/>("www.y.example"))`,
};

describe("tokens", () => {
  for (const [text, want] of Object.entries(rows)) {
    test(JSON.stringify(text), () => assert.equal(brief(convert(text)), want));
  }

  test("relative links need a base", () => {
    assert.equal(brief(convert("[a](/b)", "https://x.example/c/")), `paragraph(link<https://x.example/b>("a"))`);
    assert.equal(brief(convert("[a](b)")), `paragraph("[a](b)")`);
  });

  test("an unknown token is its own source", () => {
    const found = new Converter().blocks([{ type: "mystery", raw: "<x>", tokens: [] }]);
    assert.deepEqual(found, [{ kind: "raw", text: "<x>" }]);
  });

  test("what is too deep, too wide or too much is text", () => {
    assert.equal(convert(`${"> ".repeat(30)}deep`)[0].kind, "raw");
    assert.equal(convert(`${">".repeat(20_000)}deep`)[0].kind, "raw");
    const wide = (n) => `${"|a".repeat(n)}|\n${"|-".repeat(n)}|\n${"|b".repeat(n)}|`;
    assert.deepEqual([20, 21].map((n) => convert(wide(n))[0].kind), ["table", "raw"]);
    const long = (n) => `|a|\n|-|\n${"|b|\n".repeat(n)}`;
    assert.deepEqual([200, 201].map((n) => convert(long(n))[0].kind), ["table", "raw"]);
    const many = convert("*a* ".repeat(6_000));
    assert.deepEqual([many.length, many[0].kind], [1, "raw"]);
    const blocks = convert("*a*\n\n".repeat(3_000));
    assert.deepEqual([blocks[0].kind, blocks.at(-1).kind], ["paragraph", "raw"]);
  });
});

describe("links", () => {
  test("schemes are an allow-list", () => {
    const good = ["http://x.example/", "https://x.example/", "mailto:a@b.example", "tel:+1555", "HTTPS://X.example"];
    for (const href of good) assert.ok(readAddress(href), href);
    const bad = ["javascript:alert(1)", " java\nscript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
      "blob:https://x.example/1", "ftp://x.example", "https://user@x.example", "https://a:b@x.example", "x", "//x", "http://"];
    for (const href of bad) assert.equal(readAddress(href), null, href);
  });

  test("a text that looks like another host is told", () => {
    const to = readAddress("https://x.example/path");
    const other = ["y.example", "https://y.example/path", "www.y.example", "https://x.example@y.example/", "х.example", "y.example:80/?q"];
    for (const text of other) assert.equal(looksLikeOther(text, to), true, text);
    for (const text of ["x.example", "www.x.example", "https://x.example/else", "our shop", "e.g. this"]) {
      assert.equal(looksLikeOther(text, to), false, text);
    }
  });

  test("controls and overrides of direction are not shown", () => {
    assert.equal(withoutControls("a\u202eb\u2066c\u0000d\u200fe\tf"), "abcd\u200fe\tf");
  });
});

// A text is made of these pieces in an order that a seed says, so that a failure comes again.
const pieces = ["word ", "two words", "\n", "\n\n", "\n\n", "\n\n\n", "- item\n", "- [x] done\n", "1. one\n", "  - inner\n", "    indented\n",
  "```\ncode\n```\n", "```js\n", "~~~\n", "# Head\n", "Title\n===\n", "---\n", "> quote\n", ">", "| a | b |\n|---|---|\n", "| 1 | 2 |\n",
  "**bold**", "**open", "*em*", "_x_", "`code`", "`", "[a](http://x.example)", "[a]: http://x.example\n", "[a]", "<b>", "</b>", "<a ",
  "<!--", "-->", "<script>", "</script>\n", "<div>\n", "<pre>", "\\", "  \n", "\t", "www.x.example ", "مرحبا ", "😀", "é", "\r\n", "\r",
  "&amp;", "~~", "* ", "+ x\n", "2) x\n", "<?php ", "<![CDATA[", "\u00a0", "!", "![p](http://x.example/p.png)"];

function makeTexts(count) {
  let seed = 20261123;
  const next = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  return Array.from({ length: count }, () => Array.from({ length: 4 + next(24) }, () => pieces[next(pieces.length)]).join(""));
}

describe("a text that grows", () => {
  test("is at every length what it is as a whole", () => {
    const texts = [...makeTexts(200), ...Object.keys(rows), Object.keys(rows).join("\n\n")];
    for (const text of texts) {
      const blocks = new Blocks(lex);
      for (let i = 0; i < text.length; i++) {
        blocks.append(text[i]);
        const prefix = text.slice(0, i + 1).replace(/\r$/, "").replace(/\r\n?/g, "\n");
        assert.deepEqual(blocks.all(), convert(prefix), JSON.stringify(text.slice(0, i + 1)));
      }
    }
  });

  test("is not lexed again where it is settled", () => {
    let lexed = 0;
    const blocks = new Blocks((text) => ((lexed += text.length), lex(text)));
    const paragraph = "Some words about the **returns** of shoes, with a `code` and more.\n\n";
    for (let i = 0; i < 300; i++) {
      blocks.append(paragraph);
      blocks.open();
    }
    assert.ok(blocks.settled.length >= 298, String(blocks.settled.length));
    assert.ok(lexed < 300 * paragraph.length * 4, `${lexed} characters were lexed`);
  });
});

/** A text as it is written, a few characters at a time. */
function grow(text) {
  const blocks = new Blocks(lex);
  for (let i = 0; i < text.length; i += 7) {
    blocks.append(text.slice(i, i + 7));
    blocks.open();
  }
  return blocks;
}

describe("citations", () => {
  const bytes = (text) => Buffer.byteLength(text);
  const range = (text, from, to) => ({ answerStart: bytes(text.slice(0, from)), answerEnd: bytes(text.slice(0, to)) });
  const cited = (text, ...ends) => {
    const ranges = ends.map((end, i) => range(text, i === 0 ? 0 : ends[i - 1], end));
    return brief(citedBlocks(text, ranges, lex));
  };

  test("bytes become units of strings", () => {
    const text = "aé€😀مرحبا\r\nz";
    const at = [...text].reduce((list, c) => [...list, [list.at(-1)[0] + bytes(c), list.at(-1)[1] + c.length]], [[0, 0]]);
    assert.deepEqual(toUTF16(text, at.map(([byte]) => byte)), at.map(([, unit]) => unit));
    assert.deepEqual(toUTF16(text, [2, 9, 999, 0]), [2, 5, text.length, 0]);
  });

  const places = {
    "after a sentence": ["One. Two.", [4, 9], `paragraph("One." ^0 " " "Two." ^1)`],
    "after bold": ["**One.** Two.", [8], `paragraph(strong("One.") ^0 " Two.")`],
    "between emphasis": ["_One._ _Two._", [6, 13], `paragraph(em("One.") ^0 " " em("Two.") ^1)`],
    "with emoji and Arabic": ["😀 جيد. تمام.", [7, 13], `paragraph("😀 جيد." ^0 " " "تمام." ^1)`],
    "after CRLF": ["One.\r\nTwo.\r\n\r\nThree.", [10, 20], `paragraph("One.\\nTwo." ^0) paragraph("Three." ^1)`],
    "in items": ["- One.\n- Two.", [6, 13], `list(paragraph("One." ^0), paragraph("Two." ^1))`],
    "behind a fence": ["```\ncode\n```", [12], `fence("code") paragraph(^0)`],
    "behind code in a fence": ["```\nco de\n```\n\nEnd.", [6], `fence("co de") paragraph(^0) paragraph("End.")`],
    "behind a rule": ["One.\n\n---", [9], `paragraph("One.") rule paragraph(^0)`],
    "behind a link": ["[a](http://x.example/y) z", [15], `paragraph(link<http://x.example/y>("a") " z" ^0)`],
    "in a table": ["|a|b|\n|-|-|\n|1|2|", [17], `table("a"|"b"/"1"|"2") paragraph(^0)`],
    "in a heading": ["# One\n\nTwo.", [5, 11], `h3("One" ^0) paragraph("Two." ^1)`],
    "twice in a place": ["One.", [4, 4], `paragraph("One." ^0 ^1)`],
  };
  for (const [name, [text, ends, want]] of Object.entries(places)) {
    test(name, () => assert.equal(cited(text, ...ends).replace(/"" ?/g, ""), want));
  }

  test("texts know what they rest on", () => {
    const [{ children }] = citedBlocks("One **two**. Three.", [{ answerStart: 0, answerEnd: 12 }], lex);
    assert.deepEqual(children[0].of, [0]);
    assert.deepEqual(children[1].children[0].of, [0]);
    assert.deepEqual(children.at(-1).of, []);
  });

  test("no citation is lost and no text changes, wherever they fall", () => {
    for (const source of [...makeTexts(120), ...Object.keys(rows)]) {
      const text = source.replaceAll("\u00a0", " ");
      const end = bytes(text);
      const ranges = [0, 1, 2, 3, 4].map((i) => ({ answerStart: Math.floor((end * i) / 6), answerEnd: Math.floor((end * (i + 2)) / 6) }));
      const found = citedBlocks(text, ranges, lex);
      assert.deepEqual(citedBlocks(text, ranges, lex, undefined, grow(text).tokens()), found, JSON.stringify(text));
      const marks = [...JSON.stringify(found).matchAll(/"kind":"cite","index":(\d)/g)].map(([, i]) => Number(i));
      assert.deepEqual(marks.sort(), [0, 1, 2, 3, 4], JSON.stringify(text));
      assert.doesNotMatch(JSON.stringify(found), /[\ue000-\uefff]/);
      const words = (list) => brief(list).replace(/\^\d|"|\s+/g, "").replaceAll("paragraph()", "");
      assert.equal(words(found), words(convert(text.replace(/\r\n?/g, "\n"))), JSON.stringify(text));
    }
  });

  test("of a text that was shown already, only what holds one is lexed and drawn again", () => {
    const paragraph = "Some words about the **returns** of shoes, with a `code` and more.\n\n";
    const text = paragraph.repeat(300);
    const grown = grow(text);
    const before = grown.all();
    const ranges = [range(text, 0, 66), range(text, 68 * 200, 68 * 200 + 66)];
    let lexed = 0;
    citedBlocks(text, ranges, (part) => ((lexed += part.length), lex(part)), undefined, grown.tokens());
    assert.ok(lexed < 3 * paragraph.length, `${lexed} characters were lexed`);
    const shown = citeBlocks(grown, text, ranges);
    assert.deepEqual(shown, citedBlocks(text, ranges, lex));
    assert.deepEqual(shown.flatMap((block, i) => (block === before[i] ? [] : [i])), [0, 200]);
  });

  test("characters that stand for marks are not believed", () => {
    const text = "a\ue000b\ufeff\ue801\ufeffc";
    assert.equal(brief(convert(text.replace(/\ufeff?[\ue000-\uefff]\ufeff?/g, ""))), `paragraph("abc")`);
    const blocks = new Blocks(lex);
    blocks.append(text);
    assert.equal(brief(blocks.all()), `paragraph("abc")`);
    assert.equal(brief(citedBlocks(text, [], lex)), `paragraph("abc")`);
    assert.equal(textOf([{ kind: "text", text: "x", of: [] }]), "x");
  });
});
