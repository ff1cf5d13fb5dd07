// The inbox of ten thousand conversations: its first rows, a thread of two thousand messages that is opened and scrolled
// to its beginning, and a customer's message up to its row.
import { bareURL, callAPI, now, pause, within, withBrowser, withPage } from "./page.js";

const patience = 10_000;
const scrollTime = 4_000;
const step = 60; // pixels a frame: fast reading
const newest = "Message 2000.";

export function inbox(job) {
  const pages = { floor: bareURL(job, "inbox"), console: `${job.origin}/console/inbox?view=all` };
  return withBrowser(async (browser) => {
    const out = { console: figures(), floor: figures(), walk: {}, lost: 0 };
    for (let i = 0; i < job.loads; i += 1) {
      for (const [name, url] of Object.entries(pages)) {
        const found = await withPage(browser, { ...job, init: showsRows }, (page, devtools) => measure(page, devtools, url));
        for (const [key, value] of Object.entries(found)) out[name][key].push(value);
      }
    }
    out.walk = await withPage(browser, { ...job, init: showsRows }, (page) => walk(page, pages.console, job.rows));
    for (const [name, url] of Object.entries({ floor: bareURL(job, "inbox", { live: "" }), console: pages.console })) {
      out.lost += await withPage(browser, job, (page) => measureMessages(page, job, name, url, out[name].message));
    }
    return out;
  });
}

const figures = () => ({ rows: [], answer: [], open: [], frames: [], frame: [], elements: [], heap: [], message: [] });

const showsRows = () => (window.rows = window.bench.shown("customer-00000"));

async function measure(page, devtools, url) {
  await page.goto(url, { waitUntil: "commit" });
  const first = await page.evaluate(async () => {
    const shown = (await window.rows) - performance.timeOrigin;
    const data = performance.getEntriesByType("resource").find(({ name }) => /\/inbox\?/.test(name));
    return { rows: shown - data.responseEnd, answer: data.responseEnd - data.startTime };
  });
  const open = await openThread(page);
  return { ...first, open, ...(await scroll(page, devtools)) };
}

/** Presses the first conversation; the time up to its newest message, painted. */
async function openThread(page) {
  await page.evaluate((newest) => {
    const row = [...document.querySelectorAll("main a, main button")].find((one) => one.textContent.includes("customer-00000"));
    const area = () => document.querySelector("#thread, [role=region][tabindex='0'] ol")?.closest("[tabindex='0']");
    window.areaOfThread = area;
    row.addEventListener("click", () => (window.pressed = performance.timeOrigin + performance.now()), { capture: true, once: true });
    window.opened = window.bench.painted(() => area()?.textContent.includes(newest));
    row.click();
  }, newest);
  return page.evaluate(async () => (await window.opened) - window.pressed);
}

/** Scrolls back in time for some seconds, and counts the frames. */
async function scroll(page, devtools) {
  const found = await page.evaluate(
    ({ scrollTime, step }) =>
      new Promise((resolve) => {
        const area = window.areaOfThread();
        const began = performance.now();
        let frames = 0;
        let elements = 0;
        const next = () => {
          frames += 1;
          area.scrollTop -= step;
          if (frames % 30 === 0) elements = Math.max(elements, document.querySelectorAll("*").length);
          const time = performance.now() - began;
          if (time < scrollTime) return requestAnimationFrame(next);
          const slow = window.bench.frames.filter(({ startTime }) => startTime >= began);
          resolve({ frames: (frames * 1000) / time, elements, frame: Math.max(0, ...slow.map(({ duration }) => duration)) });
        };
        requestAnimationFrame(next);
      }),
    { scrollTime, step },
  );
  await devtools.send("HeapProfiler.collectGarbage");
  return { ...found, heap: await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6) };
}

/** Goes down the list, until so many rows have been read or it has taken too long. */
async function walk(page, url, wanted) {
  let read = 0;
  page.on("response", (reply) => {
    if (/\/inbox\?/.test(reply.url())) reply.json().then(({ data }) => (read += data.length), () => {});
  });
  await page.goto(url);
  await page.evaluate(() => window.rows);
  await page.getByRole("list", { name: "Conversations" }).hover();
  for (const began = now(); read < wanted && now() - began < 30_000; ) {
    await page.mouse.wheel(0, 3000);
    await page.waitForTimeout(30);
  }
  return page.evaluate((read) => ({ read, elements: document.querySelectorAll("*").length }), read);
}

/** From sending what a customer writes to its row. Returns how many never came. */
async function measureMessages(page, job, name, url, times) {
  await page.goto(url);
  await page.waitForTimeout(1500);
  let lost = 0;
  for (let i = 0; i < job.events; i += 1) {
    const message = `${name} says ${i}.`;
    const id = job.taken[1 + (i % (job.taken.length - 1))];
    await page.evaluate((text) => void (window.row = window.bench.shown(text)), message);
    const sent = now();
    await callAPI(job, "POST", `/agents/${job.agents.inbox}/conversations/${id}/messages`, { message });
    const seen = await within(patience, page.evaluate(() => window.row));
    if (seen === undefined) lost += 1;
    else times.push(seen - sent);
    await pause(150 + 500 * Math.random()); // so that not all of them meet the pause after the one before
  }
  return lost;
}
