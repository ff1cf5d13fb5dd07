// What a page may change of the chat's texts. Names that nobody has documented are in this file alone.
import type { PageOptions } from "../channel";

/** The most characters of all initial messages. */
const maxInitialMessages = 1000;

const text = (limit: number) => (value: unknown) => typeof value === "string" && value.length <= limit;
const isFlag = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const lengthOf = (texts: string[]) => texts.join("").length;

const rules: { [Name in keyof Required<PageOptions>]: (value: unknown) => boolean } = {
  displayName: text(100),
  bubbleText: text(100),
  footer: text(1000),
  messagePlaceholder: text(100),
  dismissableNotice: text(1000),
  initialMessages: (value) => Array.isArray(value) && value.every(isText) && lengthOf(value) <= maxInitialMessages,
  suggestedMessages: Array.isArray,
  dictationOnly: isFlag,
  dictationSilenceTimeout: (value) => Number(value) >= 0,
  dictationWaveformColor: text(100),
  hideActionsMenu: isFlag,
  title: isFlag,
};

const warned = new Set<string>();

/** Returns the options that hold to the rules. The others are not taken, and the page's author is told. */
export function checkOptions(given: object): PageOptions {
  const taken: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given ?? {})) {
    const name = (key === "notice" ? "dismissableNotice" : key) as keyof PageOptions;
    if (!Object.keys(rules).includes(name)) {
      if (!warned.has(key)) console.warn(`Parley: there is no option ${key}`);
      warned.add(key);
    } else if (rules[name](value)) {
      taken[name] = value;
    } else {
      console.error(`Parley: the option ${key} is too long, or not what it should be`);
    }
  }
  return taken;
}

/** Cuts initial messages after 1,000 characters in all. */
export function cutMessages(given: unknown): string[] {
  let rest = maxInitialMessages;
  const texts = (Array.isArray(given) ? given : []).filter(isText);
  const cut = texts.map((whole) => {
    const part = whole.slice(0, rest).replace(/[\ud800-\udbff]$/, "");
    rest -= part.length;
    return part;
  });
  return cut.filter(isText);
}
