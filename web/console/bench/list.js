// A list of ten thousand: when its first rows are there once the server has answered, and what the page is like further
// down.
import { bareURL, now, withBrowser, withPage } from "./page.js";

const longestWalk = 30_000;

export function list(job) {
  const { lists } = job.agents;
  const path = `/v1/agents/${lists}/sources?limit=50`;
  const pages = { floor: bareURL(job, "list", { path }), console: `${job.origin}/console/agents/${lists}/sources` };
  return withBrowser(async (browser) => {
    const out = { console: { rows: [], answer: [] }, floor: { rows: [] }, walk: {} };
    for (let i = 0; i < job.loads; i += 1) {
      for (const [name, url] of Object.entries(pages)) {
        const found = await withPage(browser, { ...job, init: showsRows }, (page) => measure(page, url));
        out[name].rows.push(found.rows);
        out[name].answer?.push(found.answer);
      }
    }
    out.walk = await withPage(browser, { ...job, init: showsRows }, (page, devtools) => walk(page, devtools, pages.console, job.rows));
    return out;
  });
}

const showsRows = () => (window.rows = window.bench.shown("Row 0"));

async function measure(page, url) {
  await page.goto(url, { waitUntil: "commit" });
  return page.evaluate(async () => {
    const shown = (await window.rows) - performance.timeOrigin;
    const data = performance.getEntriesByType("resource").find(({ name }) => /\/sources\?/.test(name));
    return { rows: shown - data.responseEnd, answer: data.responseEnd - data.startTime };
  });
}

/** Goes down the list, until so many rows have been read or it has taken too long. */
async function walk(page, devtools, url, wanted) {
  let read = 0;
  page.on("response", (reply) => {
    if (/\/sources\?/.test(reply.url())) reply.json().then(({ data }) => (read += data.length), () => {});
  });
  await page.goto(url);
  await page.evaluate(() => window.rows);
  const began = now();
  for (let seen = -1; read < wanted && now() - began < longestWalk; ) {
    const more = page.getByRole("button", { name: "Show more" });
    if (read > seen && (await more.count()) > 0) {
      seen = read;
      await more.click({ timeout: 5000 }).catch(() => {});
    } else await page.mouse.wheel(0, 4000);
    await page.waitForTimeout(30);
  }
  const time = now() - began;
  await page.waitForTimeout(500);
  await devtools.send("HeapProfiler.collectGarbage");
  return page.evaluate(
    ({ read, time }) => ({
      read,
      time,
      elements: document.querySelectorAll("*").length,
      frame: Math.max(0, ...window.bench.frames.map(({ duration }) => duration)),
      heap: performance.memory.usedJSHeapSize / 1e6,
    }),
    { read, time },
  );
}
