// A long answer that is streamed into the chat at a slow processor.
import { bareURL, slowDown, withBrowser, withPage } from "../../console/bench/page.js";
import { chatURL, publish } from "./site.js";

const longestAnswer = 120_000;

export async function stream(job) {
  const agent = job.agents.long;
  await publish(job, agent);
  const pages = { floor: bareURL(job, "answer", { agent }), console: chatURL(job, agent) };
  return withBrowser(async (browser) => {
    const out = {};
    for (const [name, url] of Object.entries(pages)) {
      out[name] = { script: [], style: [], layout: [], task: [], frame: [] };
      for (let i = 0; i < job.answers; i += 1) {
        const found = await withPage(browser, job, (page, devtools) => measure(page, devtools, url));
        for (const [key, value] of Object.entries(found)) out[name][key].push(value);
      }
    }
    return out;
  });
}

/** The metrics of DevTools, and what the bars call them. */
const metrics = { script: "ScriptDuration", style: "RecalcStyleDuration", layout: "LayoutDuration", task: "TaskDuration" };

async function measure(page, devtools, url) {
  await devtools.send("Performance.enable");
  await page.goto(url);
  await page.locator("textarea").fill("Tell me everything.");
  await page.waitForTimeout(1500);
  await slowDown(devtools);
  const before = await read(devtools);
  const began = await page.evaluate(() => performance.now());
  await page.locator("textarea").press("Enter");
  await page.getByText("This is the end.").first().waitFor({ state: "attached", timeout: longestAnswer });
  await page.waitForTimeout(1000); // what is shown of the answer once it is there
  const after = await read(devtools);
  const frame = await page.evaluate(
    (began) => Math.max(0, ...window.bench.frames.filter((f) => f.startTime >= began).map((f) => f.duration)),
    began,
  );
  return { ...Object.fromEntries(Object.keys(metrics).map((key) => [key, after[key] - before[key]])), frame };
}

async function read(devtools) {
  const found = (await devtools.send("Performance.getMetrics")).metrics;
  const of = (name) => found.find((one) => one.name === name).value * 1000;
  return Object.fromEntries(Object.entries(metrics).map(([key, name]) => [key, of(name)]));
}
