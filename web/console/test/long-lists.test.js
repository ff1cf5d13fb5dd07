// Lists of ten thousand: what is drawn is what is seen, and readers of the screen are told how much there is.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";
import { sources } from "./source-answers.js";

const total = 10_000;
const most = 60; // rows that may be drawn on a screen of 800 pixels
const path = `/agents/${agents[0].id}/sources`;
const [site, text] = [sources[0], sources[5]];

const makers = {
  [`/v1${path}`]: (i) => ({ ...text, sourceId: `source-${i}`, name: `Source ${i + 1}` }),
  [`/v1${path}/${site.sourceId}/pages`]: (i) => {
    return { url: `https://shop.example/${String(i + 1).padStart(5, "0")}`, state: "included", passages: 3, bytes: 1, readAt: null };
  },
  [`/v1${path}/${text.sourceId}/passages`]: (i) => {
    return { passageId: `passage-${i}`, number: i + 1, start: 0, end: 1, text: `Goods ${i + 1} `.repeat(5 + (i % 40)) };
  },
};

/** Answers lists in the parts that are asked for. */
function long(answer) {
  const both = (asked) => {
    const make = makers[asked.path];
    if (!make || asked.method !== "GET") return answer(asked);
    const start = Number(asked.query.get("cursor") ?? 0);
    const end = start + Number(asked.query.get("limit"));
    const data = Array.from({ length: end - start }, (_, i) => make(start + i));
    return [200, { data, pagination: { cursor: String(end), hasMore: end < total, total } }];
  };
  return Object.assign(both, answer);
}

describe("long lists", { skip }, () => {
  const open = useSamePages();
  const numbers = (place) =>
    place.getByRole("row").evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("aria-rowindex"))));

  for (const [name, address, first, isTable] of [
    ["sources", path, "Source 1", true],
    ["pages of a website", `${path}/${site.sourceId}`, "https://shop.example/00001", false],
    ["passages of a source", `${path}/${text.sourceId}?tab=passages`, "Goods 1", false],
  ]) {
    test(name, async () => {
      await open(long(answers()), address, async (page) => {
        page.setDefaultTimeout(60_000);
        const place = isTable ? page.locator("main") : page.getByRole("dialog");
        const grid = place.getByRole("grid");
        await grid.getByText(first).first().waitFor();
        assert.equal(Number(await grid.getAttribute("aria-rowcount")), isTable ? total + 1 : total);
        const began = await numbers(grid);
        assert.ok(began.length <= most, `${began.length} rows`);
        assert.equal(Math.min(...began), 1);
        for (const last of [50, 100]) {
          // The end moves while heights that were guessed are seen.
          let shown = [];
          for (let i = 0; i < 200 && !(Math.max(...shown) > last + 1); i++) {
            await place.getByRole("button", { name: "Show more" }).scrollIntoViewIfNeeded();
            shown = await numbers(grid);
          }
          assert.ok(Math.max(...shown) > last + 1, `${Math.max(...shown)} is the last of those that are drawn`);
          assert.ok(shown.length <= most + 2, `${shown.length} rows after ${last}`);
          assert.equal(new Set(shown).size, shown.length);
        }
        assert.equal(Number(await grid.getAttribute("aria-rowcount")), isTable ? total + 1 : total);
      });
    });
  }
});
