// A customer asks and wishes for a person; two members take the conversation over at the same time; one of them answers
// and gives it back, and both see it without loading a page again. Against the real program.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { owner, signUp, startServer } from "./server.js";

describe("the inbox, with the real program", { skip }, () => {
  let browser, server, person, agent;
  before(async () => {
    server = await startServer();
    [browser, person] = await Promise.all([launch(), signUp(server)]);
    agent = (await person.call("POST", "/v2/agents", { name: "Help desk" })).id;
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens a page as the owner. */
  async function openAsOwner() {
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    return page;
  }

  /** Invites somebody, and opens a page as them. */
  async function openAsMember(page, name) {
    await page.goto(`${server.url}/workspace/members`);
    await page.getByRole("button", { name: "Invite" }).first().click();
    await page.getByLabel("E-mail").fill(`${name.toLowerCase()}@shop.example`);
    await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
    const link = await page.getByRole("dialog").locator("pre").textContent();
    await page.getByRole("button", { name: "Done" }).click();
    const other = await newPage(browser, server.origin, { locale: "en" });
    await other.goto(link);
    await other.locator("[name=name]").fill(name);
    await other.locator("[name=password]").fill(owner.password);
    await other.locator("button[type=submit]").click();
    await other.getByRole("link", { name: "Inbox" }).first().waitFor();
    return other;
  }

  test("one of two has the conversation, answers, and gives it back", async () => {
    const first = await openAsOwner();
    const second = await openAsMember(first, "Lee");
    const ask = async (message, conversationId) => {
      const body = { message, stream: false, ...(conversationId && { conversationId }) };
      return (await person.call("POST", `/v2/agents/${agent}/chat`, body)).data.metadata.conversationId;
    };
    await first.goto(`${server.url}/inbox?view=all`);
    await first.getByText("There is no conversation yet").waitFor();
    const id = await ask("Where is my parcel?");
    const list = first.getByRole("list", { name: "Conversations" });
    await list.getByRole("link").first().waitFor(); // by itself
    await list.getByRole("link").first().click();
    const said = (page) => page.getByRole("region", { name: "What was said" });
    await said(first).getByText("Where is my parcel?").waitFor();
    await second.goto(`${server.url}/inbox/${id}`);
    await said(second).getByText("Where is my parcel?").waitFor();

    const takeOver = (page) => page.getByRole("region", { name: "Conversation", exact: true }).getByRole("button", { name: "Take over" });
    // Whoever is told of the other before the press has no such button any more.
    await Promise.all([first, second].map((page) => takeOver(page).click({ timeout: 30_000 }).catch(() => {})));
    const composer = (page) => page.getByLabel("Write to the customer");
    const toldOf = (page, name) => page.getByText(`${name} has this conversation.`);
    const winner = await Promise.any([first, second].map((page) => composer(page).waitFor().then(() => page)));
    const [loser, name] = winner === first ? [second, owner.name] : [first, "Lee"];
    await toldOf(loser, name).waitFor();
    assert.equal(await composer(loser).count(), 0);

    await composer(winner).fill("I look where it is.");
    await composer(winner).press("Control+Enter");
    await said(winner).getByText("I look where it is.").waitFor();
    await said(loser).getByText("I look where it is.").waitFor(); // by itself
    const written = await person.call("POST", `/v2/agents/${agent}/conversations/${id}/messages`, { message: "Thank you." });
    assert.ok(written.data.id, JSON.stringify(written));
    for (const page of [winner, loser]) await said(page).getByText("Thank you.").waitFor(); // by itself

    await winner.getByRole("button", { name: "Give back to the agent" }).click();
    for (const page of [winner, loser]) await page.getByText("The agent answers in this conversation.").waitFor();
    await ask("And when does it come?", id);
    for (const page of [winner, loser]) await said(page).getByText("And when does it come?").waitFor(); // by itself
    for (const page of [first, second]) assert.deepEqual([await page.reports(), page.problems.filter((one) => !/409/.test(one))], [[], []]);
  });
});
