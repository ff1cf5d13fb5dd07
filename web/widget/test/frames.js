// Opens the chat for tests: by itself, or in the page of a site with the loader.
import { newPage } from "./browser.js";
import { agentId, answers, config } from "./chat-answers.js";

/** Nothing in a picture depends on when and where it is made. */
export const place = { timezoneId: "UTC", deviceScaleFactor: 1, reducedMotion: "reduce", locale: "en" };
const now = Date.parse("2026-11-22T12:00:00Z");

/**
 * Opens a state of the chat: {mode, site, isClosed, config, chat, routes, stored, prepare, act, size, options}, in a look:
 * {colorScheme, locale, width, height}. Calls `use` with the page and with what holds the chat, a frame or the page.
 */
export async function openState(browser, server, state, look, use) {
  const { width = look.width, height = look.height } = { ...look, ...state.size };
  server.config = config({ locale: "", ...state.config }, { theme: look.colorScheme ?? "light", ...state.chat });
  server.answer = answers(state.routes);
  server.asked.length = 0;
  const viewport = { width, height };
  const options = { ...place, viewport, colorScheme: look.colorScheme ?? "light", locale: look.locale ?? "en", ...state.options };
  const page = await newPage(browser, [server.host("127.0.0.1"), server.host("localhost")], options);
  try {
    await page.clock.setFixedTime(now);
    await page.addInitScript(keep, state.stored ?? {});
    await page.addInitScript(fakeViewport);
    await state.prepare?.(page);
    await page.goto(addressOf(server, state, look));
    const chat = state.site && !state.isClosed ? await openWindow(page) : page;
    await state.act?.(page, chat, server);
    await use(page, chat);
  } finally {
    await page.context().close();
  }
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

// keep runs in all frames before anything else does.
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
