// The examples of CommonMark and GFM: Markdown in answers means what they say, but for the differences that are listed
// with their reasons in data/commonmark-differences.json. And every kind of token that the lexer knows.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { Lexer } from "marked";
import { runnerImport } from "vite";
import { base, collapse, promised, writeBlocks } from "./commonmark.js";

const read = (name) => JSON.parse(readFileSync(join(import.meta.dirname, "data", name), "utf8"));
const examples = read("commonmark.json");
const differences = read("commonmark-differences.json");

let lex, Converter, Blocks;
before(async () => {
  const load = async (path) => (await runnerImport(join(import.meta.dirname, path))).module;
  ({ lex } = await load("../src/components/markdown/lexer.ts"));
  ({ Converter } = await load("../../shared/markdown/nodes.ts"));
  ({ Blocks } = await load("../../shared/markdown/blocks.ts"));
});

const convert = (text) => new Converter(base).blocks(lex(text));
const blockKinds = ["paragraph", "heading", "fence", "quote", "list", "table", "rule", "raw"];
const inlineKinds = ["text", "strong", "em", "del", "code", "break", "link", "image"];

/** All nodes of a tree. */
const walk = (nodes) =>
  nodes.flatMap((node) => {
    const { children = [], items = [], header = [], rows = [] } = node;
    return [node, ...walk([...children, ...items.flatMap((item) => item.children), ...header.flat(), ...rows.flat(2)])];
  });

describe("examples of the specifications", () => {
  test("those of CommonMark 0.31.2, and of the extensions of GFM", () => {
    assert.deepEqual(["CommonMark", "GFM"].map((name) => examples.filter(([example]) => example.startsWith(name)).length), [652, 28]);
  });

  test("come to what they say, and only those that are listed do not", () => {
    const differing = examples.filter(([, , markdown, html]) => {
      const [found, want] = [writeBlocks(convert(markdown)), promised(html)].map(collapse);
      return found !== want;
    });
    assert.deepEqual(differing.map(([name]) => name).sort(), Object.values(differences).flat().sort());
  });

  test("become nodes of the closed table, with addresses of the allowed schemes", () => {
    for (const [name, , markdown] of examples) {
      for (const { kind, address } of walk(convert(markdown))) {
        assert.ok(blockKinds.includes(kind) || inlineKinds.includes(kind), `${name}: ${kind}`);
        if (address) assert.match(new URL(address.href).protocol, /^(https?|mailto|tel):$/, name);
      }
    }
  });

  test("lose no word where HTML is text", () => {
    const names = new Set(differences["HTML is shown as the text that it is"]);
    for (const [name, , markdown] of examples.filter(([name]) => names.has(name))) {
      const shown = JSON.stringify(walk(convert(markdown)));
      for (const [tag] of markdown.matchAll(/<\/?[a-z][\w-]*(?=[\s/>])/gi)) assert.ok(shown.includes(tag), `${name}: ${tag}`);
    }
  });

  test("are the same when they come letter by letter", () => {
    for (const [name, , markdown] of examples) {
      const blocks = new Blocks(lex);
      for (const letter of markdown) blocks.append(letter);
      assert.deepEqual(blocks.all(), new Converter().blocks(lex(markdown)), name);
    }
  });
});

/** A text for each kind of token of marked, and what the token becomes; null is nothing. */
const tokens = {
  space: ["a\n\n\n\nb", null],
  code: ["    x", "fence"],
  heading: ["# x", "heading"],
  hr: ["---", "rule"],
  blockquote: ["> x", "quote"],
  list: ["- x", "list"],
  list_item: ["1. x", "list"],
  checkbox: ["- [x] done", "list"],
  table: ["|a|\n|-|\n|b|", "table"],
  html: ["<div>x</div>", "raw"],
  def: ["[x]: http://shop.example", "paragraph"],
  paragraph: ["x", "paragraph"],
  text: ["x", "text"],
  escape: ["\\*", "text"],
  link: ["[x](http://shop.example)", "link"],
  image: ["![x](http://shop.example/p.png)", "image"],
  strong: ["**x**", "strong"],
  em: ["*x*", "em"],
  codespan: ["`x`", "code"],
  br: ["a  \nb", "break"],
  del: ["~~x~~", "del"],
};

describe("every kind of token", () => {
  const typesOf = (list) =>
    list.flatMap((token) => {
      const { tokens = [], items = [], header = [], rows = [] } = token;
      const cells = [...header, ...rows.flat()].flatMap((cell) => cell.tokens);
      return [token.type, ...typesOf([...tokens, ...items, ...cells])];
    });

  for (const [type, [text, kind]] of Object.entries(tokens)) {
    test(type, () => {
      assert.ok(typesOf(new Lexer({ gfm: true }).lex(text)).includes(type), "the lexer does not make it of this");
      const kinds = walk(convert(text)).map((node) => node.kind);
      if (kind) assert.ok(kinds.includes(kind), kinds.join());
    });
  }

  test("there is none that is not listed", () => {
    const known = Object.keys(tokens);
    const found = new Set(examples.flatMap(([, , markdown]) => typesOf(new Lexer({ gfm: true }).lex(markdown))));
    assert.deepEqual([...found].filter((type) => !known.includes(type)), []);
  });
});
