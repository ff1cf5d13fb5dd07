// The texts that are there: those of the first page and of every page that was loaded since, by language. The build
// splits the catalogs (texts.js).
import core, { english } from "texts:core";
import { pseudo, type Catalog, type Entry } from "../../shared/i18n";

/** What loads the texts of a page, by language. */
export type Loaders = Readonly<Record<string, () => Promise<{ default: Catalog }>>>;

export const locales = ["en", "de", "fr", "es", "pt-BR", "ja", "ar"];
const pseudoLocales = __PSEUDO_LOCALES__ ? ["en-XA", "ar-XB"] : [];
locales.push(...pseudoLocales);

const texts: Record<string, Record<string, Entry>> = Object.fromEntries(locales.map((locale) => [locale, {}]));
const loaded = new Map<string, Set<Loaders>>(locales.map((locale) => [locale, new Set()]));
const used = new Set([core]); // the pages whose texts a change of the language loads
Object.assign(texts["en"]!, english); // also where those of another language do not arrive
let shown = "en";
let changes = 0;

/** The text of a key in a language, once the texts of its page are there; else what there is of it in English. */
export const findText = (key: string, locale: string): Entry | undefined => texts[locale]?.[key] ?? texts["en"]![key];

/** Loads the texts of a page in the language that is shown. */
export function loadTexts(page: Loaders): Promise<void> {
  used.add(page);
  return load(page, shown);
}

/** Loads the texts of all pages that are in use in a language, which is shown from then on. */
export async function changeLocale(locale: string): Promise<void> {
  const change = ++changes;
  for (let count = 0; count < used.size; ) {
    count = used.size; // further pages may come into use meanwhile
    await Promise.all([...used].map((page) => load(page, locale)));
  }
  if (change === changes) shown = locale;
}

export const shownLocale = () => shown;

async function load(page: Loaders, locale: string): Promise<void> {
  if (loaded.get(locale)!.has(page)) return;
  const isPseudo = pseudoLocales.includes(locale);
  const { default: catalog } = await page[isPseudo ? "en" : locale]!();
  Object.assign(texts[locale]!, isPseudo ? pseudo(catalog) : catalog);
  loaded.get(locale)!.add(page);
}
