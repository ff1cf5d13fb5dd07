// Starts Chromium, and pages that write down what must not happen in them.
import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";

// Debian's headless shell is the same browser without its windows: it takes two thirds of the processor's time.
const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** The path of the browser with its windows, for what the shell lacks. */
export const complete = process.env.PARLEY_CHROMIUM || names.slice(1).map(installed).find(Boolean);

/** The installed browser's path; undefined if there is none. */
export const executable = process.env.PARLEY_CHROMIUM || names.map(installed).find(Boolean);

/** Why the tests in a browser are left out; false if they are not. Where CI is set, its absence is a failure. */
export const skip =
  executable || process.env.CI ? false : "SKIP: no chromium on the PATH: nothing of the console is tested in a browser";
if (skip) console.error(skip);

function installed(name) {
  const files = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts a browser whose pages are as fast as everybody's: for what measures time. */
export async function launchOptimized(options = [], path = executable) {
  if (!path) throw new Error("no chromium on the PATH");
  return chromium.launch({ executablePath: path, args: ["--no-sandbox", ...options] });
}

// A page of the tests lives for a second or two: optimizing its program takes more time than that saves.
const unoptimized = "--js-flags=--no-maglev,--no-turbofan";

export const launch = (options = [], path = executable) => launchOptimized([unoptimized, ...options], path);

/** How long a test waits at most, in milliseconds. It only guards against waiting without end. */
export const patience = 60_000;

/** What `find` finds wrong: null as soon as that is nothing, or else what it still finds when the patience is over. */
export async function untilNothing(find) {
  for (const end = performance.now() + patience; ; ) {
    const found = await find();
    if (!found) return null;
    if (performance.now() > end) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Asserts that `read` comes to give what is wanted: what follows an action may take a while until it is drawn. */
export async function assertSoon(read, want, message) {
  let found;
  await untilNothing(async () => !isDeepStrictEqual((found = await read()), want));
  assert.deepEqual(found, want, message);
}

/** Waits until what has the focus holds the text. */
export const waitForFocus = (page, text) => page.locator(":focus", { hasText: text }).waitFor();

/** Opens a page in a context of its own. `problems` fills with errors, reports and requests to other hosts. */
export async function newPage(browser, origin, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const problems = [];
  const awaited = new Set();
  page.on("request", (r) => r.url().endsWith("/v1/events") || awaited.add(r));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (r) => awaited.delete(r));
  await page.addInitScript(watch);
  page.on("console", (m) => {
    if (["error", "warning"].includes(m.type()) && !isRefusal(m)) problems.push(`${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (e) => problems.push(String(e)));
  context.on("response", (r) => {
    if (r.status() >= 500 && !r.headers()[wanted]) problems.push(`${r.status()} of ${r.request().method()} ${r.url()}`);
  });
  page.on("request", (r) => {
    if (!r.url().startsWith(origin) && !/^(data|blob):/.test(r.url())) problems.push(`request to ${r.url()}`);
  });
  const reports = () => page.evaluate(() => window.reports);
  return Object.assign(page, { problems, awaited, reports });
}

/** Waits until nothing that the page has asked for is awaited, but the stream of events, and nothing changes for 200 ms. */
export async function waitForQuiet(page) {
  assert.equal(await untilNothing(async () => page.awaited.size || null), null, "requests are still awaited");
  await page.evaluate(() => new Promise((done) => {
    let timer = setTimeout(done, 200);
    new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(done, 200);
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }));
}

/** The header of an answer that a test has asked for: failures of a server without it are problems. */
export const wanted = "x-wanted-by-test";

// isRefusal reports whether a message only says that the server refused a request, which tests ask for. What the server
// failed at is told by its answer.
function isRefusal(message) {
  return /^Failed to load resource: the server responded with a status of [45]\d\d/.test(message.text());
}

// watch runs in the page before anything else does.
function watch() {
  window.reports = [];
  document.addEventListener("securitypolicyviolation", (e) => {
    window.reports.push(`${e.effectiveDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber} ${e.sample}`);
  });
}

/** Drops a file on an element, as a person would. Returns whether the browser is kept from opening it. */
export const dropFile = (place, name) =>
  place.evaluate((element, name) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["Goods may be sent back within thirty days of delivery."], name, { type: "text/plain" }));
    const send = (type) => element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    send("dragenter");
    return !send("dragover") && !send("drop");
  }, name);
