// Every screen at a slow processor: when its largest part is painted, how much of it shifts, and how long what a person
// does takes until it is seen.
import { bareURL, slowDown, slowdown, withBrowser, withPage } from "./page.js";

const screensOf = ({ agents: { small } }) => ({
  agents: "/agents",
  home: `/agents/${small}`,
  playground: `/agents/${small}/playground`,
  sources: `/agents/${small}/sources`,
  settings: `/agents/${small}/settings`,
  me: "/me",
});

export function screens(job) {
  return withBrowser(async (browser) => {
    const out = { console: { lcp: [], cls: [], inp: [] }, floor: { inp: [] }, names: [], steps: [], missed: [] };
    for (const [name, path] of Object.entries(screensOf(job))) {
      const { lcp, cls } = await withPage(browser, { ...job, isSlow: true }, (page) => load(page, `${job.origin}/console${path}`));
      out.names.push(name);
      out.console.lcp.push(lcp);
      out.console.cls.push(cls);
    }
    await withPage(browser, job, (page, devtools) => walk(page, devtools, job, out));
    await withPage(browser, job, async (page, devtools) => {
      await page.goto(bareURL(job, "answer", { agent: job.agents.small }));
      await slowDown(devtools);
      await page.getByRole("textbox").click();
      await page.keyboard.type("shoes", { delay: 60 });
      out.floor.inp.push(await longest(page));
    });
    return out;
  });
}

async function load(page, url) {
  await page.goto(url, { waitUntil: "commit" });
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForTimeout(1500); // what is read after the heading has come
  return page.evaluate(() => ({ lcp: window.bench.lcp, cls: window.bench.cls }));
}

/** What a person does, each step on the screen that the step before it has led to. */
const stepsOf = (page, { origin, agents: { small } }) => {
  const main = page.getByRole("main");
  const link = (end) => page.locator(`nav a[href$="/agents/${small}${end}"]`).first();
  return {
    "open the command list": () => page.keyboard.press("Control+k"),
    "type into the command list": () => page.keyboard.type("manu", { delay: 60 }),
    "empty the command list": () => page.keyboard.press("Escape"),
    "close the command list": () => page.keyboard.press("Escape"),
    "go to an agent": () => main.locator(`a[href$="/agents/${small}"]`).click(),
    "go to its playground": () => link("/playground").click(),
    "type a question": async () => {
      await page.getByRole("textbox", { name: /^Ask/ }).click();
      await page.keyboard.type("shoes", { delay: 60 });
    },
    "go to its sources": () => link("/sources").click(),
    "choose a row": () => main.getByRole("row").nth(1).getByRole("checkbox").click({ force: true }),
    "choose none": () => main.getByRole("row").nth(1).getByRole("checkbox").click({ force: true }),
    "open a source": () => main.getByRole("row").nth(1).getByText("Manual").click(),
    "close the source": () => page.keyboard.press("Escape"),
    "go to its settings": () => link("/settings").click(),
    "type a setting": async () => {
      await main.getByRole("textbox").first().click();
      await page.keyboard.type("x", { delay: 60 });
    },
    "begin at the agents": () => page.goto(`${origin}/console/agents`),
  };
};

async function walk(page, devtools, job, out) {
  const { "begin at the agents": begin, ...steps } = stepsOf(page, job);
  page.setDefaultTimeout(8000);
  await begin();
  await page.getByRole("main").getByRole("link").first().waitFor();
  await page.waitForTimeout(1000);
  await slowDown(devtools);
  for (const [name, take] of Object.entries(steps)) {
    try {
      await page.evaluate(() => (window.bench.interactions.length = 0));
      await take();
      out.console.inp.push(await longest(page));
      out.steps.push(name);
    } catch (error) {
      out.missed.push(`${name}: ${String(error).split("\n")[0]}`);
    }
  }
}

/** The longest interaction since the last look; events shorter than 16 ms are not told of. */
async function longest(page) {
  await page.waitForTimeout(250 * slowdown); // an entry comes after the frame
  return page.evaluate(() => Math.max(16, ...window.bench.interactions.map(({ duration }) => duration)));
}
