// Pages of other sites in Chromium, which write down what must not happen in them.
import { complete, launch, skip } from "../../console/test/browser.js";

export { complete, launch, skip };

/** Milliseconds until a test that waits for something has failed. None that is right depends on it, however slow the machine. */
export const patience = 180_000;

/**
 * Opens a page in a context of its own. `problems` fills with errors and warnings of the page and its frames, reports of
 * policies, and requests to hosts that are not in `hosts`.
 */
export async function newPage(browser, hosts, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const problems = [];
  await page.addInitScript(reportViolations);
  page.on("console", (m) => {
    if (["error", "warning"].includes(m.type())) problems.push(`${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("request", (r) => {
    if (!/^(data|blob|about):/.test(r.url()) && !hosts.includes(new URL(r.url()).host)) problems.push(`request to ${r.url()}`);
  });
  return Object.assign(page, { problems });
}

/** The path of a page without anything on the sites of the tests, on which `leavePage` leaves a page. */
export const emptyPath = "/empty";

/**
 * Leaves nothing in a page for the test that has it next, which begins with a new document: that takes a part of the time
 * of a new context. `site` is the origin of its documents. Init scripts stay.
 */
export async function leavePage(page, site) {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().setOffline(false);
  await page.goto(site + emptyPath);
  await page.evaluate(() => (localStorage.clear(), sessionStorage.clear()));
  await page.context().clearCookies();
  await page.mouse.move(0, 0);
  page.problems.length = 0;
}

// reportViolations runs in every frame before anything else does.
function reportViolations() {
  document.addEventListener("securitypolicyviolation", (e) => {
    console.error(`policy: ${e.effectiveDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber} ${e.sample}`);
  });
}
