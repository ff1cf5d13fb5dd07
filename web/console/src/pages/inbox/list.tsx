import { useEffect, useReducer, useRef, useState, type ReactNode } from "react";
import { Link } from "react-aria-components";
import type { Found, InboxRow } from "../../api/inbox";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { relativeTime, useTexts } from "../../i18n";
import { showName } from "../../names";
import { ConversationState } from "./state";
import { keepOrder } from "./steady";
import styles from "./inbox.module.css";

interface Props {
  rows: readonly InboxRow[];
  /** The id of the conversation that is open. */
  open: string;
  /** The query of the address, which rows keep. */
  search: string;
  /** Changes with what is listed: then nothing stays of the former order. */
  place: string;
}

/** The conversations. While the pointer or the focus is in the list, none moves under it: what is new waits. */
export function ConversationList({ rows, open, search, place }: Props) {
  const { t } = useTexts();
  const [isHeld, setHeld] = useState(false);
  const [, show] = useReducer((count: number) => count + 1, 0);
  const known = useRef({ place, rows });
  if (!isHeld || known.current.place !== place) known.current = { place, rows };
  const steady = keepOrder(known.current.rows, rows);
  const area = useRef<HTMLDivElement>(null);
  const free = () => setHeld(area.current?.matches(":hover, :focus-within") ?? false);
  const showNew = () => {
    known.current = { place, rows };
    show();
  };
  return (
    <div
      ref={area}
      onPointerEnter={({ pointerType }) => pointerType === "mouse" && setHeld(true)}
      onPointerLeave={free}
      onFocus={() => setHeld(true)}
      onBlur={() => setTimeout(free)}
    >
      <p role="status" className={styles.waiting}>
        {steady.waiting > 0 && (
          <Button kind="quiet" icon="arrow-up" onPress={showNew}>
            {t("inbox.new", { count: steady.waiting })}
          </Button>
        )}
      </p>
      <ol className={styles.rows} aria-label={t("inbox.conversations")} data-rows="">
        {steady.rows.map((row) => (
          <RowLink
            key={row.conversationId}
            id={row.conversationId}
            isOpen={row.conversationId === open}
            search={search}
            name={nameOf(row, t)}
            time={row.lastActivity}
            text={row.lastMessage?.text ?? row.title ?? ""}
          >
            <Facts>
              {steady.gone.has(row.conversationId) ? t("inbox.left") : <ConversationState row={row} />}
              <bdi>{showName(row.agentName, t)}</bdi>
            </Facts>
          </RowLink>
        ))}
      </ol>
    </div>
  );
}

/** What a search has found, in its own order. */
export function FoundList({ rows, open, search }: { rows: readonly Found[]; open: string; search: string }) {
  const { t } = useTexts();
  return (
    <ol className={styles.rows} aria-label={t("inbox.conversations")} data-rows="">
      {rows.map(({ id, title, userId, updatedAt, source, snippet }) => (
        <RowLink
          key={id}
          id={id}
          isOpen={id === open}
          search={search}
          name={userId ? showName(userId, t) : t("inbox.visitor")}
          time={new Date(updatedAt * 1000).toISOString()}
          text={snippet?.highlights.map(({ value }) => value).join("") ?? title ?? ""}
        >
          <bdi>{source}</bdi>
        </RowLink>
      ))}
    </ol>
  );
}

/** The customer as far as they are known. */
export function nameOf({ customer, userId }: Pick<InboxRow, "customer" | "userId">, t: ReturnType<typeof useTexts>["t"]): string {
  const name = customer || userId;
  return name ? showName(name, t) : t("inbox.visitor");
}

interface RowProps {
  id: string;
  isOpen: boolean;
  search: string;
  name: string;
  time: string;
  text: string;
  children: ReactNode;
}

function RowLink({ id, isOpen, search, name, time, text, children }: RowProps) {
  const { locale } = useTexts();
  return (
    <li>
      <Link href={`/inbox/${id}${search}`} className={styles.row!} aria-current={isOpen ? "page" : undefined}>
        <span className={styles.rowHead}>
          <bdi className={styles.name}>{name}</bdi>
          <time dateTime={time}>{relativeTime(time, locale)}</time>
        </span>
        <span className={styles.text} dir="auto">
          {text}
        </span>
        <span className={styles.detail}>{children}</span>
      </Link>
    </li>
  );
}

/** Has times that are said as "2 minutes ago" be said anew every half minute. */
export function useMinutes(): void {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(tick, 30_000);
    return () => clearInterval(timer);
  }, []);
}
