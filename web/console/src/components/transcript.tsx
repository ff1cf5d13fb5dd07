import { useMemo } from "react";
import { useThread, wholeThread, type ThreadEntry } from "../api/inbox";
import { formatDate, useTexts, type Key } from "../i18n";
import { KeepPlace } from "./keep-place";
import { More } from "./more";
import { Failed, Loading } from "./states";
import styles from "./transcript.module.css";

const authors: Readonly<Record<string, Key>> = {
  user: "people.customer",
  assistant: "people.agent",
  human: "people.colleague",
};

const textOf = ({ parts }: ThreadEntry) => parts.map(({ text }) => text ?? "").join("");

/** What the customer has seen of it: no notes, and nothing without words. */
const isSaid = (entry: ThreadEntry) => entry.type === "reply" && textOf(entry) !== "";

/** What was said in a conversation, the oldest message first. */
export function Transcript({ conversationId }: { conversationId: string }) {
  const { t, locale } = useTexts();
  const query = useThread(conversationId);
  const messages = useMemo(() => wholeThread(query.data)?.entries.filter(isSaid), [query.data]);
  if (query.isPending) return <Loading rows={4} />;
  if (!messages) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  if (messages.length === 0 && !query.hasNextPage) return <p className={styles.detail}>{t("people.nothingSaid")}</p>;
  return (
    <>
      <More list={query} label={t("people.earlier")} isAsked />
      <KeepPlace isStartKept>
        <ol className={styles.messages} aria-label={t("people.transcript")}>
          {messages.map((entry) => (
            <li key={entry.messageId} className={entry.author === "user" ? styles.customer : undefined} data-row={entry.seq}>
              <p className={styles.detail}>
                {t(authors[entry.author] ?? "people.server")} · <time dateTime={entry.createdAt}>{formatDate(entry.createdAt, locale)}</time>
              </p>
              <p className={styles.text} dir="auto">
                {textOf(entry)}
              </p>
            </li>
          ))}
        </ol>
      </KeepPlace>
      <More list={query} isBack label={t("inbox.later")} />
    </>
  );
}
