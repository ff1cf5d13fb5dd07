import { render, type FunctionComponent } from "preact";
import { App } from "./app";
import { Channel } from "./channel";
import { FrameChat } from "./chat";
import { obeyPage } from "./commands";
import type { Config } from "./config";
import { ChatProvider } from "./context";
import { notePersons } from "./person-note";
import { hasMarkup, preloadAnswers } from "./rich-text";
import type { Mode } from "./state";
import { NotAvailable } from "./not-available";

/** Shows the chat, by itself or in what `View` puts around it, and goes on with the visitor's conversation. */
export async function startChat(root: HTMLElement, config: Config, mode: Mode, View: FunctionComponent = App): Promise<FrameChat> {
  const channel = new Channel();
  const chat = new FrameChat(config, mode, channel);
  document.body.dataset.mode = mode;
  if (mode === "preview") {
    (await import("./preview")).startPreview(root, chat);
    return chat;
  }
  obeyPage(chat);
  notePersons(chat);
  channel.ready();
  // What is kept says in which language, and whether the notice is shown. A page may not answer, or late.
  const isKnown = Promise.race([config.isAvailable && chat.store.open(), pause()]);
  await Promise.all([isKnown.then(() => chat.chooseLanguage()), readyToRead(chat)]);
  render(<ChatProvider value={chat}>{config.isAvailable ? <View /> : <NotAvailable />}</ChatProvider>, root);
  if (config.isAvailable) await chat.open();
  return chat;
}

const longestWait = 400; // milliseconds

const pause = () => new Promise((resolve) => setTimeout(resolve, longestWait));

/** Waits for what reads Markdown where the chat begins with some: texts do not change their size once they are seen. */
function readyToRead({ options }: FrameChat): Promise<unknown> {
  const { initialMessages, dismissableNotice, footer } = options.value;
  if (![...initialMessages, dismissableNotice ?? "", footer ?? ""].some(hasMarkup)) return Promise.resolve();
  return Promise.race([preloadAnswers(), pause()]);
}
