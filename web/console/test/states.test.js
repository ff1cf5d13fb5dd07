// The states of lists, the bar of unsaved changes and the dialog of two editors, on the page of all components.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers } from "./answers.js";
import { skip } from "./browser.js";
import { useConsole } from "./setup.js";

describe("states", { skip }, () => {
  const open = useConsole();
  const show = (use) => open(answers(), "/test/kit/index.html", use);
  const log = (page) => page.getByTestId("log").textContent();

  test("a skeleton comes after 200 milliseconds, not before", async () => {
    await show(async (page) => {
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.getByRole("button", { name: "Load" }).click();
      await page.clock.runFor(150);
      assert.equal(await page.getByRole("status", { name: "Loading" }).count(), 0);
      await page.clock.runFor(100);
      await page.getByRole("status", { name: "Loading" }).waitFor();
    });
  });

  test("a failure has words and a retry; one that is explained has no number of the request", async () => {
    await show(async (page) => {
      const failed = page.getByRole("alert");
      assert.match(await failed.textContent(), /in a short time. Try again in 7 seconds\.Try again$/);
      await failed.getByRole("button", { name: "Try again" }).click();
      assert.equal(await log(page), "retry");
    });
  });

  test("rows that could not be read are counted", async () => {
    await show((page) => page.getByText("2 rows could not be read.").waitFor());
  });

  test("unsaved changes are counted, saved by a key, and ask before they are left", async () => {
    await show(async (page) => {
      await page.getByRole("region", { name: "Changes that are not saved" }).getByText("3 changes").waitFor();
      await page.keyboard.press("Control+s");
      assert.equal(await log(page), "save");
      await page.getByRole("button", { name: "Discard" }).click();
      assert.equal(await log(page), "discard");
      const asked = new Promise((done) => page.once("dialog", (dialog) => done(dialog)));
      const leaving = page.close({ runBeforeUnload: true });
      const dialog = await asked;
      assert.equal(dialog.type(), "beforeunload");
      await dialog.dismiss();
      await leaving;
    });
  });

  test("two editors: each difference is shown, and either side can win", async () => {
    await show(async (page) => {
      for (const [button, result] of [
        ["Save mine", "mine"],
        ["Keep theirs", "theirs"],
        ["Close", "close"],
      ]) {
        await page.getByRole("button", { name: "Conflict" }).click();
        const dialog = page.getByRole("alertdialog", { name: "Someone else has saved changes" });
        await dialog.getByRole("row", { name: "Name Help desk Support" }).waitFor();
        await dialog.getByRole("button", { name: button }).click();
        await dialog.waitFor({ state: "detached" });
        assert.equal(await log(page), result);
      }
    });
  });
});
