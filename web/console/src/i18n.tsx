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

const dayLength = 86_400_000; // milliseconds

/** How long something lasts since a time, such as "12 min", rounded as in relativeTime; empty below a minute. */
export function formatDuration(since: string, locale: string, now = Date.now()): string {
  const length = now - Date.parse(since);
  const found = units.find(([, size]) => length >= size);
  if (!found) return "";
  const [unit, size] = found;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(Math.round(length / size));
}

/** The day of a time: today and yesterday by these words, any other by its date. */
export function formatDay(time: string, locale: string, now = Date.now()): string {
  const day = new Date(time);
  const days = Math.round((startOfDay(new Date(now)) - startOfDay(day)) / dayLength);
  if (days !== 0 && days !== 1) return new Intl.DateTimeFormat(locale, { dateStyle: "full" }).format(day);
  const [first = "", ...rest] = new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-days, "day");
  return first.toLocaleUpperCase(locale) + rest.join("");
}

const startOfDay = (time: Date) => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();

export const isSameDay = (a: string, b: string) => startOfDay(new Date(a)) === startOfDay(new Date(b));

export function formatTime(time: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(new Date(time));
}

const mostCounted = 99;

/** A number of which the server counts no more than a hundred. */
export function formatCount(count: number, locale: string): string {
  const shown = new Intl.NumberFormat(locale).format(Math.min(count, mostCounted));
  return count > mostCounted ? `${shown}+` : shown;
}

export function formatDate(time: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}
