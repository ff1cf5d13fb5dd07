import { useEffect, useReducer, useRef, useState, type ReactNode } from "react";
import { Link } from "react-aria-components";
import type { FoundRow, InboxRow } from "../../api/inbox";
import type { Window } from "../../api/pages";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Check } from "../../components/check";
import { useChosenRows } from "../../components/chosen-rows";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { KeepPlace } from "../../components/keep-place";
import { placesIn, type PlaceInList } from "../../components/list-places";
import { UnreadSign } from "../../components/unread";
import { formatDuration, relativeTime, useTexts } from "../../i18n";
import { showName } from "../../names";
import { useKeys } from "../../shell/keys";
import { InboxBulkBar, type InboxBulk } from "./bulk";
import { nameOf } from "./customer-name";
import { ConversationState, isUnanswered } from "./state";
import { followWindow, keepOrder } from "./steady";
import styles from "./inbox.module.css";

/** A conversation; what a search has found has an excerpt of what was said. */
type Row = InboxRow & Partial<Pick<FoundRow, "snippet">>;

interface Props {
  list: Window<Row>;
  /** The id of the conversation that is open. */
  open: string;
  /** The query of the address, which rows keep. */
  search: string;
  /** Changes with what is listed: then nothing stays of the former order. */
  place: string;
  /** The ends of the list, where more of it is read. */
  before: ReactNode;
  /** Does something to the rows that are chosen. */
  bulk: InboxBulk;
}

interface Known {
  place: string;
  start: string;
  rows: readonly Row[];
  /** Has the focus, and is not in the part of the list that is read any more: it is before that part, or behind it. */
  focused: { row: Row; isBehind: boolean } | undefined;
}

/**
 * The rows as they are to be shown. While `isHeld` none moves under the pointer or the focus; a row that has the focus stays
 * also where its page has gone.
 */
function useKnown({ rows, start }: Window<Row>, place: string, isHeld: boolean, focusedId: () => string | undefined) {
  const fresh = (): Known => ({ place, start, rows, focused: undefined });
  const known = useRef<Known>(null);
  const former = known.current;
  if (!former || !isHeld || former.place !== place) known.current = fresh();
  else if (former.start !== start) {
    const id = focusedId();
    const followed = followWindow(former.rows, rows);
    const isIn = followed.some(({ conversationId }) => conversationId === id);
    known.current = { place, start, rows: followed, focused: isIn ? undefined : findFocused(former, rows, id) };
  }
  const steady = keepOrder(known.current!.rows, rows);
  known.current!.rows = [...known.current!.rows, ...steady.rows.slice(known.current!.rows.length)];
  return { steady, focused: known.current!.focused, showNew: () => void (known.current = fresh()) };
}

/** The row that has the focus, where the list was before. */
function findFocused({ rows, focused }: Known, now: readonly Row[], id: string | undefined): Known["focused"] {
  if (focused?.row.conversationId === id) return focused;
  const at = rows.findIndex(({ conversationId }) => conversationId === id);
  const present = new Set(now.map(({ conversationId }) => conversationId));
  return at < 0 ? undefined : { row: rows[at]!, isBehind: !rows.slice(at).some(({ conversationId }) => present.has(conversationId)) };
}

const excerptOf = ({ snippet }: Row) => snippet?.map(({ text }) => text).join("") ?? "";

