// What the closed chat does by itself: its window opens after a while, and its first messages float above the button.
import type { Config } from "../chat/config";
import { isSmall } from "./screen";
import { globals } from "./script";
import { read } from "./storage";

/** Reports whether the page wants the first messages to float above the button, and they have not yet. */
export function wantsFloating(key: string): boolean {
  const { showFloatingInitialMessages: isWanted, floatingMessagesOncePerSession: isOnce } = globals.chatbaseConfig ?? {};
  return !!isWanted && (isOnce === false || !read("sessionStorage", `${key}:floated`));
}

/** Reports whether a person has the visitor's conversation: they may write while the chat is closed. */
export const awaitsPerson = (key: string): boolean => Number(read("localStorage", `${key}:person`)) > Date.now();

/** Opens the window after a while, if the agent wants it and it was not open that day. Returns what ends the waiting. */
export function openLater({ styles: { chat } }: Config, key: string, open: () => void): () => void {
  const mobile = isSmall() ? { ...chat.mobile } : undefined;
  const own = mobile?.autoOpenChatWindowAfter;
  const seconds = mobile && !mobile.showAutoOpen ? null : own?.enabled ? own.value : chat.autoOpenChatWindowAfter;
  const wasOpened = () => read("localStorage", `${key}:opened`) === new Date().toDateString();
  if (typeof seconds !== "number" || seconds < 0 || wasOpened()) return () => {};
  const timer = setTimeout(() => wasOpened() || open(), seconds * 1000);
  return () => clearTimeout(timer);
}
