// Ratings of answers: what was wrong with a bad one can be said, and is sent with the rating.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findings } from "./axe.js";
import { launch, newPage, skip } from "./browser.js";
import * as A from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";

describe("ratings", { skip }, () => {
  let server, browser, page;
  before(async () => {
    [server, browser] = await Promise.all([serveFrames(), launch()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  const rated = async (routes, use) => {
    server.config = A.config();
    server.answer = A.answers(routes);
    server.asked.length = 0;
    page = await newPage(browser, [server.host("127.0.0.1")], { viewport: { width: 448, height: 704 }, locale: "en" });
    try {
      await page.addInitScript((kept) => Object.entries(kept).forEach(([name, value]) => localStorage.setItem(name, value)), A.kept());
      await page.goto(`${server.at("127.0.0.1")}/chatbot-iframe/${A.agentId}`);
      await page.getByRole("button", { name: "Bad answer" }).click();
      await use(page.getByRole("textbox", { name: "What was wrong?" }));
    } finally {
      await page.context().close();
    }
  };
  const sent = () => server.asked.filter(({ path }) => path.endsWith("/feedback")).map(({ body }) => body);
  const send = () => page.locator("form:not(:has(> textarea))").getByRole("button", { name: "Send" }).click();

  test("what was wrong is asked for after a bad rating, and sent with it", async () => {
    await rated({}, async (field) => {
      await field.fill("The link is dead.");
      assert.deepEqual(await findings(page), []);
      await send();
      await page.getByText("Thank you for telling us.").waitFor();
      const [first, second] = sent();
      assert.equal(first.feedback, "negative");
      assert.equal("comment" in first, false);
      assert.deepEqual(second, { ...first, comment: "The link is dead." });
      assert.deepEqual(page.problems, []);
    });
  });

  test("it may be left out, and is not asked for once the rating is taken back", async () => {
    await rated({}, async (field) => {
      await field.waitFor();
      await page.getByRole("button", { name: "Not now" }).click();
      await field.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Bad answer" }).click(); // takes it back
      await page.locator("button[aria-pressed=true]").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Good answer" }).click();
      await page.locator("button[aria-pressed=true]").waitFor();
      assert.equal(await field.count(), 0);
    });
  });

  test("a comment that could not be sent stays, and so does the rating", async () => {
    const rate = ({ body }) => (body.comment ? A.refusal(500, "INTERNAL_SERVER_ERROR", "No.") : [200, { data: {} }]);
    const routes = { "PATCH /messages/{id}/feedback": rate };
    await rated(routes, async (field) => {
      await field.fill("The link is dead.");
      await send();
      await page.getByText("Error submitting form").waitFor();
      assert.equal(await field.inputValue(), "The link is dead.");
      assert.equal(await page.getByRole("button", { name: "Bad answer" }).getAttribute("aria-pressed"), "true");
    });
  });
});
