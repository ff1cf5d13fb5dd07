// The programs that people let in: command lines that get a key, and those that connect a messenger to an agent.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers, inWorkspace } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";

const people = (more = {}, role) => answers({ session: inWorkspace(role), ...more });
const confirmed = { state: { isSteppedUp: true } };
const sent = (answer, method, part) => answer.state.asked.filter((one) => one.method === method && one.path.includes(part));
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

describe("pairing of a command line", { skip }, () => {
  const open = useSamePages();

  test("an owner compares the code, and the command line gets a key that deletes nothing", async () => {
    const answer = people(confirmed);
    await open(answer, "/pair?code=BCDF-GHJK", async (page) => {
      await page.getByText("BCDF-GHJK", { exact: true }).waitFor();
      await page.getByText("laptop").waitFor();
      await press(page, "Approve");
      await page.getByText(/^Approved/).waitFor();
      const [{ body }] = sent(answer, "POST", "/pairings/BCDF-GHJK/approval");
      assert.equal(body.scopes.length, 8);
      assert.ok(body.scopes.every((scope) => !scope.endsWith(":delete")));
    });
  });

  test("a code that somebody types is looked up, and may be denied", async () => {
    const answer = people();
    await open(answer, "/pair", async (page) => {
      await page.getByLabel("Code").fill("BCDF-GHJK");
      await press(page, "Go on");
      await page.getByText("laptop").waitFor();
      await press(page, "Deny");
      await page.getByText(/^Denied/).waitFor();
      assert.equal(sent(answer, "POST", "/denial").length, 1);
    });
  });

  test("whoever makes no keys is told so, and nothing is asked", async () => {
    const answer = people({}, "agent");
    await open(answer, "/pair?code=BCDF-GHJK", async (page) => {
      await page.getByText(/you cannot let command lines have API keys/).waitFor();
      assert.equal(sent(answer, "GET", "/pairings").length, 0);
    });
  });
});

describe("the channels of an agent", { skip }, () => {
  const open = useSamePages();
  const path = `/agents/${agents[0].id}/embed`;

  test("are listed, added with a secret that is shown once, switched off and removed", async () => {
    const answer = people(confirmed);
    await open(answer, path, async (page) => {
      await page.getByRole("heading", { name: "Support in Slack" }).waitFor();
      await press(page, "Add a channel");
      await page.getByLabel("Name").fill("Shop");
      await page.getByLabel("Address of your program").fill("https://bridge.example/shop");
      await press(page, "Add");
      await page.getByText("whsec_of-the-tests").waitFor();
      await press(page, "Done");
      assert.deepEqual(sent(answer, "POST", "/v1/channels").at(-1).body, {
        agentId: agents[0].id, name: "Shop", source: "Slack", endpoint: "https://bridge.example/shop",
      });
      await page.getByRole("button", { name: "More: Shop" }).press("Enter");
      await page.getByRole("menuitem", { name: "Switch off" }).press("Enter");
      await page.getByText("Off: messages are refused").waitFor();
      await page.getByRole("button", { name: "More: Shop" }).press("Enter");
      await page.getByRole("menuitem", { name: "Remove" }).press("Enter");
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("heading", { name: "Shop", exact: true }).waitFor({ state: "detached" });
    });
  });

  test("show what was sent to them", async () => {
    await open(people(), path, async (page) => {
      await page.getByRole("link", { name: "Deliveries: Support in Slack" }).click();
      await page.getByText("https://bridge.example/parley").waitFor();
      await page.getByRole("list", { name: "Deliveries" }).waitFor();
      await page.getByRole("link", { name: "Channels", exact: true }).click();
      await page.getByRole("heading", { name: "Support in Slack" }).waitFor();
    });
  });

  test("are not for whoever may not see webhooks", async () => {
    const answer = people({}, "agent");
    await open(answer, path, async (page) => {
      await page.getByRole("heading", { name: "Who your visitors are" }).waitFor();
      assert.equal(sent(answer, "GET", "/v1/channels").length, 0);
    });
  });
});
