// From the printed link to the first cited answer, on the real program.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { launch, newPage, skip } from "./browser.js";
import { makePDF } from "./pdf.js";
import { serveBefore } from "./proxy.js";
import { readyToAsk } from "./screen-states.js";
import { owner, program, startServer } from "./server.js";

const mostClicks = 8;
const file = {
  name: "handbook.pdf",
  mimeType: "application/pdf",
  buffer: makePDF(["Returns policy", "Goods may be sent back within thirty days.", "The shop opens at nine."]),
};

test("the example answers what is proposed, in every language", async (t) => {
  const locales = join(import.meta.dirname, "../src/locales");
  for (const file of readdirSync(locales)) {
    const texts = JSON.parse(readFileSync(join(locales, file), "utf8"));
    const folder = mkdtempSync(join(tmpdir(), "parley-example-"));
    t.after(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "example.md"), texts["firstRun.exampleText"]);
    for (const name of ["Hours", "Shipping"]) {
      const question = texts[`firstRun.example${name}`];
      const answer = await promisify(execFile)(program(), ["ask", "--from", folder, question]);
      const [first] = answer.stdout.split("\n");
      assert.match(first, /\[1\]$/, `${file}: ${question} is answered with ${first}`);
    }
  }
});

describe("first run", { skip }, () => {
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());

  const open = async (use) => {
    const server = await startServer();
    const front = await serveBefore(process.env.PARLEY_CONSOLE_BUILD, server.origin);
    const page = await newPage(browser, front.origin, { locale: "en" });
    try {
      await page.goto(`${front.url}/setup${new URL(server.setup).hash}`);
      await use(page);
      assert.deepEqual([await page.reports(), page.problems], [[], []]);
    } finally {
      await page.context().close();
      front.stop();
      await server.stop();
    }
  };
  const cited = async (page) => {
    const log = page.getByRole("region", { name: "Questions and answers" });
    await log.getByRole("button", { name: "Source 1: handbook.pdf" }).first().waitFor();
    assert.match(await log.textContent(), /thirty days/);
    assert.match(await log.textContent(), /handbook\.pdf/);
  };

  test(`with a mouse it takes at most ${mostClicks} clicks`, async () => {
    const begin = Date.now();
    let clicks = 0;
    await open(async (page) => {
      const click = async (place) => {
        clicks += 1;
        await place.click();
      };
      await page.getByLabel("Your name").waitFor();
      assert.equal(await page.getByText("1 of 3", { exact: true }).count(), 1);
      await page.keyboard.type(owner.name); // the focus is there
      for (const [label, text] of [
        ["E-mail", owner.email],
        ["Company", owner.company],
        ["Password", owner.password],
      ]) {
        await click(page.getByLabel(label));
        await page.keyboard.type(text);
      }
      await click(page.getByRole("button", { name: "Continue" }));
      const chooser = page.waitForEvent("filechooser");
      await click(page.getByRole("button", { name: "Choose files" }));
      clicks += 1; // in the browser's own window
      await (await chooser).setFiles([file]);
      await page.getByText("handbook.pdf").waitFor();
      await click(page.getByRole("button", { name: "Read it" }));
      await page.locator("textarea:focus").waitFor();
      await page.getByText("Ask what a customer would ask.").waitFor();
      await page.keyboard.type("When may goods be sent back?");
      await click(page.getByRole("button", { name: "Send", exact: true }));
      await cited(page);
      const why = page.getByRole("button", { name: "Why", exact: true }); // it opens a dialog, and is no switch
      assert.deepEqual([await why.getAttribute("aria-pressed"), await why.getAttribute("aria-haspopup")], [null, "dialog"]);
      assert.ok(clicks <= mostClicks, `${clicks} clicks`);
    });
    console.log(`the first cited answer: ${clicks} clicks, ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  });

  test("the example says what can be asked of it", async () => {
    await open(async (page) => {
      for (const [label, text] of [["Your name", owner.name], ["E-mail", owner.email], ["Company", owner.company], ["Password", owner.password]]) {
        await page.getByLabel(label).fill(text);
      }
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("heading", { name: "Your first agent" }).waitFor();
      await page.getByRole("radio", { name: /show me an example/ }).press("Space");
      await page.getByRole("button", { name: "Read it" }).click();
      await page.getByRole("button", { name: "What does shipping cost?" }).click();
      const log = page.getByRole("region", { name: "Questions and answers" });
      await log.getByRole("button", { name: "Source 1: Example: a shop" }).first().waitFor();
      assert.match(await log.textContent(), /Shipping is free from fifty euros on/);
      assert.equal(await page.getByRole("button", { name: "When are you open?" }).count(), 0);
    });
  });

  test("with the keyboard alone", async () => {
    await open(async (page) => {
      const { keyboard } = page;
      await page.getByLabel("Your name").waitFor();
      for (const text of [owner.name, owner.email, owner.company, owner.password]) {
        await keyboard.type(text);
        await keyboard.press("Tab");
      }
      await keyboard.press("Enter");
      await page.getByRole("heading", { name: "Your first agent" }).waitFor();
      const chooser = page.waitForEvent("filechooser");
      await tabTo(page, "Choose files");
      await keyboard.press("Enter");
      await (await chooser).setFiles([file]);
      await page.getByText("handbook.pdf").waitFor();
      await tabTo(page, "Read it");
      await keyboard.press("Enter");
      await page.locator("textarea:focus").waitFor();
      await page.getByText("Ask what a customer would ask.").waitFor();
      await keyboard.type("When may goods be sent back?");
      await readyToAsk(page);
      await keyboard.press("Enter");
      await cited(page);
      await page.reload(); // what was asked is there again
      await cited(page);
      await tabTo(page, "Go to the console");
      await keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Help desk" }).waitFor();
      await page.getByText("1 file", { exact: true }).waitFor();
    });
  });
});

// tabTo presses Tab until what has the name has the focus.
async function tabTo(page, name) {
  for (let i = 0; i < 20; i += 1) {
    const here = await page.evaluate(() => document.activeElement?.textContent?.trim());
    if (here === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${name}`);
}
