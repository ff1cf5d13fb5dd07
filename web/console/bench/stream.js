// A long answer that is streamed into the page at a slow processor.
import { bareURL, slowDown, withBrowser, withPage } from "./page.js";

export function stream(job) {
  const agent = job.agents.long;
  const pages = { floor: bareURL(job, "answer", { agent }), console: `${job.origin}/console/agents/${agent}/playground` };
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

const longestAnswer = 60_000;

/** The metrics of DevTools, and what the bars call them. */
const metrics = { script: "ScriptDuration", style: "RecalcStyleDuration", layout: "LayoutDuration", task: "TaskDuration" };

async function measure(page, devtools, url) {
  await devtools.send("Performance.enable");
  await page.goto(url);
  await page.getByRole("textbox", { name: /^Ask/ }).click();
  await page.keyboard.type("Tell me everything.");
  await page.waitForTimeout(1500);
  await slowDown(devtools);
  const isAnswer = (request) => request.method() === "POST" && request.url().endsWith("/playground");
  // A page that stops reading at the end's mark has cancelled the request in the browser's eyes.
  const ends = ["requestfinished", "requestfailed"];
  const answered = Promise.any(ends.map((name) => page.waitForEvent(name, { predicate: isAnswer, timeout: longestAnswer })));
  const before = await read(devtools);
  const began = await page.evaluate(() => performance.now());
  await page.keyboard.press("Enter");
  await answered;
  await page.waitForTimeout(1000); // what is shown of the answer once it is there
  const after = await read(devtools);
  const frame = await page.evaluate(
    (began) => Math.max(0, ...window.bench.frames.filter((f) => f.startTime >= began).map((f) => f.duration)),
    began,
  );
  await page.getByText("This is the end.").first().waitFor({ state: "attached" });
  return { ...Object.fromEntries(Object.keys(metrics).map((key) => [key, after[key] - before[key]])), frame };
}

async function read(devtools) {
  const found = (await devtools.send("Performance.getMetrics")).metrics;
  const of = (name) => found.find((one) => one.name === name).value * 1000;
  return Object.fromEntries(Object.entries(metrics).map(([key, name]) => [key, of(name)]));
}
