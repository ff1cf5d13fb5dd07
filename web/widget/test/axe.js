// axe-core in a frame: WCAG 2.2 AA and what is good practice beside it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What is wrong in a page or a frame, a line each. */
export async function findings(frame) {
  const found = await frame.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations)`);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
}
