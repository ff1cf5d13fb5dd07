// Opens pages that measure themselves.
import { launchOptimized } from "../test/browser.js";

/** Chromium's own figures for the network and the processor of a middling phone. */
const slow4G = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };
export const slowdown = 4;

/** Runs `use` with a browser. */
export async function withBrowser(use) {
  const browser = await launchOptimized();
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a page in a context of its own, so that nothing is in its cache, runs `use` with it and its DevTools session. */
export async function withPage(browser, { cookie, origin, is4G = false, isSlow = false, init }, use) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en" });
  try {
    if (cookie) await context.addCookies([{ ...cookie, domain: "localhost", path: "/console" }]);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.addInitScript(watch);
    if (init) await page.addInitScript(init);
    const devtools = await context.newCDPSession(page);
    if (is4G) await devtools.send("Network.enable");
    if (is4G) await devtools.send("Network.emulateNetworkConditions", slow4G);
    if (isSlow) await slowDown(devtools);
    return await use(page, devtools, origin);
  } finally {
    await context.close();
  }
}

/** Slows down what the page does from now on. */
export const slowDown = (devtools) => devtools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });

// watch runs in the page before anything else does.
function watch() {
  const bench = { lcp: 0, cls: 0, frames: [], interactions: [] };
  window.bench = bench;
  const observe = (type, use, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true, ...options });
  observe("largest-contentful-paint", ({ startTime }) => (bench.lcp = startTime));
  observe("layout-shift", ({ value, hadRecentInput }) => hadRecentInput || (bench.cls += value));
  observe("long-animation-frame", ({ startTime, duration }) => bench.frames.push({ startTime, duration }));
  const interaction = ({ interactionId, name, duration }) => interactionId && bench.interactions.push({ name, duration });
  observe("event", interaction, { durationThreshold: 16 });
  /** Resolves to the time at which `isThere` was true and painted. */
  bench.painted = (isThere) =>
    new Promise((resolve) => {
      const done = () => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
        requestAnimationFrame(() => channel.port2.postMessage(0));
      };
      if (isThere()) return done();
      const observer = new MutationObserver(() => {
        if (!isThere()) return;
        observer.disconnect();
        done();
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    });
  /** As painted, for a text of the page's main part. */
  bench.shown = (text) => bench.painted(() => document.querySelector("main")?.textContent.includes(text));
}

/** Where the bare page is that shows the same. */
export const bareURL = (job, screen, more = {}) =>
  `${job.floor}/console/bare/?${new URLSearchParams({ screen, account: job.account, ...more })}`;

/** Calls REST v2 as a program. */
export async function callAPI(job, method, path, body) {
  const headers = { Authorization: `Bearer ${job.key}`, "Content-Type": "application/json" };
  const reply = await fetch(`${job.origin}/api/v2${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

export const pause = (time) => new Promise((done) => setTimeout(done, time));
export const now = () => performance.timeOrigin + performance.now();

/** What a promise comes to, or undefined after some time. */
export const within = (time, promise) => Promise.race([promise, pause(time)]);
