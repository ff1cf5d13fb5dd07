import type { Thread } from "../../api/inbox";
import { formatDate, useTexts, type Key } from "../../i18n";
import { nameOf } from "./list";
import styles from "./inbox.module.css";

/** What is known of the customer, and where the conversation came from. */
export function CustomerPane({ thread }: { thread: Thread }) {
  const { t, locale } = useTexts();
  const { person, userId, source, pageTitle, pageOrigin, language, ticketNumber, messages, createdAt, agentName } = thread;
  const languages = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
  const number = new Intl.NumberFormat(locale);
  const rows: readonly [Key, string | undefined][] = [
    ["inbox.email", person?.email],
    ["inbox.phone", person?.phoneNumber],
    ["inbox.userId", person?.userId || userId],
    ["inbox.agent", agentName],
    ["inbox.source", source],
    ["inbox.page", pageTitle || pageOrigin],
    ["inbox.language", language && nameLanguage(languages, language)],
    ["inbox.ticket", ticketNumber ? `#${ticketNumber}` : undefined],
    ["inbox.messages", number.format(messages)],
    ["inbox.began", formatDate(createdAt, locale)],
  ];
  return (
    <div className={styles.person}>
      <h2 dir="auto">{nameOf(thread, t)}</h2>
      <p className={styles.detail}>{t(person ? "inbox.known" : "inbox.unknown")}</p>
      <dl className={styles.facts}>
        {rows.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{t(name)}</dt>
                <dd dir="auto">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </div>
  );
}

// A page may name as its language what is none.
function nameLanguage(languages: Intl.DisplayNames, tag: string): string {
  try {
    return languages.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
