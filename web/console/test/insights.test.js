// The insights of an agent: figures with the conversations behind them, questions without an answer, topics.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runnerImport } from "vite";
import { agents, answers } from "./answers.js";
import { skip } from "./browser.js";
import { conversation, topics } from "./insight-answers.js";
import { useSamePages } from "./setup.js";

const path = `/agents/${agents[0].id}/insights`;
const settings = `/v1/agents/${agents[0].id}/settings`;
const asked = (answer, end) => answer.state.asked.filter((one) => one.path.endsWith(end));
const withTopics = (more = {}) => answers({ state: { insights: { topics } }, ...more });

describe("insights", { skip }, () => {
  const open = useSamePages();

  test("a figure leads to the conversations behind it, and each of them to what was said", async () => {
    const answer = withTopics();
    await open(answer, path, async (page) => {
      await page.getByRole("link", { name: "Show the conversations: Handed to a person" }).click();
      await page.getByRole("link", { name: "A parcel that is late" }).click();
      await page.getByText("It left our warehouse on Monday.").waitFor();
      const { query } = asked(answer, "/inbox/search").at(-1);
      assert.equal(query.get("escalated"), "true");
      const days = (Date.parse(query.get("endDate")) - Date.parse(query.get("startDate"))) / 86_400_000;
      assert.equal(days, 29);
      assert.ok(page.url().includes(`/insights/conversations/${conversation}?`));
      await page.getByRole("link", { name: "All of these conversations" }).click();
      await page.getByRole("link", { name: "Without a title" }).waitFor();
    });
  });

  test("the bars are reached by one Tab and by the arrow keys, and each leads to its days", async () => {
    const answer = withTopics();
    await open(answer, path, async (page) => {
      const days = page.getByRole("list", { name: "Conversations by day" }).getByRole("link");
      await days.last().waitFor();
      assert.equal(await days.evaluateAll((all) => all.filter(({ tabIndex }) => tabIndex === 0).length), 1);
      await days.last().focus();
      await page.keyboard.press("ArrowLeft");
      const label = await days.nth(-2).getAttribute("aria-label");
      assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), label);
      await page.locator("figcaption", { hasText: label }).waitFor();
      await page.keyboard.press("Home");
      assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), await days.first().getAttribute("aria-label"));
      const weeks = page.getByRole("list", { name: "How customers felt, by week" }).getByRole("link");
      await weeks.first().waitFor();
      assert.match(await weeks.nth(1).getAttribute("aria-label"), /^Nov 9.*15: Positive 1, Neutral 1, Negative 3$/);
      await weeks.nth(1).click();
      await page.getByRole("link", { name: "A parcel that is late" }).waitFor();
      const { query } = asked(answer, "/inbox/search").at(-1);
      assert.deepEqual(["startDate", "endDate"].map((one) => query.get(one)), ["2026-11-09", "2026-11-15"]);
    });
  });

  test("a share leads to what it counts and to what it does not", async () => {
    const answer = withTopics();
    await open(answer, `${path}?days=7`, async (page) => {
      await page.getByRole("link", { name: "Show those that were not: Resolved" }).click();
      await page.getByRole("link", { name: "A parcel that is late" }).waitFor();
      await page.getByText("not resolved", { exact: true }).waitFor();
      const { query } = asked(answer, "/insights/conversations").at(-1);
      assert.equal(query.get("figure"), "unresolved");
      assert.equal(Date.parse(query.get("to")) - Date.parse(query.get("from")), 6 * 86_400_000);
    });
  });

  test("how soon the answers began is a figure, beside that of the time before", async () => {
    const answer = withTopics();
    let first; // the period is asked for before the time before it
    answer.state.firstText = (from) => ({ millis: from === (first ??= from) ? 410 : 910, answers: 12 });
    await open(answer, `${path}?days=7`, async (page) => {
      const figure = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "First word" }) });
      await figure.getByText("0.41 sec", { exact: true }).waitFor();
      await figure.getByText("-0.5 sec (before: 0.91 sec)").waitFor();
      answer.state.firstText = () => ({ millis: null, answers: 0 });
      await page.reload();
      await figure.getByText("–", { exact: true }).waitFor();
    });
  });

  test("the period is in the address, and what is compared is the time before", async () => {
    const answer = withTopics();
    await open(answer, `${path}?days=7`, async (page) => {
      await page.getByRole("heading", { name: "Conversations by day" }).waitFor();
      const spans = asked(answer, "/insights").map(({ query }) => [query.get("from"), query.get("to")].map(Date.parse));
      for (const [from, to] of spans) assert.equal(to - from, 6 * 86_400_000);
      const [last, former] = [...new Set(spans.map(([, to]) => to))].sort((a, b) => b - a);
      assert.equal(last - former, 7 * 86_400_000);
    });
  });

  test("figures are saved as a table in which nothing is a formula", async () => {
    const answer = answers({ state: { insights: { topics: [{ ...topics[0], name: "=1+1" }] } } });
    await open(answer, path, async (page) => {
      const file = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export (CSV)" }).click();
      const stream = await (await file).createReadStream();
      const text = (await stream.toArray()).join("");
      assert.match(text, /^group,name,conversations,/);
      assert.match(text, /\r\ntopic,'=1\+1,20,/);
      assert.match(text, /\r\nchannel,Widget or Iframe,12,/);
    });
  });

  test("a question leads to the conversations in which it was asked", async () => {
    const answer = withTopics();
    await open(answer, `${path}/questions`, async (page) => {
      await page.getByRole("link", { name: "Show the conversations: Do you ship to Norway?" }).click();
      await page.getByRole("link", { name: "A parcel that is late" }).waitFor();
      await page.getByText("in which the question was asked").waitFor();
      const { query } = asked(answer, "/insights/conversations").at(-1);
      assert.deepEqual([query.get("figure"), query.get("askedAt")], ["question", "1795200000"]);
    });
  });

  test("a question is answered on the screen itself", async () => {
    await open(withTopics(), `${path}/questions`, async (page) => {
      await page.getByRole("listitem").filter({ hasText: "Do you ship to Norway?" }).getByRole("button", { name: "Write an answer" }).click();
      assert.equal(await page.getByRole("dialog").getByLabel("Questions").inputValue(), "Do you ship to Norway?");
    });
  });

  test("a topic is merged into another with keys, and saved as a whole", async () => {
    const answer = withTopics({ fail: { [`PATCH ${settings}`]: [200, { version: 8, settings: { topics: [] } }] } });
    await open(answer, `${path}/topics`, async (page) => {
      await page.getByRole("button", { name: "More: Delays" }).press("Enter");
      await page.getByRole("menuitem", { name: "Merge into another" }).press("Enter");
      await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
      await page.getByText("1 change").waitFor();
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      const { body } = asked(answer, "/settings").find(({ method }) => method === "PATCH");
      assert.deepEqual(body, {
        baseVersion: 7,
        settings: { topics: [{ name: "Delivery", keywords: ["parcel", "shipping", "Delays"], examples: ["Where is my order?"] }] },
      });
    });
  });

  test("earlier conversations are sorted again, step by step", async () => {
    const answer = withTopics();
    await open(answer, `${path}/topics`, async (page) => {
      await page.getByRole("button", { name: "Sort again" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Sort again" }).click();
      await page.getByText("Done: 200 conversations.").waitFor();
      assert.deepEqual(asked(answer, "/rebuild").map(({ body }) => body.at.judged), [0, 0, 100]);
    });
  });
});

describe("the tree of topics", () => {
  let tree;
  before(async () => {
    tree = (await runnerImport(join(import.meta.dirname, "../src/pages/insights/tree.ts"))).module;
  });
  const list = () => [{ name: "A", topics: [{ name: "A1" }, { name: "A2" }] }, { name: "B", keywords: ["b"] }, { name: "C" }];

  test("topics are renamed, removed and put in another order", () => {
    assert.equal(tree.renameTopic(list(), [0, 1], "Z")[0].topics[1].name, "Z");
    assert.deepEqual(tree.removeTopic(list(), [0]).map(({ name }) => name), ["B", "C"]);
    assert.equal("topics" in tree.removeTopic(tree.removeTopic(list(), [0, 1]), [0, 0])[0], false);
    assert.deepEqual(tree.shiftTopic(list(), [1], -1).map(({ name }) => name), ["B", "A", "C"]);
    assert.deepEqual(tree.shiftTopic(list(), [2], 1), list());
  });

  test("a topic is moved below another one, and out again", () => {
    const below = tree.moveTopic(list(), [1], [2]);
    assert.deepEqual(below.slice(1), [{ name: "C", topics: [{ name: "B", keywords: ["b"] }] }]);
    assert.deepEqual(tree.moveTopic(below, [1, 0], null).at(-1), { name: "B", keywords: ["b"] });
  });

  test("merging keeps what the topic had, and its name", () => {
    const merged = tree.mergeTopic(list(), [1], [2]);
    assert.deepEqual(merged.at(-1), { name: "C", keywords: ["B", "b"] });
    const placed = tree.listTopics(list());
    assert.deepEqual(tree.mergeTargets(list(), placed[0]).map(({ topic }) => topic.name), ["B", "C"]);
    assert.deepEqual(tree.placesAbove(list(), placed[0]), []);
  });
});
