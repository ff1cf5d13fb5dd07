// Opens the chat for tests: by itself, or in the page of a site with the loader.
import { emptyPath, leavePage, newPage } from "./browser.js";
import { agentId, answers, config } from "./chat-answers.js";

/** Nothing in a picture depends on when and where it is made. */
export const place = { timezoneId: "UTC", deviceScaleFactor: 1, reducedMotion: "reduce", locale: "en" };
const now = Date.parse("2026-11-22T12:00:00Z");

/**
 * Opens a state of the chat: {mode, site, isClosed, config, chat, routes, stored, prepare, act, size, options}, in a look:
 * {colorScheme, locale, width, height}. Calls `use` with the page and with what holds the chat, a frame or the page.
 */
export async function openState(browser, server, state, look, use) {
  answerFor(server, state, look);
  const page = await openPage(browser, server, state, look);
  try {
    await page.addInitScript(keep, state.stored ?? {});
    await state.prepare?.(page);
    await show(page, server, state, look, use);
  } finally {
    await page.context().close();
  }
}

/**
 * As openState, for states that nobody loads again, one after the other: the next one in the same look has the same page,
 * with a new document. Those that `prepare` a page, and sites with a frame, have one of their own; `prepareOnce` is called
 * with each page.
 */
export async function openNextState(browser, server, state, look, use) {
  if (state.prepare || state.site || state.options) return openState(browser, server, state, look, use);
  answerFor(server, state, look);
  const [pages, key] = [pagesOf(browser), JSON.stringify([look.colorScheme, look.locale, state.prepareOnce?.name])];
  const isNew = !pages.has(key);
  const page = pages.get(key) ?? (await openPage(browser, server, state, look));
  pages.delete(key);
  try {
    if (isNew) await state.prepareOnce?.(page);
    await page.setViewportSize(sizeOf(state, look));
    await page.goto(server.at("127.0.0.1") + emptyPath);
    await page.evaluate(keep, state.stored ?? {});
    await show(page, server, state, look, use);
    await leavePage(page, server.at("127.0.0.1"));
    pages.set(key, page);
  } finally {
    if (pages.get(key) !== page) await page.context().close();
  }
}

const pagesOfBrowsers = new WeakMap();

/** The pages of a browser that show no state at present, by their look. */
function pagesOf(browser) {
  if (!pagesOfBrowsers.has(browser)) pagesOfBrowsers.set(browser, new Map());
  return pagesOfBrowsers.get(browser);
}

function answerFor(server, { config: more, chat, routes }, { colorScheme = "light" }) {
  server.config = config({ locale: "", ...more }, { theme: colorScheme, ...chat });
  server.answer = answers(routes);
  server.asked.length = 0;
}

function sizeOf({ size }, look) {
  const { width, height } = { ...look, ...size };
  return { width, height };
}

/** Opens a page in which nothing is shown yet. */
async function openPage(browser, server, state, look) {
  const { colorScheme = "light", locale = "en" } = look;
  const options = { ...place, viewport: sizeOf(state, look), colorScheme, locale, ...state.options };
  const page = await newPage(browser, [server.host("127.0.0.1"), server.host("localhost")], options);
  await page.clock.setFixedTime(now);
  await page.addInitScript(fakeViewport);
  return page;
}

async function show(page, server, state, look, use) {
  await page.goto(addressOf(server, state, look));
  const chat = state.site && !state.isClosed ? await openWindow(page) : page;
  await state.act?.(page, chat, server);
  await use(page, chat);
}

function addressOf(server, { site, mode = "iframe" }, { locale = "en" }) {
  if (site) return `${server.at("localhost")}/shop?${new URLSearchParams({ lang: locale, ...site })}`;
  const path = mode === "help" ? `/${agentId}/help` : `/chatbot-iframe/${agentId}${mode === "iframe" ? "" : `?mode=${mode}`}`;
  return server.at("127.0.0.1") + path;
}

/** Opens the chat in the page of a site, and returns its frame when it can be written in. */
async function openWindow(page) {
  await page.locator("#chatbase-bubble-button").click();
  const frame = await (await page.waitForSelector("#chatbase-bubble-window")).contentFrame();
  await frame.locator("textarea").waitFor();
  return frame;
}

// keep runs in all frames before anything else does, or in a page of the same site before the chat.
function keep(values) {
  try {
    for (const [name, value] of Object.entries(values)) localStorage.setItem(name, value);
  } catch {
    // a frame of another site's page has no storage
  }
}

// fakeViewport runs in pages before anything else does: `setKeyboard(pixels)` makes the visual viewport smaller from
// below, as a keyboard on the screen does.
function fakeViewport() {
  if (window.parent !== window) return;
  const faked = new EventTarget();
  let keyboard = 0;
  const members = {
    width: () => innerWidth, height: () => innerHeight - keyboard, offsetTop: () => 0, offsetLeft: () => 0,
    pageTop: () => scrollY, pageLeft: () => scrollX, scale: () => 1,
  };
  for (const [name, get] of Object.entries(members)) Object.defineProperty(faked, name, { get });
  Object.defineProperty(window, "visualViewport", { value: faked });
  window.setKeyboard = (pixels) => {
    keyboard = pixels;
    faked.dispatchEvent(new Event("resize"));
  };
}
