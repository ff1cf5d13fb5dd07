// The plan of a company that is the only one on its server.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers, inWorkspace } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";
import { account, usage } from "./workspace-answers.js";

describe("costs in money", { skip }, () => {
  const open = useSamePages();

  test("are of what was used, of what will be and of each agent, where a credit has a price", async () => {
    const state = { usage: { plan: { ...usage.plan, creditPrice: { amount: 0.02, currency: "EUR" } } } };
    await open(answers({ session: inWorkspace(), state }), "/workspace/usage", async (page) => {
      await page.getByText("That costs €62.39.").waitFor();
      await page.getByText("That costs €86.95.").waitFor();
      await page.getByRole("row", { name: /Wholesale/ }).getByText("€4.09").waitFor();
      await page.getByRole("row", { name: /gpt-5\.4/ }).getByText("€8.00").waitFor();
      await page.getByText("€0.02", { exact: true }).waitFor();
    });
    await open(answers({ session: inWorkspace() }), "/workspace/usage", async (page) => {
      await page.getByRole("row", { name: /Wholesale/ }).waitFor();
      assert.doesNotMatch(await page.getByRole("main").textContent(), /That costs|Price of a credit/);
    });
  });

  test("a month in which nothing was used has no chart", async () => {
    const state = { usage: { days: usage.days.map(({ day }) => ({ day, credits: 0 })), models: [] } };
    await open(answers({ session: inWorkspace(), state }), "/workspace/usage", async (page) => {
      await page.getByText("No credits were used.").waitFor();
      assert.equal(await page.locator("figure").count(), 0);
      assert.equal(await page.getByRole("heading", { name: "By model" }).count(), 0);
    });
  });
});

describe("voice calls", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/usage";

  test("say how many there were, how long they took and why they ended", async () => {
    await open(answers({ session: inWorkspace() }), path, async (page) => {
      const table = page.getByRole("table", { name: "Voice calls" });
      await table.waitFor();
      const rows = await table.getByRole("row").allInnerTexts();
      assert.deepEqual(
        rows.map((row) => row.split(/\s*[\n\t]\s*/).filter(Boolean)),
        [
          ["Ended in this month", "9"],
          ["Joined by a customer", "6"],
          ["Length on average", "2.4 min"],
          ["Minutes charged", "17"],
          ["How they ended"],
          ["the customer left", "5"],
          ["nobody spoke", "3"],
          ["an error", "1"],
        ],
      );
    });
  });

  test("are of one agent where one is chosen, and a month without any says so", async () => {
    const answer = answers({ session: inWorkspace() });
    await open(answer, `${path}?agent=5QHA6VB-DIAbBhxwqxfdi&month=2026-10`, async (page) => {
      await page.getByText("No voice call has ended in this month.").waitFor();
      const asked = answer.state.asked.find((one) => one.path.endsWith("/usage/voice"));
      assert.deepEqual([asked.query.get("agentId"), asked.query.get("month")], ["5QHA6VB-DIAbBhxwqxfdi", "2026-10"]);
    });
  });
});

describe("usage by model", { skip }, () => {
  const open = useSamePages();

  test("has answers of each model, voice, and what was used before models were counted", async () => {
    await open(answers({ session: inWorkspace() }), "/workspace/usage", async (page) => {
      const table = page.getByRole("table", { name: "By model" });
      await table.waitFor();
      const rows = await table.getByRole("row").allInnerTexts();
      const shown = rows.slice(1).map((row) => row.split(/\s*[\n\t]\s*/).filter(Boolean));
      assert.deepEqual(shown, [
        ["auto", "2,511 answers", "2,604.5"],
        ["gpt-5.4", "200 answers", "400"],
        ["Voice", "6 calls", "85"],
        ["Not counted by model", "Used before this server counted by model.", "30"],
      ]);
    });
  });

  test("is of one agent where one is chosen", async () => {
    await open(answers({ session: inWorkspace() }), "/workspace/usage?agent=5QHA6VB-DIAbBhxwqxfdi", async (page) => {
      const table = page.getByRole("table", { name: "By model" });
      await table.waitFor();
      assert.equal(await table.getByRole("row").count(), 2);
    });
  });
});

describe("the plan of the only company", { skip }, () => {
  const open = useSamePages();

  test("an owner chooses it", async () => {
    const answer = answers({ session: inWorkspace(), state: { isSteppedUp: true, account: { ...account, plans: ["free", "standard"] } } });
    await open(answer, "/workspace/general", async (page) => {
      await page.getByRole("button", { name: /Plan/ }).press("Enter");
      await page.getByRole("option", { name: "free" }).press("Enter");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      const asked = answer.state.asked.filter(({ method, path }) => method === "PATCH" && path.includes("/accounts/acc_1"));
      assert.deepEqual(asked.at(-1).body, { plan: "free" });
    });
  });

  test("the screen of the plan leads there, and tells others who does", async () => {
    const state = { account: { ...account, plans: ["free", "standard"] } };
    await open(answers({ session: inWorkspace(), state }), "/workspace/usage", async (page) => {
      await page.getByRole("link", { name: "Choose the plan" }).click();
      await page.getByRole("heading", { level: 1, name: "Company" }).waitFor();
    });
    await open(answers({ session: inWorkspace("admin"), state }), "/workspace/usage", async (page) => {
      await page.getByText("An owner can change the plan.").waitFor();
    });
  });
});
