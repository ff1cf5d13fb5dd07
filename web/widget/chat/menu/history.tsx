import { useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "../api";
import type { ConversationHead } from "../state";
import type { Translate } from "../translate";
import { Search } from "./search";
import styles from "./menu.module.css";

/** A conversation of the customer. One that was looked for has a piece of what was found in it. */
export type FoundConversation = ConversationHead & { excerpt?: string };

interface HistoryProps {
  t: Translate;
  locale: string;
  /** The conversation that is open. */
  current: string | null;
  /** The list is loaded again when this changes. */
  version?: number;
  /** Loads the conversations in which the words of `query` are; all of them for none. */
  load(query: string): Promise<readonly FoundConversation[]>;
  onOpen(id: string): void;
}

/** Loads a visitor's conversations, as `History` asks for them. */
export const loadConversations = (api: Api) => (query: string) =>
  api.request<FoundConversation[]>("GET", query ? `/conversations?${new URLSearchParams({ query })}` : "/conversations");

type Loaded = { state: "loading" } | { state: "failed" } | { state: "ready"; query: string; list: readonly FoundConversation[] };

/** The earlier conversations of the customer, newest first, with a field to search in them once there are any. */
export function History({ t, locale, current, version = 0, load, onOpen }: HistoryProps) {
  const [loaded, setLoaded] = useState<Loaded>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);
  const [query, setQuery] = useState("");
  const hasChats = useRef(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isWanted = true;
    if (loaded.state === "failed") setLoaded({ state: "loading" });
    const isShown = (before: Loaded) => before.state === "ready" && before.query === query;
    load(query).then(
      (list) => isWanted && setLoaded({ state: "ready", query, list }),
      () => isWanted && setLoaded((before) => (isShown(before) ? before : { state: "failed" })),
    );
    return () => void (isWanted = false);
  }, [attempt, current, version, query]);

  hasChats.current ||= loaded.state === "ready" && loaded.list.length > 0;
  const list = <Conversations {...{ t, locale, current, loaded, onOpen }} onRetry={() => setAttempt((n) => n + 1)} />;
  if (!hasChats.current) return list;
  return (
    <div ref={root} className={styles.history} onKeyDown={(event) => walk(root.current!, event)}>
      <Search t={t} onSearch={setQuery} />
      {list}
    </div>
  );
}

/** Leads up and down between the field and the conversations. */
function walk(root: HTMLElement, event: KeyboardEvent) {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || event.isComposing) return;
  const all = [...root.querySelectorAll<HTMLElement>("input, li button")];
  const next = all.at((all.indexOf(document.activeElement as HTMLElement) + step) % all.length);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface ConversationsProps {
  t: Translate;
  locale: string;
  current: string | null;
  loaded: Loaded;
  onOpen(id: string): void;
  onRetry(): void;
}

function Conversations({ t, locale, current, loaded, onOpen, onRetry }: ConversationsProps) {
  if (loaded.state === "loading") return <p role="status">{t("menu.historyLoading")}</p>;
  if (loaded.state === "failed") {
    return (
      <div role="alert">
        <p>{t("menu.historyFailed")}</p>
        <button type="button" className={styles.retry} onClick={onRetry}>
          {t("menu.historyRetry")}
        </button>
      </div>
    );
  }
  const { query, list } = loaded;
  const count = list.length;
  const said = query ? (count ? t("menu.searchFound", { count }) : t("menu.searchEmpty")) : count ? "" : t("menu.historyEmpty");
  return (
    <>
      <p role="status" className={styles.found}>
        {said}
      </p>
      {count > 0 && <List {...{ t, locale, current, list, onOpen }} />}
    </>
  );
}

interface ListProps {
  t: Translate;
  locale: string;
  current: string | null;
  list: readonly FoundConversation[];
  onOpen(id: string): void;
}

function List({ t, locale, current, list, onOpen }: ListProps) {
  return (
    <ul className={styles.list}>
      {list.map((conversation) => (
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
            {conversation.excerpt && (
              <span className={styles.excerpt} dir="auto">
                {conversation.excerpt}
              </span>
            )}
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
