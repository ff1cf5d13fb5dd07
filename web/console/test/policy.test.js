// Every component of React Aria that the console uses, under the console's policy: it must report nothing.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { serve } from "./serve.js";

describe("components under the policy", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serve(process.env.PARLEY_CONSOLE_BUILD)]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`${colorScheme}: nothing is reported`, async () => {
      const page = await newPage(browser, server.origin, { colorScheme });
      await page.goto(`${server.url}/test/kit/index.html`);
      for (const use of [overlays, fields, dates, collections, structure]) await use(page);
      assert.deepEqual([await page.reports(), page.problems], [[], []]);
      assert.equal(await page.locator("style").count(), 0);
    });
  }

  test("a breach is reported", async () => {
    const page = await newPage(browser, server.origin);
    await page.goto(`${server.url}/test/kit/index.html`);
    await page.evaluate(() => {
      document.head.append(document.createElement("style"));
      document.querySelector("style").textContent = "a{}";
      try {
        document.createElement("p").innerHTML = "<b>";
      } catch {}
    });
    await page.waitForFunction(() => window.reports.length >= 2);
    const directives = (await page.reports()).map((report) => report.split(" ")[0]);
    assert.deepEqual([...new Set(directives)].sort(), ["require-trusted-types-for", "style-src-elem"]);
  });
});

async function overlays(page) {
  const press = (name) => page.getByRole("button", { name, exact: true }).click();
  await press("Open dialog");
  await page.getByRole("dialog", { name: "A dialog" }).waitFor();
  await press("Close dialog");
  await press("Open popover");
  await page.getByRole("dialog", { name: "A popover" }).waitFor();
  await page.keyboard.press("Escape");
  await press("Open menu");
  await page.getByRole("menuitem", { name: "More" }).hover();
  await page.getByRole("menuitem", { name: "More" }).press("ArrowRight");
  await page.getByRole("menuitem", { name: "Inner" }).waitFor();
  await page.getByRole("menuitem", { name: "Inner" }).press("Enter");
  await page.locator("button:focus", { hasText: "Open menu" }).waitFor();
  await page.keyboard.press("Tab"); // to the button with the tooltip
  await page.getByRole("tooltip").waitFor();
  await press("Show toast");
  await page.getByText("Close toast").click();
}

async function fields(page) {
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByLabel("Text", { exact: true }).fill("A text");
  await page.getByLabel("Long text").fill("A long text");
  await page.getByRole("searchbox", { name: "Search" }).fill("words");
  await page.getByText("Clear", { exact: true }).click();
  await page.getByRole("button", { name: "Increase Number" }).click();
  await page.getByRole("textbox", { name: "Number" }).press("ArrowUp"); // the announcer speaks and is emptied
  await page.getByRole("textbox", { name: "Number" }).press("Tab");
  await page.getByRole("button", { name: /Select/ }).click();
  await page.getByRole("option", { name: "Two" }).click();
  await page.getByRole("combobox", { name: "Combo" }).fill("o");
  await page.getByRole("option", { name: "One" }).click();
  for (const name of ["Check", "Check A"]) await page.locator("label", { hasText: new RegExp(`^${name}$`) }).click();
  await page.locator("label", { hasText: "Radio B" }).click();
  await page.locator("label", { hasText: "Switch" }).click();
  await page.getByRole("slider", { name: "Slider" }).press("ArrowRight");
  await page.getByRole("radio", { name: "Toggle" }).click();
}

async function dates(page) {
  await page.getByRole("spinbutton", { name: /month, Day/ }).press("ArrowUp");
  await page.getByText("Open calendar").click();
  await page.getByRole("dialog").getByText("After").click();
  await page.keyboard.press("Escape");
  const cells = page.getByRole("application", { name: /Days/ }).getByRole("gridcell").getByRole("button");
  await cells.nth(10).click();
  await cells.nth(12).click();
  await page.getByRole("spinbutton", { name: /hour, Time/ }).press("ArrowUp");
  await page.keyboard.press("Tab");
}

async function collections(page) {
  await page.getByRole("columnheader", { name: "Name" }).click();
  await page.getByRole("row", { name: "Row A" }).click();
  const drag = page.getByRole("button", { name: /Drag Apple/ });
  await drag.focus();
  for (const key of ["Enter", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await page.getByRole("row", { name: /Plum/ }).dragTo(page.getByRole("row", { name: /Apple/ }));
  await page.locator(".virtual").evaluate((list) => list.scrollTo(0, 3000));
  await page.getByRole("option", { name: "Row 126", exact: true }).waitFor();
  await page.getByText("Open root").click();
  await page.getByRole("row", { name: "Leaf" }).waitFor();
  await page.getByText("Remove tag").click();
  await page.getByRole("textbox", { name: "Commands" }).fill("bet");
  await page.getByRole("menuitem", { name: "Alpha" }).waitFor({ state: "detached" });
}

async function structure(page) {
  await page.getByRole("tab", { name: "Tab two" }).click();
  await page.getByText("Panel two").waitFor();
  await page.getByRole("button", { name: "Disclose" }).click();
  await page.getByText("Hidden text").waitFor();
  await page.getByRole("button", { name: "Tool", exact: true }).click();
  await page.getByRole("link", { name: "Up" }).click();
}
