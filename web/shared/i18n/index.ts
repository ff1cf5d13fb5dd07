// Texts of a program in a language: catalogs, placeholders in braces, plural forms by the language's rules.

/** A text, or its plural forms, which are chosen by the parameter `count`. */
export type Entry = string | Partial<Record<Intl.LDMLPluralRule, string>>;
export type Catalog = Readonly<Record<string, Entry>>;
export type Params = Readonly<Record<string, string | number>>;

const scriptsFromTheRight = new Set(["Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg"]);

/** Formats an entry. Numbers are written as the language writes them; an unknown placeholder stays as it is. */
export function format(entry: Entry, locale: string, params: Params = {}): string {
  const text = typeof entry === "string" ? entry : pluralForm(entry, locale, Number(params.count));
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : value;
  });
}

function pluralForm(entry: Exclude<Entry, string>, locale: string, count: number): string {
  return entry[new Intl.PluralRules(locale).select(count)] ?? entry.other ?? "";
}

/** The first of the wanted languages that there is, else one of the same language, else the first there is. */
export function pickLocale(wanted: readonly string[], available: readonly string[]): string {
  for (const tag of wanted) {
    const language = tag.split("-")[0];
    const found = available.find((a) => a === tag) ?? available.find((a) => a.split("-")[0] === language);
    if (found) return found;
  }
  return available[0]!;
}

/** Whether a language is written from the right to the left. */
export function isRightToLeft(locale: string): boolean {
  return scriptsFromTheRight.has(new Intl.Locale(locale).maximize().script ?? "");
}

/** A catalog that is longer by some 40 percent and accented, which shows cut and untranslated text. */
export function pseudo(catalog: Catalog): Catalog {
  const change = (entry: Entry): Entry =>
    typeof entry === "string"
      ? lengthen(entry)
      : Object.fromEntries(Object.entries(entry).map(([form, text]) => [form, lengthen(text)]));
  return Object.fromEntries(Object.entries(catalog).map(([key, entry]) => [key, change(entry)]));
}

const accents: Record<string, string> = { a: "á", e: "é", i: "í", o: "ó", u: "ú", n: "ñ", A: "Á", E: "É", O: "Ó" };

function lengthen(text: string): string {
  const parts = text.split(/(\{\w+\})/);
  const accented = parts.map((part) => (part.startsWith("{") ? part : part.replace(/[aeiounAEO]/g, (c) => accents[c]!)));
  return `${accented.join("")}${"·".repeat(Math.ceil(text.length * 0.4))}`;
}
