import type { Selection } from "react-aria-components";
import { GridList, GridListItem } from "react-aria-components";
import { ticketKey, type TicketRow } from "../../api/tickets";
import { Check } from "../../components/check";
import { Facts } from "../../components/facts";
import { UnreadSign } from "../../components/unread";
import { relativeTime, useTexts } from "../../i18n";
import { showName } from "../../names";
import { assigneeOf, DueLabel, PriorityLabel, StatusLabel, statusOf } from "./labels";
import type { Names } from "./names";
import styles from "./tickets.module.css";

interface Props {
  rows: readonly TicketRow[];
  names: Names;
  mayWrite: boolean;
  chosen: ReadonlySet<string>;
  /** The conversations that are unread. */
  unread: ReadonlySet<string>;
  onChoose: (chosen: Selection) => void;
  onOpen: (row: TicketRow) => void;
}

/** Tickets, to be walked through by arrows and chosen by Space; Enter opens one. */
export function TicketList({ rows, names, mayWrite, chosen, unread, onChoose, onOpen }: Props) {
  const { t } = useTexts();
  return (
    <GridList
      aria-label={t("tickets.title")}
      items={rows.map((row) => ({ id: ticketKey(row), row }))}
      dependencies={[names, mayWrite, unread]}
      selectionMode={mayWrite ? "multiple" : "none"}
      selectedKeys={chosen}
      onSelectionChange={onChoose}
      onAction={(key) => rows.filter((row) => ticketKey(row) === key).forEach(onOpen)}
      className={styles.list!}
    >
      {({ row }) => (
        <GridListItem id={ticketKey(row)} textValue={titleOf(row, t)} className={styles.row!}>
          {mayWrite && <Check slot="selection" />}
          <Title row={row} isUnread={unread.has(row.conversationId ?? "")} />
          <div className={styles.facts}>
            <StatusLabel category={row.statusCategory} label={statusOf(row, names)} />
            <PriorityLabel priority={row.priority} />
            <DueLabel dueAt={row.dueAt} />
          </div>
          <p className={styles.detail}>
            <bdi>{assigneeOf(row, names, t)}</bdi>
          </p>
          <Ago row={row} />
        </GridListItem>
      )}
    </GridList>
  );
}

type T = ReturnType<typeof useTexts>["t"];

/** A ticket by its number and its subject. */
export const titleOf = ({ ticketNumber, subject }: Pick<TicketRow, "ticketNumber" | "subject">, t: T) =>
  `#${ticketNumber} ${showName(subject ?? "", t)}`;

/** The customer by what is known of them. */
export function customerOf({ name, email }: { name?: string | null; email?: string | null }, t: T): string {
  const known = name || email;
  return known ? showName(known, t) : t("inbox.visitor");
}

function Title({ row, isUnread }: { row: TicketRow; isUnread: boolean }) {
  const { t } = useTexts();
  return (
    <div className={styles.title}>
      <strong dir="auto">
        {isUnread && <UnreadSign />}
        {titleOf(row, t)}
      </strong>
      <span className={styles.detail}>
        <Facts>
          <bdi>{customerOf(row.customer, t)}</bdi>
          {t(`tickets.channel.${row.channel}`)}
          {row.agentName && <bdi>{showName(row.agentName, t)}</bdi>}
        </Facts>
      </span>
    </div>
  );
}

function Ago({ row: { lastMessageAt, updatedAt } }: { row: TicketRow }) {
  const { locale } = useTexts();
  const time = lastMessageAt ?? updatedAt;
  return (
    <p className={styles.detail}>
      <time dateTime={time}>{relativeTime(time, locale)}</time>
    </p>
  );
}
