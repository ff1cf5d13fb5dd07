// axe-core in a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What axe-core finds wrong in the page, a line each; what React Aria has said already may name what has gone since. Frames
 * are left out: axe-core would have to be in them, and asks by messages that those of another origin do not get.
 */
export async function findings(page) {
  const found = await page.evaluate(`${axe}; axe.run({ exclude: ["[data-live-announcer]"] }, { resultTypes: ["violations"], selectors: false, iframes: false }).then((r) => r.violations)`);
  // The command list is scrolled by the arrows of the text field above it, which keeps the focus.
  const isScrolledFromField = (id, { html }) => id === "scrollable-region-focusable" && html.includes('role="menu"');
  return found.flatMap(({ id, nodes }) => nodes.filter((n) => !isScrolledFromField(id, n)).map((n) => `${id}: ${n.html} ${n.failureSummary}`));
}
