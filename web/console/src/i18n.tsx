import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { I18nProvider } from "react-aria-components";
import { format, isRightToLeft, pickLocale, type Params } from "../../shared/i18n";
import type en from "./locales/en.json";
import { changeLocale, findText, locales, shownLocale } from "./texts";

export { formatSize } from "./sizes";
export { locales };

export type Key = keyof typeof en;

export interface Texts {
  locale: string;
  t: (key: Key, params?: Params) => string;
  /** Reports whether there is such a text. */
  has: (key: string) => key is Key;
}

const Context = createContext(createTexts("en"));

export const useTexts = () => useContext(Context);

/** Shows its children in the person's language, or else in the browser's, once its texts are there. */
export function Language({ chosen, children }: { chosen: string | undefined; children: ReactNode }) {
  const locale = pickLocale(chosen ? [chosen, ...navigator.languages] : navigator.languages, locales);
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    const show = () => isCurrent && setShown(shownLocale());
    changeLocale(locale).then(show, show);
    return () => void (isCurrent = false);
  }, [locale]);
  useEffect(() => {
    if (!shown) return;
    document.documentElement.lang = shown;
    document.documentElement.dir = isRightToLeft(shown) ? "rtl" : "ltr";
  }, [shown]);
  const texts = useMemo(() => shown && createTexts(shown), [shown]);
  if (!texts) return null;
  return (
    <Context value={texts}>
      <I18nProvider locale={texts.locale}>{children}</I18nProvider>
    </Context>
  );
}

function createTexts(locale: string): Texts {
  return {
    locale,
    t: (key, params) => format(findText(key, locale) ?? lack(key), locale, params),
    has: (key): key is Key => findText(key, locale) !== undefined,
  };
}

function lack(key: string): string {
  console.error(`there is no text ${key}`); // the build looks for it, so that this is never reached
  return key;
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** How long ago a time was, in the largest unit that fits. */
export function relativeTime(time: string, locale: string, now = Date.now()): string {
  const ago = Date.parse(time) - now;
  const [unit, size] = units.find(([, size]) => Math.abs(ago) >= size) ?? ["minute", 60_000];
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.round(ago / size), unit);
}

export function formatDate(time: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}
