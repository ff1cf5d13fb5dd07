import { rowsOf } from "../api/pages";
import { useTranscript } from "../api/report";
import { formatDate, useTexts, type Key } from "../i18n";
import { Button } from "./button";
import { Failed, Loading } from "./states";
import styles from "./transcript.module.css";

const authors: Readonly<Record<string, Key>> = {
  user: "people.customer",
  assistant: "people.agent",
  human: "people.colleague",
};

/** What was said in a conversation, the oldest message first. */
export function Transcript({ conversationId }: { conversationId: string }) {
  const { t, locale } = useTexts();
  const list = useTranscript(conversationId);
  const pages = list.data && { pages: list.data.pages.toReversed() };
  const messages = rowsOf(pages)?.filter(({ text }) => text !== "");
  if (list.isPending) return <Loading rows={4} />;
  if (!messages) return <Failed error={list.error} onRetry={() => void list.refetch()} />;
  if (messages.length === 0) return <p className={styles.detail}>{t("people.nothingSaid")}</p>;
  return (
    <>
      {list.hasNextPage && (
        <div>
          <Button onPress={() => void list.fetchNextPage()} isPending={list.isFetchingNextPage}>
            {t("people.earlier")}
          </Button>
        </div>
      )}
      {list.isFetchNextPageError && <Failed error={list.error} />}
      <ol className={styles.messages} aria-label={t("people.transcript")}>
        {messages.map(({ messageId, author, text, createdAt }) => (
          <li key={messageId} className={author === "user" ? styles.customer : undefined}>
            <p className={styles.detail}>
              {t(authors[author] ?? "people.server")} · <time dateTime={createdAt}>{formatDate(createdAt, locale)}</time>
            </p>
            <p className={styles.text} dir="auto">
              {text}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
