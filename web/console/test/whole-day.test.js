// A whole day: a customer asks what no source answers and wishes for a person; somebody who looks elsewhere is told, takes
// over, answers with a file, has the answer kept and gives the conversation back; the agent answers with it, the ticket is closed, and
// the figures count one conversation. In two browsers' pages, against the real program.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip, untilNothing } from "./browser.js";
import { owner, signUp, startServer } from "./server.js";

const question = "Do you ship parcels to Norway?";
const reply = "Yes, we ship parcels to Norway for nine euros.";

/** Has a page seem to be one that nobody looks at, until `window.look` is called. */
function leave() {
  let isAway = true;
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (isAway ? "hidden" : "visible") });
  window.look = () => {
    isAway = false;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  document.dispatchEvent(new Event("visibilitychange"));
}

describe("a whole day, with the real program", { skip }, () => {
  let browser, server, person, agent, member, customer;
  const until = (path, isThere) =>
    untilNothing(async () => {
      const found = await person.call("GET", path);
      return !isThere(found) && JSON.stringify(found);
    });
  before(async () => {
    server = await startServer({ env: { PARLEY_INSIGHT_WAIT: "100ms" } });
    [browser, person] = await Promise.all([launch(), signUp(server)]);
    agent = (await person.call("POST", "/v2/agents", { name: "Help desk", visibility: "public" })).id;
    const content = "Goods may be sent back within thirty days. The label is in the parcel. Nobody pays for it.";
    await person.call("POST", `/v2/agents/${agent}/sources`, { type: "text", name: "Returns", content });
    assert.equal(await until(`/v2/agents/${agent}`, ({ status }) => status === "trained"), null);
    member = await newPage(browser, server.origin, { locale: "en" });
    await member.context().addCookies([person.cookie]);
    const site = server.origin.replace("localhost", "127.0.0.1");
    customer = await newPage(browser, site, { locale: "en" });
    await customer.goto(`${site}/chatbot-iframe/${agent}`);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const log = () => customer.getByRole("log");
  const answers = () => log().locator("article[data-state=complete]");
  const write = async (text) => {
    const before = await answers().count();
    await customer.getByRole("textbox").fill(text);
    await customer.getByRole("textbox").press("Enter");
    await log().getByText(text, { exact: true }).last().waitFor();
    return before;
  };
  /** Asks the agent, and waits for the question and its answer. */
  const ask = async (text) => {
    const before = await write(text);
    await answers().nth(before + 1).waitFor();
  };
  const said = () => member.getByRole("region", { name: "What was said" });

  test("it is asked, refused, handed over, answered, kept, given back, cited, closed and counted once", async () => {
    await member.goto(`${server.url}/inbox`);
    await member.getByText("live", { exact: true }).waitFor({ state: "attached" });
    await member.evaluate(leave);

    await ask(question);
    await write("I want to talk to a human.");
    await member.waitForFunction(() => document.title.startsWith("(1) ")); // the inbox rings
    await member.evaluate(() => window.look());

    const row = member.getByRole("list", { name: "Conversations" }).getByRole("link");
    await row.filter({ hasText: "Waits for a person" }).click();
    await said().getByText(question).waitFor();
    await member.getByRole("region", { name: "Conversation", exact: true }).getByRole("button", { name: "Take over" }).click();
    await member.getByLabel("Write to the customer").fill(reply);
    await customer.getByText(/is typing/).first().waitFor();
    await member.locator("input[type=file]").setInputFiles({ name: "prices.txt", mimeType: "text/plain", buffer: Buffer.from("To Norway: 9") });
    await member.getByRole("button", { name: "Take prices.txt out" }).waitFor();
    await member.getByRole("button", { name: "Send", exact: true }).and(member.locator(":enabled")).waitFor();
    await member.getByLabel("Write to the customer").press("Control+Enter");
    await log().getByText(reply).waitFor();
    await log().getByRole("link", { name: /prices\.txt/ }).waitFor();
    await log().getByText(`You are now talking to ${owner.name}`).waitFor();
    await write("Thank you!");
    await said().getByText("Thank you!").waitFor();

    await said().getByRole("button", { name: "Turn into a source" }).click();
    const dialog = member.getByRole("dialog");
    assert.equal(await dialog.locator("[name=question]").inputValue(), question);
    assert.equal(await dialog.locator("[name=answer]").inputValue(), reply);
    await dialog.locator("button[type=submit]").click();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    assert.equal(await until(`/v1/agents/${agent}/sources?types=qna`, ({ data }) => data.length === 1 && data[0].status === "trained"), null);

    await member.getByRole("button", { name: "Give back to the agent" }).click();
    await member.getByText("The agent answers in this conversation.").waitFor();
    await log().getByText(`${owner.name} has handed the conversation back to the assistant`).waitFor();
    await ask(question);
    await log().getByText(/nine euros/).nth(1).waitFor();
    await log().getByRole("button", { name: /^Source 1: / }).last().waitFor();
    await said().getByText(/nine euros/).nth(1).waitFor(); // by itself

    await member.goto(`${server.url}/agents/${agent}/tickets?view=done`);
    await member.getByRole("main").getByRole("row").first().waitFor();
    assert.equal(await member.getByRole("main").getByRole("row").count(), 1);

    assert.equal(await until(`/v2/agents/${agent}/insights`, ({ data }) => data.totals.conversations === 1 && data.totals.escalated === 1), null);
    await member.goto(`${server.url}/agents/${agent}/insights`);
    await member.getByRole("link", { name: "Show the conversations: Conversations" }).click();
    await member.getByRole("list", { name: "Conversations behind a figure" }).getByRole("link").click(); // there is one alone
    await member.getByRole("list", { name: "What was said" }).getByText(/nine euros/).nth(1).waitFor();
    const { data } = await person.call("GET", `/v2/agents/${agent}/insights`);
    assert.deepEqual([data.totals.conversations, data.totals.escalated], [1, 1]);
    assert.deepEqual([await member.reports(), member.problems, customer.problems], [[], [], []]);
  });
});
