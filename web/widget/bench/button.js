// What a page pays that only shows the button, at a slow processor, beside the same page without it.
import { slowDown, withBrowser, withPage } from "../../console/bench/page.js";
import { startPages } from "./site.js";

export async function button(job) {
  const { pages, stop } = await startPages(job);
  try {
    return await withBrowser(async (browser) => {
      const figures = () => ({ requests: [], bytes: [], script: [], frame: [], cls: [] });
      const out = { console: figures(), floor: figures() };
      for (let i = 0; i <= job.loads; i += 1) {
        for (const [name, url] of Object.entries(pages)) {
          const found = await withPage(browser, {}, (page, devtools) => measure(page, devtools, url, name === "widget"));
          if (i === 0) continue; // the browser itself is warm
          for (const [key, value] of Object.entries(found)) out[name === "widget" ? "console" : "floor"][key].push(value);
        }
      }
      return out;
    });
  } finally {
    stop();
  }
}

async function measure(page, devtools, url, hasButton) {
  const sent = countTraffic(devtools, url);
  await devtools.send("Network.enable");
  await devtools.send("Performance.enable");
  await slowDown(devtools);
  await page.goto(url);
  if (hasButton) await page.locator("#chatbase-bubble-button").waitFor();
  await page.waitForTimeout(1000); // what comes after the button
  const { metrics } = await devtools.send("Performance.getMetrics");
  const script = metrics.find(({ name }) => name === "ScriptDuration").value * 1000;
  const { frames, cls } = await page.evaluate(() => window.bench);
  return { requests: sent.requests, bytes: sent.bytes, script, frame: Math.max(0, ...frames.map(({ duration }) => duration)), cls };
}

/** Counts what is asked for beside the page itself, with headers, as it comes over the network. */
function countTraffic(devtools, url) {
  const counted = { requests: 0, bytes: 0 };
  const own = new Set();
  devtools.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (request.url === url || request.url.startsWith("data:")) own.add(requestId);
    else counted.requests += 1;
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!own.has(requestId)) counted.bytes += encodedDataLength;
  });
  return counted;
}
