// What the page may say to the chat.
import { cutInitial, readInitial, readOptions } from "./options";
import type { FrameChat } from "./chat";
import type { Page } from "../channel";

/** Has the chat obey the page. */
export function obeyPage(chat: FrameChat) {
  const { channel } = chat;
  channel.on("page", (data) => {
    const page = readPage(data);
    chat.page.value = page;
    if (data?.needsConfig) chat.post({ type: "config", data: chat.config });
    void chat.chooseLanguage();
  });
  channel.on("identify", (data) => void chat.identify(typeof data === "object" && data ? data : {}));
  channel.on("logout", () => chat.onceKnown(() => chat.logout()));
  channel.on("resetChat", () => chat.onceKnown(() => chat.reset()));
  channel.on("setLocale", (data) => typeof data === "string" && chat.setLocale(data.slice(0, 35)));
  const send = (data: unknown) => {
    const { message, hideMessage } = (data ?? {}) as { message?: unknown; hideMessage?: unknown };
    if (typeof message === "string") void chat.sendForPage(message, hideMessage === true);
  };
  channel.on("send", send);
  // Of a page or an app that shows the frame by itself; a loader opens its window and sends.
  channel.on("open", (data) => {
    chat.focusCount.value++;
    send(data);
  });
  obeyOptions(chat);
  obeyWindow(chat);
  hearTools(chat);
}

function obeyOptions(chat: FrameChat) {
  const { channel, pageOptions } = chat;
  channel.on("setInitialMessages", (data) => {
    const list = readInitial(data);
    if (list) pageOptions.value = { ...pageOptions.value, initialMessages: cutInitial(list) };
  });
  channel.on("setOptions", (data) => {
    const { options, problems } = readOptions(data);
    pageOptions.value = { ...pageOptions.value, ...options };
    for (const message of problems) chat.post({ type: "error", data: { code: "INVALID_OPTIONS", message } });
  });
  channel.on("resetOptions", () => (pageOptions.value = {}));
}

function obeyWindow(chat: FrameChat) {
  const { channel } = chat;
  channel.on("opened", (data) => {
    chat.isOpen.value = true;
    chat.announcer.look();
    if (data?.focus) chat.focusCount.value++;
  });
  channel.on("closed", () => void (chat.isOpen.value = false));
  channel.on("size", (data) => void (chat.isSmall.value = data?.isSmall === true));
}

function hearTools(chat: FrameChat) {
  const { channel, tools } = chat;
  const register = (take: () => void) => {
    take();
    chat.handlersCount.value++;
    chat.rounds.resume();
  };
  channel.on("registerTools", (data) => register(() => tools.registerTools(data)));
  channel.on("registerFormSchema", (data) => {
    register(() => tools.registerForms(data));
    chat.noteIntroduced(); // a loader tells this last
  });
  channel.on("tool-result", (data) => tools.receive("tool-result", data));
  channel.on("form-schema", (data) => tools.receive("form-schema", data));
}

const text = (value: unknown, longest: number) => (typeof value === "string" ? value.slice(0, longest) : "");

function readPage(data: unknown): Page {
  const { url, title, locale, colorScheme } = (data ?? {}) as Record<string, unknown>;
  return {
    url: text(url, 2_000),
    title: text(title, 200),
    locale: text(locale, 35),
    colorScheme: colorScheme === "dark" ? "dark" : "light",
  };
}
