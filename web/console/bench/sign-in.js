// From the address to a sign-in page that takes what is typed, with nothing in the cache.
import { bareURL, withBrowser, withPage } from "./page.js";

const isUsable = () => {
  window.usable = window.bench.painted(() => document.querySelector("input[type=password]:not(:disabled)"));
};

export function signIn(job) {
  const pages = { console: `${job.origin}/console/`, floor: bareURL(job, "signIn") };
  return withBrowser(async (browser) => {
    const out = { console: { usable: [], usable4G: [], lcp4G: [], cls: [] }, floor: { usable: [], usable4G: [] } };
    const open = (url, is4G) => withPage(browser, { init: isUsable, is4G }, (page) => measure(page, url));
    for (const url of Object.values(pages)) await open(url, false); // the browser itself is warm
    for (let i = 0; i < job.loads; i += 1) {
      for (const [name, url] of Object.entries(pages)) {
        const { usable, cls } = await open(url, false);
        out[name].usable.push(usable);
        out[name].cls?.push(cls);
      }
    }
    for (let i = 0; i < job.slowLoads; i += 1) {
      for (const [name, url] of Object.entries(pages)) {
        const { usable, lcp } = await open(url, true);
        out[name].usable4G.push(usable);
        out[name].lcp4G?.push(lcp);
      }
    }
    return out;
  });
}

async function measure(page, url) {
  await page.goto(url, { waitUntil: "commit" });
  const usable = await page.evaluate(async () => (await window.usable) - performance.timeOrigin);
  await page.waitForTimeout(300); // layout that shifts does so now
  const { lcp, cls } = await page.evaluate(() => ({ lcp: window.bench.lcp, cls: window.bench.cls }));
  return { usable, lcp, cls };
}
