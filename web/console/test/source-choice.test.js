// Choosing many sources, and the head of their list.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";
import { sources } from "./source-answers.js";

const path = `/agents/${agents[0].id}/sources`;
const total = 120;
const locales = ["en", "de", "fr", "es", "pt-BR", "ja", "ar"];

/** Answers with many sources in the parts that are asked for; what is deleted is gone. */
function many(change = () => undefined) {
  const answer = answers();
  const list = Array.from({ length: total }, (_, i) => ({ ...sources[5], sourceId: `source-${i}`, name: `Text ${i + 1}` }));
  const deleted = [];
  const both = (asked) => {
    const reply = change(asked, list);
    if (reply) return reply;
    const { method, path: at, query } = asked;
    if (method === "DELETE") return deleted.push(at.slice(at.lastIndexOf("/") + 1)), [200, {}];
    if (at !== `/v1${path}`) return answer(asked);
    const start = list.findIndex(({ sourceId }) => sourceId === query.get("cursor")) + 1;
    const data = list.slice(start, start + Number(query.get("limit")));
    const hasMore = start + data.length < list.length;
    return [200, { data, pagination: { cursor: data.at(-1).sourceId, hasMore, total: list.length } }];
  };
  return Object.assign(both, answer, { list, deleted });
}

describe("choosing sources", { skip }, () => {
  const open = useSamePages();
  const bulk = (page, count) => page.getByRole("region", { name: `${count} chosen` });
  const chooseShown = async (page) => {
    await page.getByRole("row", { name: "Text 1", exact: false }).first().waitFor();
    await page.getByRole("checkbox").first().check({ force: true });
    await bulk(page, 50).waitFor();
  };
  const remove = async (page, count) => {
    await bulk(page, count).getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("alertdialog", { name: `Delete these ${count} sources?` });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  // The end of a list is read when it is near: it stays away while nothing is scrolled.
  const options = { viewport: { width: 1280, height: 600 } };

  test("all that are shown are chosen, and none that is read or added later", async () => {
    const answer = many();
    const use = async (page) => {
      await chooseShown(page);
      answer.list.unshift({ ...sources[5], sourceId: "late", name: "Late" });
      const isRead = page.waitForResponse(/cursor=source-49/);
      await page.getByRole("button", { name: "Show more" }).scrollIntoViewIfNeeded();
      await isRead;
      await page.locator("[role=row][aria-rowindex='53']").waitFor({ state: "attached" });
      await remove(page, 50);
      const wanted = Array.from({ length: 50 }, (_, i) => `source-${i}`);
      assert.deepEqual(answer.deleted.sort(), wanted.sort());
    };
    await open(answer, path, use, options);
  });

  test("all of the list are chosen where somebody says so, also when the server wants them slower", async () => {
    let isRefused = false;
    const answer = many(({ method }) => {
      if (method !== "DELETE" || isRefused) return undefined;
      isRefused = true;
      return [429, { error: { code: "RATE_LIMIT_TOO_MANY_REQUESTS", message: "Slower." } }, { "Retry-After": "1" }];
    });
    const use = async (page) => {
      await chooseShown(page);
      await page.getByRole("button", { name: "Choose all 120" }).click();
      await bulk(page, 120).waitFor();
      assert.equal(await page.getByRole("button", { name: "Choose all 120" }).count(), 0);
      answer.list.unshift({ ...sources[5], sourceId: "late", name: "Late" });
      await remove(page, 120);
      assert.deepEqual([answer.deleted.length, new Set(answer.deleted).size, answer.deleted.includes("late")], [120, 120, false]);
    };
    await open(answer, path, use, options);
  });

  test("another filter begins with nothing chosen", async () => {
    const use = async (page) => {
      await chooseShown(page);
      await page.getByRole("searchbox").fill("Text 1");
      await page.waitForURL(/name=/);
      await bulk(page, 50).waitFor({ state: "detached" });
    };
    await open(many(), path, use, options);
  });

  test("a source that somebody else has deleted meanwhile is gone as well", async () => {
    const gone = [404, { error: { code: "SOURCE_NOT_FOUND", message: "No such source." } }];
    const answer = many(({ method, path: at }) => (method === "DELETE" && at.endsWith("/source-3") ? gone : undefined));
    const use = async (page) => {
      await chooseShown(page);
      await remove(page, 50);
      assert.equal(answer.deleted.length, 49);
    };
    await open(answer, path, use, options);
  });

  for (const locale of locales) {
    test(`no head of the list is cut: ${locale}`, async () => {
      const use = async (page) => {
        await page.getByRole("row").nth(2).waitFor();
        const heads = page.getByRole("columnheader");
        await page.waitForFunction(() => {
          const [head, row] = [document.querySelector("[role=columnheader]"), document.querySelectorAll("[role=row]")[1]];
          return head && row && head.getBoundingClientRect().bottom <= row.getBoundingClientRect().top + 1;
        });
        const cut = await heads.evaluateAll((all) =>
          all.filter((e) => e.innerText.trim() && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight)).map((e) => e.innerText),
        );
        assert.deepEqual(cut, []);
      };
      await open(answers(), path, use, { locale });
    });
  }
});

describe("the place for files", { skip }, () => {
  const open = useSamePages();

  test("its button has a name in the person's language", async () => {
    const use = async (page) => {
      await page.getByRole("button", { name: "Dateien hierher ziehen", exact: true }).waitFor({ state: "attached" });
    };
    await open(answers(), `${path}?add=files`, use, { locale: "de" });
  });
});
