import { CheckIcon } from "../icons";
import styles from "./menu.module.css";

interface LanguagesProps {
  locales: readonly string[];
  current: string;
  onChoose(locale: string): void;
}

/** The languages of the chat, each in its own words. */
export function Languages({ locales, current, onChoose }: LanguagesProps) {
  const named = locales.map((locale) => ({ locale, name: nameOf(locale) }));
  named.sort((a, b) => a.name.localeCompare(b.name));
  return (
    <ul className={styles.list}>
      {named.map(({ locale, name }) => (
        <li key={locale}>
          <button
            type="button"
            className={styles.entry}
            lang={locale}
            aria-current={locale === current ? "true" : undefined}
            onClick={() => onChoose(locale)}
          >
            <bdi className={styles.entryTitle}>{name}</bdi>
            {locale === current && <CheckIcon size={18} />}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A language's own name, as a title. */
export function nameOf(locale: string): string {
  try {
    const name = new Intl.DisplayNames(locale, { type: "language" }).of(locale) ?? locale;
    const [first = "", ...rest] = name;
    return first.toLocaleUpperCase(locale) + rest.join("");
  } catch {
    return locale;
  }
}
