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
      await page.getByText("€0.02", { exact: true }).waitFor();
    });
    await open(answers({ session: inWorkspace() }), "/workspace/usage", async (page) => {
      await page.getByRole("row", { name: /Wholesale/ }).waitFor();
      assert.doesNotMatch(await page.getByRole("main").textContent(), /That costs|Price of a credit/);
    });
  });

  test("a month in which nothing was used has no chart", async () => {
    const state = { usage: { days: usage.days.map(({ day }) => ({ day, credits: 0 })) } };
    await open(answers({ session: inWorkspace(), state }), "/workspace/usage", async (page) => {
      await page.getByText("No credits were used.").waitFor();
      assert.equal(await page.locator("figure").count(), 0);
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
