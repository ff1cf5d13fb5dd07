// Patterns of forms match as the browser's own engine does, but for the time that they may take.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { launch, patience, skip } from "./browser.js";
import { openKit, startKit } from "./kit.js";

const patterns = [
  "^[A-Z]{2}\\d{4,6}$",
  "^\\+?[0-9 ()-]{7,}$",
  "^[\\w-\\.]+@([\\w-]+\\.)+[\\w-]{2,4}$",
  "^(?:\\d{3}|\\d{5})(?:-\\d{2})?$",
  "a|b|",
  "^$",
  "[]",
  "[^]",
  "colou?r",
  "^(?=.*\\d)(?=.*[a-z])(?!.*\\s).{4,}$",
  "(?<=\\$)\\d+",
  "(?<!a)b$",
  "\\bcat\\b",
  "\\Bx",
  "^\\p{L}+$",
  "^[\\u{1F600}-\\u{1F64F}]$",
  "^.$",
  "^..$",
  "\\u00e9",
  "\\x41\\t?",
  "a{,2}",
  "x{2}?y",
  "^(a*)*b$",
  "^(a|aa)+$",
  "(?<year>\\d{4})",
  "^[^@\\s]+$",
  "\\d+?$",
  "^(|a)+$",
  "[\\]x]",
  "\\/\\-",
  "^\\cJ$",
  "}{",
  "^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$",
  "(?:)",
  "\\s+$",
  "^[a-z&&b]$",
];
const texts = [
  "",
  "a",
  "b",
  "ab",
  "aab",
  "aaaa",
  "AB1234",
  "AB12",
  "+49 30 123456",
  "x.y@example.co",
  "x@y",
  "123",
  "12345-67",
  "color",
  "colour",
  "pass1word",
  "a b1",
  "$12",
  "12",
  "ab$",
  "a cat sat",
  "concat",
  "xx",
  "xxy",
  "Äpfel",
  "😀",
  "😀a",
  "é",
  "A\t",
  "a{,2}",
  "2024",
  "no spaces",
  "ends ",
  "]",
  "/-",
  "\n",
  "}{",
  "192.168.0.1",
  "256.1.1.1",
  "&",
  "🇩🇪",
  "\ud83d",
];

describe("patterns", { skip }, () => {
  let kit, browser, page;
  before(async () => {
    [kit, browser] = await Promise.all([startKit(), launch()]);
    page = await openKit(browser, kit);
  });
  after(async () => {
    await browser?.close();
    kit?.stop();
  });

  test("a pattern matches what the browser's engine matches", async () => {
    const different = await page.evaluate(
      ([patterns, texts]) => {
        const native = (source) => {
          try {
            return new RegExp(source, "u");
          } catch {
            return new RegExp(source);
          }
        };
        return patterns.flatMap((source) => {
          const [ours, theirs] = [kit.compilePattern(source), native(source)];
          return texts
            .filter((text) => ours.test(text) !== theirs.test(text))
            .map((text) => `${source} on ${JSON.stringify(text)}: ${theirs.test(text)}`);
        });
      },
      [patterns, texts],
    );
    assert.deepEqual(different, []);
  });

  test("every pattern ends, whatever the text", async () => {
    const evil = [
      "^(a+)+$",
      "^(a|a)*$",
      "^(a|aa)+$",
      "(a*)*b",
      "^(([a-z])+.)+[A-Z]([a-z])+$",
      "(.*)(.*)(.*)(.*)(.*)x$",
      "^(?=(a+)+$)b",
      "(?:a?){500}a{500}x",
      "(?=(?:a|a)*b)a*(?=(?:a|a)*b)x",
      "(?<=(a+)+)b",
    ];
    for (const source of evil) {
      const ended = page.evaluate((source) => kit.compilePattern(source).test(`${"a".repeat(100_000)}!`), source);
      const late = setTimeout(patience, "late", { ref: false }); // the engine of a browser takes years for some of them
      assert.equal(typeof (await Promise.race([ended, late])), "boolean", source);
    }
  });

  test("what cannot be checked in a bounded time is refused at once", async () => {
    const sources = [
      "(a)\\1",
      "(?<x>a)\\k<x>",
      "(?:(?:a{1000}){1000}){1000}",
      "(?:(?:){99999}){99999}",
      "a{99999999}",
      "(",
      "[",
      "*",
      "a".repeat(1001),
      "(?<a",
    ];
    const reasons = await page.evaluate(
      (list) =>
        list.map((source) => {
          try {
            kit.compilePattern(source);
            return "";
          } catch (error) {
            return error.message;
          }
        }),
      sources,
    );
    reasons.forEach((reason, i) => assert.match(reason, /^it /, sources[i]));
  });
});
