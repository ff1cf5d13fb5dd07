// A customer asks what no source answers: the figures count it, the question is answered on the screen itself, and the
// customer is among the people. In the browser and against the real program.
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip, untilNothing } from "./browser.js";
import { signUp, startServer } from "./server.js";

const question = "Do you ship parcels to Norway?";
const pause = 100; // milliseconds between two looks at what nobody tells of

describe("insights and people, with the real program", { skip }, () => {
  let browser, server, person, agent;
  const until = async (path, isThere) => {
    let reply;
    const isMissing = async () => {
      reply = await person.call("GET", path);
      return !isThere(reply) && wait(pause, true);
    };
    assert.equal(await untilNothing(isMissing), null, path);
    return reply;
  };
  before(async () => {
    server = await startServer({ env: { PARLEY_INSIGHT_WAIT: "100ms" } });
    [browser, person] = await Promise.all([launch(), signUp(server)]);
    agent = (await person.call("POST", "/v2/agents", { name: "Help desk" })).id;
    const content = "Goods may be sent back within thirty days. The label is in the parcel. Nobody pays for it.";
    await person.call("POST", `/v2/agents/${agent}/sources`, { type: "text", name: "Returns", content });
    await until(`/v2/agents/${agent}`, ({ status }) => status === "trained");
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("a figure leads to what was said, a question is answered, a customer is found", async () => {
    await person.call("POST", `/v2/agents/${agent}/chat`, { message: question, userId: "4711", stream: false });
    await until(`/v2/agents/${agent}/insights`, ({ data }) => data.totals.conversations === 1);
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);

    await page.goto(`${server.url}/agents/${agent}/insights`);
    await page.getByRole("link", { name: "Show those that were not: Resolved" }).click();
    await page.getByRole("main").getByRole("listitem").getByRole("link").first().click();
    await page.getByText(question).first().waitFor();

    await page.goto(`${server.url}/agents/${agent}/insights/questions`);
    await page.getByRole("button", { name: "Write an answer" }).click();
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.locator("[name=questions]").inputValue(), question);
    await dialog.locator("[name=answer]").fill("Yes, to all of Norway.");
    await dialog.locator("button[type=submit]").click();
    await dialog.waitFor({ state: "detached" });
    const { data } = await person.call("GET", `/v1/agents/${agent}/sources?types=qna`);
    assert.deepEqual(data.map(({ name }) => name), [question]);

    await person.call("POST", `/v1/agents/${agent}/tickets`, { subject: "Order 4711", description: "Late.", email: "one@example.com", name: "Customer 1" });
    await page.goto(`${server.url}/agents/${agent}/people`);
    await page.getByRole("searchbox").fill("ONE@EX");
    await page.getByRole("link", { name: "Customer 1" }).click();
    await page.getByText("Order 4711").waitFor();

    await page.goto(`${server.url}/agents/${agent}/people/leads`);
    await page.getByText("No leads yet").waitFor();
    await page.goto(`${server.url}/agents/${agent}/voice`);
    await page.getByText("No voice sessions yet").waitFor();
    assert.deepEqual([await page.reports(), page.problems], [[], []]);
  });
});
