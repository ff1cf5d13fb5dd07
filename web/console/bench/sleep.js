// Ten minutes of sleep: the clock jumps, everything has changed meanwhile, and the stream of events is dead. Either the
// browser tells the page that the network has come back, or nothing says so.
import { connect, createServer } from "node:net";
import { callAPI, now, within, withBrowser, withPage } from "./page.js";

const patience = 20_000;
const slept = 10 * 60_000;

export async function sleep(job) {
  const ids = await Promise.all(
    Array.from({ length: job.sleepers }, async (_, i) => (await callAPI(job, "POST", "/agents", { name: nameOf(i, 0) })).id),
  );
  const network = await startNetwork(new URL(job.origin).port);
  const out = { console: { online: [], silent: [] }, lost: 0, doubled: 0 };
  let round = 0;
  const measure = async (page, way) => {
    round += 1;
    const told = way === "online";
    if (told) await page.context().setOffline(true);
    network.silence();
    await Promise.all(ids.map((id, i) => callAPI(job, "PUT", `/agents/${id}`, { name: nameOf(i, round) })));
    const wanted = ids.map((_, i) => nameOf(i, round)).sort().join();
    await page.evaluate(watchFor, { family, wanted, slept });
    const woken = now();
    network.wake();
    if (told) await page.context().setOffline(false);
    const seen = await within(patience, page.evaluate(() => window.right));
    if (seen !== undefined) out.console[way].push(seen - woken);
    const shown = await page.evaluate(() => window.names());
    out.lost += ids.filter((_, i) => !shown.includes(nameOf(i, round))).length;
    out.doubled += shown.length - new Set(shown).size;
  };
  try {
    await withBrowser(async (browser) => {
      for (let i = 0; i < job.sleeps; i += 1) {
        for (const way of ["online", "silent"]) {
          await withPage(browser, { ...job, init: jumpingClock }, async (page) => {
            await page.goto(`${network.origin}/console/agents`);
            await page.getByText(nameOf(0, round), { exact: true }).first().waitFor();
            await page.waitForTimeout(1500);
            await measure(page, way);
          });
        }
      }
    });
  } finally {
    network.stop();
  }
  return out;
}

const family = `Sleeper${Date.now().toString(36)}`; // other runs may have left theirs
const nameOf = (i, round) => `${family}-${String(i).padStart(3, "0")}-${round}.`;

// jumpingClock and watchFor run in the page.
function jumpingClock() {
  const real = Date.now.bind(Date);
  window.jump = 0;
  Date.now = () => real() + window.jump;
}

function watchFor({ family, wanted, slept }) {
  const name = new RegExp(`${family}-\\d+-\\d+\\.`, "g");
  window.names = () => document.querySelector("main")?.textContent.match(name) ?? [];
  window.right = window.bench.painted(() => window.names().sort().join() === wanted);
  window.jump += slept;
}

/**
 * A way to the server that can fall asleep: the stream of events goes silent, and nobody says so; connections that wait
 * for a request end, as a browser ends them when the computer goes to sleep.
 */
async function startNetwork(port) {
  const open = new Set();
  let isAsleep = false;
  const server = createServer((near) => {
    near.on("error", () => {});
    if (isAsleep) return near.destroy();
    const far = connect(port, "127.0.0.1");
    const ends = { near, far, isStream: false };
    open.add(ends);
    near.on("data", (piece) => (ends.isStream = piece.includes("GET /console/api/v1/events")));
    near.pipe(far).pipe(near);
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => open.delete(ends) && near.destroy());
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const silence = () => {
    isAsleep = true;
    for (const { near, far, isStream } of open) {
      far.unpipe(near);
      if (!isStream) near.destroy();
      far.destroy();
    }
    open.clear();
  };
  const origin = `http://localhost:${server.address().port}`;
  return { origin, silence, wake: () => (isAsleep = false), stop: () => server.close() };
}
