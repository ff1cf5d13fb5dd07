// What the other side has answered to what was sent to a webhook.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers, inWorkspace } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";

describe("deliveries of a webhook", { skip }, () => {
  const open = useSamePages();

  test("each webhook says how many there were in the last day", async () => {
    await open(answers({ session: inWorkspace() }), "/workspace/webhooks", async (page) => {
      await page.getByText("58 deliveries in 24 hours").waitFor();
      await page.getByText("1 failed", { exact: true }).waitFor();
      await page.getByText("Nothing was sent in the last 24 hours.").waitFor();
    });
  });

  test("what was answered is below what was sent", async () => {
    const answer = answers({ session: inWorkspace(), state: { answered: '{"ok":false}' } });
    await open(answer, "/workspace/webhooks/hook_1", async (page) => {
      await page.getByRole("button", { name: /^What was sent/ }).first().click();
      const said = page.getByRole("region", { name: /^What was answered/ });
      await said.waitFor();
      assert.match(await said.textContent(), /"ok": false/);
    });
  });
});
