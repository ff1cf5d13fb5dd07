// From what somebody else writes to its row on the screen.
import { bareURL, callAPI, now, pause, within, withBrowser, withPage } from "./page.js";

const patience = 10_000;

export function events(job) {
  const { small } = job.agents;
  const rename = (name) => callAPI(job, "PUT", `/agents/${small}`, { name });
  const add = (name) => callAPI(job, "POST", `/agents/${small}/sources`, { type: "text", name, content: `It is ${name}.` });
  const rows = (path) => bareURL(job, "list", { path, live: "" });
  return withBrowser(async (browser) => {
    const out = { console: { agent: [], source: [] }, floor: { agent: [], source: [] }, lost: 0 };
    const measure = async (where, subject, url, write) => {
      await withPage(browser, job, async (page) => {
        await page.goto(url);
        await page.waitForTimeout(1500);
        for (let i = 0; i < job.events; i += 1) {
          const time = await writeAndSee(page, `${subject}-${where}-${i}.`, write);
          if (time === undefined) out.lost += 1;
          else out[where][subject].push(time);
          await pause(150 + 500 * Math.random()); // so that not all of them meet the pause after the one before
        }
      });
    };
    await measure("floor", "agent", rows("/v2/agents?limit=50"), rename);
    await measure("console", "agent", `${job.origin}/console/agents`, rename);
    await measure("floor", "source", rows(`/v1/agents/${small}/sources?limit=50`), add);
    await measure("console", "source", `${job.origin}/console/agents/${small}/sources`, add);
    return out;
  });
}

/** From sending a write to its row, painted. */
async function writeAndSee(page, name, write) {
  await page.evaluate((name) => void (window.row = window.bench.shown(name)), name);
  const sent = now();
  await write(name);
  const seen = await within(patience, page.evaluate(() => window.row));
  return seen === undefined ? undefined : seen - sent;
}
