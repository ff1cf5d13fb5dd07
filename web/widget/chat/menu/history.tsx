import { useEffect, useState } from "preact/hooks";
import type { ConversationHead } from "../state";
import type { Translate } from "../translate";
import styles from "./menu.module.css";

interface HistoryProps {
  t: Translate;
  locale: string;
  /** The conversation that is open. */
  current: string | null;
  /** The list is loaded again when this changes. */
  version?: number;
  load(): Promise<readonly ConversationHead[]>;
  onOpen(id: string): void;
}

type Loaded = { state: "loading" } | { state: "failed" } | { state: "ready"; list: readonly ConversationHead[] };

/** The earlier conversations of the customer, newest first. */
export function History({ t, locale, current, version = 0, load, onOpen }: HistoryProps) {
  const [loaded, setLoaded] = useState<Loaded>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isWanted = true;
    if (loaded.state === "failed") setLoaded({ state: "loading" });
    load().then(
      (list) => isWanted && setLoaded({ state: "ready", list }),
      () => isWanted && setLoaded((before) => (before.state === "ready" ? before : { state: "failed" })),
    );
    return () => void (isWanted = false);
  }, [attempt, current, version]);

  if (loaded.state === "loading") return <p role="status">{t("menu.historyLoading")}</p>;
  if (loaded.state === "failed") {
    return (
      <div role="alert">
        <p>{t("menu.historyFailed")}</p>
        <button type="button" className={styles.retry} onClick={() => setAttempt((n) => n + 1)}>
          {t("menu.historyRetry")}
        </button>
      </div>
    );
  }
  if (loaded.list.length === 0) return <p role="status">{t("menu.historyEmpty")}</p>;
  return (
    <ul className={styles.list}>
      {loaded.list.map((conversation) => (
        <li key={conversation.id}>
          <button
            type="button"
            className={styles.entry}
            aria-current={conversation.id === current ? "true" : undefined}
            onClick={() => onOpen(conversation.id)}
          >
            <span className={styles.entryTitle} dir="auto">
              {conversation.title || t("menu.historyUntitled")}
            </span>
            <time className={styles.entryTime} dateTime={new Date(conversation.updatedAt).toISOString()}>
              {formatMoment(conversation.updatedAt, locale)}
            </time>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** When something was: the time for today, the date for other days. */
export function formatMoment(time: number, locale: string, now = Date.now()): string {
  const isToday = new Date(time).toDateString() === new Date(now).toDateString();
  return new Intl.DateTimeFormat(locale, isToday ? { timeStyle: "short" } : { dateStyle: "medium" }).format(time);
}
