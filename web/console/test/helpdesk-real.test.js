// The set-up of a helpdesk, in the browser and against the real program: what is added and changed there is what the server
// has.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { signUp, startServer } from "./server.js";

describe("the set-up of the helpdesk, with the real program", { skip }, () => {
  let browser, server, person, page, id;
  before(async () => {
    server = await startServer();
    [browser, person] = await Promise.all([launch(), signUp(server)]);
    ({ id } = await person.call("POST", "/v2/agents", { name: "Help" }));
    page = await newPage(browser, server.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
  const read = (part) => person.call("GET", `/v1/agents/${id}/${part}`);
  const save = () => page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const visit = (part) => page.goto(`${server.url}/agents/${id}/helpdesk/${part}`);

  test("a status, a team and a rule are added, and the team is renamed", async () => {
    await visit("statuses");
    await page.getByRole("button", { name: "Add a status" }).click();
    await page.locator("[name=label]").fill("Packing");
    await save();
    await page.getByRole("listitem").filter({ hasText: "Packing" }).waitFor();
    await visit("teams");
    await page.getByRole("button", { name: "Add a team" }).click();
    await page.getByRole("dialog").locator("[name=name]").fill("Returns");
    await save();
    await page.getByRole("region", { name: "Returns" }).getByRole("button", { name: "More: Returns" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    await page.getByRole("dialog").locator("[name=name]").fill("Parcels");
    await save();
    await page.getByRole("region", { name: "Parcels" }).waitFor();
    await visit("rules");
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByRole("dialog").locator("[name=name]").fill("Urgent");
    await page.getByRole("dialog").getByLabel("Values").fill("now");
    await save();
    await page.getByRole("row", { name: "Urgent" }).waitFor();

    assert.ok((await read("statuses")).some(({ label }) => label === "Packing"));
    const teams = await read("teams");
    assert.deepEqual(teams.map((one) => [one.name, one.default]).sort(), [["General", true], ["Parcels", false]]);
    assert.deepEqual((await read("rules")).map(({ name, enabled }) => [name, enabled]), [["Urgent", true]]);
    assert.deepEqual([await page.reports(), page.problems], [[], []]);
  });
});
