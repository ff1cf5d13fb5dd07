// The loaders of what is not built, the side panel and the search box: pages that load them work.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "./browser.js";
import { snippet } from "./pages.js";
import { agentId, useStub } from "./setup.js";

const loaders = { chatbaseSidePanel: "side-panel-embed.min.js", chatbaseSearch: "search-embed.min.js" };

describe("a channel that there is not", { skip }, () => {
  const site = useStub();
  for (const [name, file] of Object.entries(loaders)) {
    const expected = new RegExp(`Parley: (there is no .*; ${name} does nothing|${name} has no command \\w+)$`);
    const page = (calls = "") => snippet(site.base, agentId, calls, { name, file });
    const up = (page) => page.waitForFunction((name) => window[name]("getState") === "initialized", name);

    test(`${file} answers, warns, and puts nothing on the page`, async () => {
      await site.open(page(`${name}.open({ message: "Hi" }); ${name}("open"); window.kept = ${name};`), async (page) => {
        await up(page);
        const seen = await page.evaluate((name) => {
          const results = [window[name].close(), window[name]("sendMessage", "Hi"), window.kept("getState")];
          return [...results, document.querySelectorAll("[id^=chatbase], iframe").length];
        }, name);
        assert.deepEqual(seen, [undefined, undefined, undefined, 0]);
        const warned = page.said.filter((line) => line.startsWith("Parley:"));
        const of = (command) => `Parley: ${name} has no command ${command}`;
        assert.deepEqual(warned.slice(1).sort(), ["close", "open", "sendMessage"].map(of));
        assert.match(warned[0], new RegExp(`${name} does nothing$`));
        assert.deepEqual(site.stub.seen, [`/${file}`]);
      }, { expected });
    });

    test(`${file} stands beside the button, and may be loaded twice`, async () => {
      await site.open(page() + page() + snippet(site.base, agentId), async (page) => {
        await up(page);
        await page.up();
        await page.button.waitFor();
        assert.equal(await page.locator("#chatbase-bubble-button").count(), 1);
      }, { expected });
    });
  }
});
