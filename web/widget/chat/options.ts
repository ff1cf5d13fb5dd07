// The looks and texts of the chat: the agent's, and over them what the page sets for as long as it is loaded.
import type { PageOptions } from "../channel";
import type { Config } from "./config";
import type { Mode, Options } from "./state";

export const maxInitialCharacters = 1_000;

// The texts that a page may set, with their longest lengths.
const texts = { displayName: 100, bubbleText: 100, footer: 1_000, messagePlaceholder: 100, dismissableNotice: 1_000 } as const;

/** Reads what a page sets. What has another form is left out; initial messages that are too long are refused. */
export function readOptions(data: unknown): { options: PageOptions; problems: string[] } {
  const given = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  const options: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, longest] of Object.entries(texts)) {
    const value = name === "dismissableNotice" ? (given.dismissableNotice ?? given.notice) : given[name];
    if (typeof value === "string") options[name] = cut(value, longest);
  }
  for (const name of ["dictationOnly", "hideActionsMenu", "title"]) {
    if (typeof given[name] === "boolean") options[name] = given[name];
  }
  if (typeof given.dictationSilenceTimeout === "number") options.dictationSilenceTimeout = given.dictationSilenceTimeout;
  if (typeof given.dictationWaveformColor === "string" && /^#[0-9a-f]{3,8}$/i.test(given.dictationWaveformColor)) {
    options.dictationWaveformColor = given.dictationWaveformColor;
  }
  if (Array.isArray(given.suggestedMessages)) options.suggestedMessages = given.suggestedMessages.slice(0, 100);
  if (given.initialMessages !== undefined) {
    if (isTextList(given.initialMessages)) options.initialMessages = given.initialMessages;
    else problems.push(`initialMessages must be texts, not empty, of ${maxInitialCharacters} characters in all`);
  }
  return { options, problems };
}

function isTextList(value: unknown): value is string[] {
  if (!Array.isArray(value) || !value.every((text) => typeof text === "string" && text.trim())) return false;
  return value.join("").length <= maxInitialCharacters;
}

/** Finds the list of initial messages: what came, or a member of it, by the name of the option or as messages. */
export function readInitial(data: unknown): readonly unknown[] | null {
  const { messages, initialMessages = messages } = (data ?? {}) as { messages?: unknown; initialMessages?: unknown };
  return [data, initialMessages].find(Array.isArray) ?? null;
}

/** Reads initial messages that are cut where they are too long. */
export function cutInitial(all: readonly unknown[]): string[] {
  const list: string[] = [];
  let left = maxInitialCharacters;
  for (const text of all) {
    if (typeof text !== "string" || !text.trim() || left <= 0) continue;
    list.push(cut(text, left));
    left -= text.length;
  }
  return list;
}

/** Cuts a text between characters. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = /[\ud800-\udbff]/.test(text[longest - 1]!) ? longest - 1 : longest;
  return text.slice(0, end);
}

/** The options of a chat that is shown in a mode. */
export function mergeOptions(config: Config, mode: Mode, page: PageOptions, isSmall: boolean): Options {
  const { chat, centerStage } = config.styles;
  const stage = mode === "stage" && centerStage ? withoutNulls(centerStage) : {};
  const styles = { ...chat, ...stage };
  const mobile = chat.mobile?.initialMessages;
  const own = isSmall && mobile?.enabled ? mobile.value : config.initialMessages;
  const welcome = mode === "stage" && centerStage?.welcomeMessage ? [centerStage.welcomeMessage] : own;
  const suggested = (mode === "stage" && centerStage?.suggestedMessages) || config.suggestedMessages;
  return {
    ...styles,
    ...(page as object),
    displayName: page.displayName || styles.displayName || config.name,
    initialMessages: page.initialMessages ?? welcome ?? [],
    suggestedMessages: page.suggestedMessages ?? suggested ?? [],
    hideActionsMenu: page.hideActionsMenu ?? false,
    showDataSource: mode === "stage" ? (centerStage?.showDataSource ?? true) : true,
    title: page.title ?? false,
    dictationOnly: page.dictationOnly ?? false,
  };
}

const withoutNulls = (all: object) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));

/** What the page says of its visitor beside the proof, which nobody has checked: at most 1,000 characters. */
export function publicMetadata(identity: Record<string, unknown>): unknown {
  const { token, user_id, user_hash, user_metadata, ...others } = identity;
  const all = { ...(typeof user_metadata === "object" ? user_metadata : {}), ...others };
  if (typeof user_metadata === "string" && Object.keys(others).length === 0) return cut(user_metadata, 1_000);
  if (Object.keys(all).length === 0) return "";
  const text = JSON.stringify(all);
  return text.length > 1_000 ? cut(text, 1_000) : all;
}
