// The chat's texts in the visitor's language.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { format, isRightToLeft, pickLocale, pseudo, type Catalog, type Entry, type Params } from "../../shared/i18n";
import en from "../locales/en.json";

export type Key = keyof typeof en;

// English is built in; the others are loaded when they are chosen, as their texts alone: the keys are those of English.
const files = import.meta.glob<readonly Entry[]>(["../locales/*.json", "!../locales/en.json"], { import: "default" });
const loaders: Record<string, () => Promise<Catalog>> = { en: async () => en };
for (const [path, load] of Object.entries(files)) loaders[/([^/]+)\.json$/.exec(path)![1]!] = async () => withKeys(await load());

const withKeys = (texts: readonly Entry[]): Catalog => Object.fromEntries(Object.keys(en).map((key, i) => [key, texts[i]!]));

if (__PSEUDO_LOCALES__) {
  loaders["en-XA"] = async () => pseudo(en);
  loaders["ar-XB"] = async () => pseudo(en);
}

export const locales = Object.keys(loaders);

export interface Texts {
  readonly locale: ReadonlySignal<string>;
  t(key: Key, params?: Params): string;
}

/** Texts in a language that can be changed. */
export class Language implements Texts {
  private readonly shown = signal<{ locale: string; catalog: Catalog }>({ locale: "en", catalog: en });
  private wanted = "en";
  readonly locale = computed(() => this.shown.value.locale);

  t = (key: Key, params?: Params): string => {
    const { locale, catalog } = this.shown.value;
    return format(catalog[key] ?? en[key], locale, params);
  };

  /** Shows the first of the languages that there is. English stays where its texts cannot be loaded. */
  async choose(tags: readonly string[]): Promise<void> {
    const locale = pickLocale(tags.flatMap(withScript), locales);
    this.wanted = locale;
    let shown = { locale, catalog: en as Catalog };
    try {
      shown = { locale, catalog: await loaders[locale]!() };
    } catch {
      shown = { locale: "en", catalog: en };
    }
    if (this.wanted !== locale) return;
    this.shown.value = shown;
    document.documentElement.lang = shown.locale;
    document.documentElement.dir = isRightToLeft(shown.locale) ? "rtl" : "ltr";
  }
}

// withScript adds the catalog's name of a language whose tags mostly name a country: zh-CN is zh-Hans.
function withScript(tag: string): string[] {
  try {
    const { language, script, baseName } = new Intl.Locale(tag).maximize();
    return [tag, baseName, `${language}-${script}`];
  } catch {
    return [];
  }
}

let clocks = newClocks("en");

function newClocks(locale: string) {
  const timeStyle = "short";
  const today = new Intl.DateTimeFormat(locale, { timeStyle });
  return { locale, today, otherDays: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle }) };
}

/** The time of a message, with its date unless that is today's. */
export function formatTime(time: number, locale: string): string {
  if (locale !== clocks.locale) clocks = newClocks(locale);
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return (isToday ? clocks.today : clocks.otherDays).format(time);
}

/** When it is over what takes so many seconds, such as "in 5 minutes". */
export function formatWait(seconds: number, locale: string): string {
  const words = new Intl.RelativeTimeFormat(locale);
  if (seconds <= 90) return words.format(seconds, "second");
  if (seconds <= 90 * 60) return words.format(Math.ceil(seconds / 60), "minute");
  return words.format(Math.ceil(seconds / 3600), "hour");
}
