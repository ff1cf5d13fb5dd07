// What a colleague keeps is on the screen by itself, and a file that somebody sends to a customer is a download in the
// conversation. Against the real program.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { signUp, startServer } from "./server.js";

describe("what a team keeps, with the real program", { skip }, () => {
  let browser, server, person, agent, account;
  before(async () => {
    server = await startServer();
    [browser, person] = await Promise.all([launch(), signUp(server)]);
    agent = (await person.call("POST", "/v2/agents", { name: "Help desk" })).id;
    account = (await person.call("GET", "/v1/session")).memberships[0].accountId;
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function open(path, use) {
    const page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    await page.goto(server.url + path);
    try {
      await use(page);
      assert.deepEqual([await page.reports(), page.problems], [[], []]);
    } finally {
      await page.context().close();
    }
  }
  const change = (method, rest, body) => person.call(method, `/v1/accounts/${account}${rest}`, body);

  test("saved replies follow what a colleague does", async () => {
    await open(`/agents/${agent}/helpdesk/replies`, async (page) => {
      await page.getByText("There are no saved replies yet").waitFor();
      const { savedReplyId: id } = await change("POST", "/saved-replies", { name: "Hours", text: "From nine to six." });
      const row = page.getByRole("list", { name: "Saved replies" }).getByRole("listitem");
      await row.getByText("From nine to six.").waitFor();
      await change("PATCH", `/saved-replies/${id}`, { text: "From nine to seven." });
      await row.getByText("From nine to seven.").waitFor();
      await page.getByRole("button", { name: "Add a saved reply" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Wrong");
      await page.getByLabel("Text", { exact: true }).fill("Hello {{customer.mail}}");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Nothing fills in {{customer.mail}}.").waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await change("DELETE", `/saved-replies/${id}`);
      await page.getByText("There are no saved replies yet").waitFor();
    });
  });

  test("saved views follow as well, and the list that is open by one", async () => {
    await open("/inbox", async (page) => {
      await page.getByRole("link", { name: "Waiting" }).waitFor();
      const { savedViewId: id } = await change("POST", "/saved-views", { name: "Past", shared: true, filter: { view: "ended" } });
      const saved = page.getByRole("navigation", { name: "Saved views" });
      await saved.getByRole("link", { name: "Past" }).click();
      await page.getByText("No conversation has ended").waitFor();
      await change("PATCH", `/saved-views/${id}`, { name: "Present", filter: { view: "mine" } });
      await saved.getByRole("link", { name: "Present" }).waitFor();
      await page.getByText("You have no conversation").waitFor();
      await change("DELETE", `/saved-views/${id}`);
      await page.getByText("This view is not there").waitFor();
    });
  });

  test("a file goes to the customer with a reply, and is a download for the team", async () => {
    const asked = await person.call("POST", `/v2/agents/${agent}/chat`, { message: "Where is my bill?", stream: false });
    const id = asked.data.metadata.conversationId;
    await person.call("PUT", `/v1/conversations/${id}/claim`, {});
    await open(`/inbox/${id}`, async (page) => {
      await page.getByLabel("Write to the customer").fill("Here it is.");
      await page.locator("input[type=file]").setInputFiles({ name: "bill.html", mimeType: "text/html", buffer: Buffer.from("<h1>Bill</h1>") });
      await page.getByRole("button", { name: "Take bill.html out" }).waitFor();
      await page.getByRole("button", { name: "Send", exact: true }).and(page.locator(":enabled")).click();
      const link = page.getByRole("region", { name: "What was said" }).getByRole("link", { name: /bill\.html/ });
      await link.waitFor();
      const { headers, status } = await fetch(new URL(await link.getAttribute("href"), server.origin));
      assert.deepEqual([status, headers.get("content-type")], [200, "application/octet-stream"]);
      assert.match(headers.get("content-disposition"), /^attachment/);
    });
  });
});
