// From the click on the button to a field that takes what is typed, and from a question to the first letters of its answer.
import { bareURL, withBrowser, withPage } from "../../console/bench/page.js";
import { startPages } from "./site.js";

const answers = 4; // there are limits for the new visitors of an address

export async function open(job) {
  const { pages, near, stop } = await startPages(job);
  try {
    return await withBrowser(async (browser) => {
      const out = { console: { warm: [], cold4G: [], token: [] }, floor: { token: [] } };
      await withPage(browser, { init: noteTimes }, async (page) => {
        await openOnce(page, pages.widget); // the files are kept from now on
        for (let i = 0; i < job.loads; i += 1) out.console.warm.push(await openOnce(page, pages.widget));
        await page.evaluate(() => window.chatbase.open());
        for (let i = 0; i < answers; i += 1) out.console.token.push(await askFrame(page));
      });
      for (let i = 0; i < job.slowLoads; i += 1) {
        out.console.cold4G.push(await withPage(browser, { init: noteTimes, is4G: true }, (page) => openOnce(page, near)));
      }
      await withPage(browser, { ...job, init: noteTimes }, async (page) => {
        await page.goto(bareURL(job, "answer", { agent: job.agents.small }));
        for (let i = 0; i < answers; i += 1) out.floor.token.push(await askBare(page));
      });
      return out;
    });
  } finally {
    stop();
  }
}

// noteTimes runs in the page and in its frames.
function noteTimes() {
  const note = (name) => () => (window[name] = performance.timeOrigin + performance.now());
  addEventListener("click", note("clicked"), true);
  addEventListener("keydown", ({ key }) => key === "Enter" && note("asked")(), true);
  addEventListener("focusin", ({ target }) => target.localName === "textarea" && (window.focused ??= note("focusedAt")()), true);
}

async function chatOf(page) {
  const frame = await (await page.waitForSelector("#chatbase-bubble-window", { state: "attached" })).contentFrame();
  await frame.locator("textarea").waitFor();
  return frame;
}

/** As of a page that was just loaded, by a key: no pointer comes near the button before. It is closed again at the end. */
async function openOnce(page, url) {
  await page.goto(url);
  const button = page.locator("#chatbase-bubble-button");
  await button.waitFor();
  await button.evaluate((element) => element.click());
  const chat = await chatOf(page);
  await chat.waitForFunction(() => window.focused);
  const [clicked, focused] = [await page.evaluate(() => window.clicked), await chat.evaluate(() => window.focused)];
  await page.evaluate(() => window.chatbase.close()); // one that is open would open by itself in the next page
  return focused - clicked;
}

async function askFrame(page) {
  const chat = await chatOf(page);
  const count = await chat.locator("article[data-state]").count();
  await chat.evaluate((count) => {
    // The question, and then what is written of its answer.
    const isWritten = () => document.querySelectorAll("article[data-state]")[count + 1]?.querySelector("p")?.textContent;
    window.written = window.bench.painted(isWritten);
  }, count);
  await chat.locator("textarea").fill("shoes");
  await chat.locator("textarea").press("Enter");
  const written = await chat.evaluate(() => window.written);
  const asked = await chat.evaluate(() => window.asked);
  await chat.locator("article[data-state=complete]").nth(count + 1).waitFor();
  return written - asked;
}

async function askBare(page) {
  await page.evaluate(() => {
    const before = document.querySelector("main").textContent.length;
    window.written = window.bench.painted(() => document.querySelector("main").textContent.length > before);
  });
  await page.getByRole("textbox").fill("shoes");
  await page.getByRole("textbox").press("Enter");
  const written = await page.evaluate(() => window.written);
  return written - (await page.evaluate(() => window.asked));
}
