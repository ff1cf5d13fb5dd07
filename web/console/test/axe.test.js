// What axe-core finds on the screens: nothing. Here each is seen dark, from the right and on a phone, and in every state
// and look where PARLEY_LONG is set; screens.test.js sees them from the left.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findings } from "./axe.js";
import { skip } from "./browser.js";
import { everyView, fewViews } from "./screens.js";
import { useSamePages } from "./setup.js";

describe("axe-core", { skip }, () => {
  const open = useSamePages();
  for (const { name, path, direction, ready, answer, options } of process.env.PARLEY_LONG ? everyView() : fewViews()) {
    test(name, async () => {
      const use = async (page) => {
        await ready(page);
        assert.deepEqual(await findings(page), []);
        assert.equal(await page.locator("html").getAttribute("dir"), direction);
      };
      await open(answer(), path, use, options);
    });
  }
});