/** The conversations. While the pointer or the focus is in the list, none moves under it: what is new waits. */
export function ConversationList({ list, open, search, place, before, bulk }: Props) {
  const { t, locale } = useTexts();
  const [isHeld, setHeld] = useState(false);
  const [, show] = useReducer((count: number) => count + 1, 0);
  const area = useRef<HTMLDivElement>(null);
  const focusedId = () => area.current?.querySelector<HTMLElement>("li:focus-within")?.dataset.row;
  const { steady, focused, showNew } = useKnown(list, place, isHeld, focusedId);
  const placeOf = placesIn(list);
  const mayWrite = useMay("conversations:write");
  const { chosen, picked, choose, chooseShown, clear } = useChosenRows(place, list.start, steady.rows, ({ conversationId }) => conversationId);
  const toggle = (id: string | undefined) => {
    if (id) choose(chosen.has(id) ? [...chosen.keys()].filter((one) => one !== id) : [...chosen.keys(), id]);
  };
  useKeys(mayWrite ? { x: () => toggle(focusedId()) } : {});
  const waitedFor = ({ waitingSince }: InboxRow) => (waitingSince ? formatDuration(waitingSince, locale) : "");
  const free = () => setHeld(area.current?.matches(":hover, :focus-within") ?? false);
  const rowOf = (row: Row, place?: PlaceInList) => (
    <RowLink
      key={row.conversationId}
      id={row.conversationId}
      isOpen={row.conversationId === open}
      search={search}
      name={nameOf(row, t)}
      time={row.lastActivity}
      text={excerptOf(row) || (row.lastMessage?.text ?? row.title ?? "")}
      by={excerptOf(row) ? undefined : row.lastMessage?.author}
      place={place}
      isUnanswered={isUnanswered(row)}
      isUnread={row.unread}
      choice={mayWrite && <Choose name={nameOf(row, t)} isChosen={chosen.has(row.conversationId)} onChange={() => toggle(row.conversationId)} />}
    >
      <Facts>
        {steady.gone.has(row.conversationId) ? t("inbox.left") : <ConversationState row={row} />}
        {isUnanswered(row) && t("inbox.state.unanswered")}
        {waitedFor(row) ? t("inbox.waits", { time: waitedFor(row) }) : null}
        <bdi>{showName(row.agentName, t)}</bdi>
      </Facts>
    </RowLink>
  );
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
          <Button
            icon="arrow-up"
            onPress={() => {
              showNew();
              show();
            }}
          >
            {t("inbox.new", { count: steady.waiting })}
          </Button>
        )}
      </p>
      {before}
      <KeepPlace isStartKept={list.count > 0}>
        <ol className={styles.rows} aria-label={t("inbox.conversations")} data-rows="">
          {[
            ...(focused && !focused.isBehind ? [rowOf(focused.row)] : []), // among the others, so that it keeps the focus
            ...steady.rows.map((row, i) => rowOf(row, placeOf(i))),
            ...(focused?.isBehind ? [rowOf(focused.row)] : []),
          ]}
        </ol>
      </KeepPlace>
      <InboxBulkBar bulk={bulk} picked={picked} count={steady.rows.length} open={open} search={search} onAll={chooseShown} onClear={clear} />
    </div>
  );
}

/** Chooses a row, for what is done to several at once. */
function Choose({ name, isChosen, onChange }: { name: string; isChosen: boolean; onChange: () => void }) {
  const { t } = useTexts();
  return <Check aria-label={t("inbox.chooseOne", { name })} isSelected={isChosen} onChange={onChange} />;
}

interface RowProps {
  id: string;
  isOpen: boolean;
  search: string;
  name: string;
  time: string;
  text: string;
  /** Who has written the text. What the customer wrote stands for itself. */
  by: NonNullable<InboxRow["lastMessage"]>["author"] | undefined;
  place: PlaceInList | undefined;
  isUnanswered: boolean;
  isUnread: boolean;
  /** What chooses the row, where rows can be chosen. */
  choice: ReactNode;
  children: ReactNode;
}

function RowLink({ id, isOpen, search, name, time, text, by, place, isUnanswered, isUnread, choice, children }: RowProps) {
  const { t, locale } = useTexts();
  return (
    <li data-row={id} {...place} className={styles.item}>
      {choice}
      <Link href={`/inbox/${id}${search}`} className={styles.row!} aria-current={isOpen ? "page" : undefined}>
        <span className={styles.rowHead}>
          <bdi className={styles.name}>
            {isUnread && <UnreadSign />}
            {name}
          </bdi>
          <time dateTime={time}>{relativeTime(time, locale)}</time>
        </span>
        <span className={`${styles.text} ${isUnanswered || isUnread ? styles.unanswered : ""}`} dir="auto">
          {(by === "assistant" || by === "human") && (
            <>
              <Icon name={by === "assistant" ? "bot" : "user"} size={14} />
              <span className={styles.hidden}>{t(by === "assistant" ? "inbox.theAgent" : "inbox.theTeam")}</span>{" "}
            </>
          )}
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
