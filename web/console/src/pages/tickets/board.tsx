import { useState } from "react";
import { Button, GridList, GridListItem, useDragAndDrop, type DropItem } from "react-aria-components";
import { useLocation } from "wouter";
import { windowOf } from "../../api/pages";
import { useUnread } from "../../api/read-marks";
import { useMay } from "../../api/session";
import { changeTicket, conversationsOf, ticketKey, useTickets, useTicketsChange, type Category, type TicketChange, type TicketQuery, type TicketRow } from "../../api/tickets";
import { Icon } from "../../components/icon";
import { MenuButton } from "../../components/menu-button";
import { KeepPlace } from "../../components/keep-place";
import { More } from "../../components/more";
import { Failed, Loading, Partial } from "../../components/states";
import { UnreadSign } from "../../components/unread";
import { relativeTime, useTexts } from "../../i18n";
import { showName } from "../../names";
import { useKeys } from "../../shell/keys";
import { assigneeOf, categoryIcon, DueLabel, PriorityLabel, StatusLabel, statusOf, useStatusTargets } from "./labels";
import { categoryKey, type Names } from "./names";
import { customerOf, titleOf } from "./list";
import styles from "./board.module.css";

const columns = ["new", "on_you", "on_customer", "on_hold", "closed"] as const satisfies readonly Category[];
const dragType = "application/x-parley-ticket"; // of what is dragged

interface Moved {
  row: TicketRow;
  change: TicketChange;
  /** The label of the status, or of the category, that it gets. */
  to: string;
}

/** Tickets by the category of their status. They move by drag, by the keys of drag and drop, and by a menu. */
export function TicketBoard({ agentId, query, names }: { agentId: string; query: TicketQuery; names: Names }) {
  const { t } = useTexts();
  const refresh = useTicketsChange();
  const [said, setSaid] = useState("");
  const [failure, setFailure] = useState<{ moved: Moved; error: unknown } | null>(null);
  const move = async (moved: Moved) => {
    const { row, change, to } = moved;
    setFailure(null);
    try {
      await changeTicket(row.agentId, row.ticketNumber, { ...change, baseUpdatedAt: row.updatedAt });
      setSaid(t("tickets.movedTo", { ticket: titleOf(row, t), to }));
    } catch (error) {
      setSaid("");
      setFailure({ moved, error });
    }
    await refresh();
  };
  useKeys({ m: openMenu });
  return (
    <>
      {failure && (
        <Partial
          count={1}
          text={t("tickets.notChanged", { count: 1 })}
          failures={[{ name: titleOf(failure.moved.row, t), error: failure.error }]}
        />
      )}
      <p role="status" className={styles.hidden}>
        {said}
      </p>
      <div className={styles.board}>
        {columns.map((category) => (
          <Column key={category} agentId={agentId} category={category} query={query} names={names} onMove={(moved) => void move(moved)} />
        ))}
      </div>
    </>
  );
}

/** Opens the menu by which the ticket that has the focus moves. */
function openMenu() {
  const card = document.activeElement?.closest("[role=row]");
  card?.querySelector<HTMLElement>("button[aria-haspopup]")?.click();
}

interface ColumnProps {
  agentId: string;
  category: Category;
  query: TicketQuery;
  names: Names;
  onMove: (moved: Moved) => void;
}

function Column({ agentId, category, query, names, onMove }: ColumnProps) {
  const { t, locale } = useTexts();
  const [, navigate] = useLocation();
  const mayWrite = useMay("tickets:write");
  const tickets = useTickets(agentId, { ...query, status: category === "closed" ? ["closed", "cancelled"] : [category] }, true);
  const rows = windowOf(tickets.data, ticketKey)?.rows ?? [];
  const unread = useUnread(conversationsOf(rows));
  const name = t(categoryKey(category));
  const count = (tickets.data?.pageParams[0]?.count ?? 0) + rows.length;
  const take = (row: TicketRow) =>
    row.statusCategory !== category && onMove({ row, change: { statusCategory: category }, to: name });
  const { dragAndDropHooks } = useDragAndDrop<{ id: string; row: TicketRow }>({
    getItems: (keys) => rows.filter((row) => keys.has(ticketKey(row))).map(packRow),
    acceptedDragTypes: [dragType],
    getDropOperation: () => "move",
    onRootDrop: ({ items }) => void unpackRows(items).then((dropped) => dropped.forEach(take)),
    isDisabled: !mayWrite,
  });
  const open = (row: TicketRow) => navigate(`/agents/${row.agentId}/tickets/${row.ticketNumber}`);
  return (
    <section className={styles.column} aria-label={name}>
      <h2 className={styles.head}>
        <Icon name={categoryIcon(category)} size={16} />
        {name}
        {tickets.data && (
          <span className={styles.count}>
            {new Intl.NumberFormat(locale).format(count)}
            {tickets.hasNextPage && "+"}
          </span>
        )}
      </h2>
      {tickets.isPending && <Loading rows={2} />}
      {tickets.isError && !tickets.data && <Failed error={tickets.error} onRetry={() => void tickets.refetch()} />}
      <More list={tickets} isBack />
      {tickets.data && (
        <KeepPlace isStartKept={tickets.hasPreviousPage}>
          <GridList
            aria-label={name}
            items={rows.map((row) => ({ id: ticketKey(row), row }))}
            dependencies={[names, mayWrite, unread]}
            dragAndDropHooks={dragAndDropHooks}
            onAction={(key) => rows.filter((row) => ticketKey(row) === key).forEach(open)}
            renderEmptyState={() => <p className={styles.empty}>{t("tickets.emptyColumn")}</p>}
            className={styles.cards!}
          >
            {({ row }) => (
              <GridListItem id={ticketKey(row)} textValue={titleOf(row, t)} className={styles.card!}>
                <Card row={row} isUnread={unread.has(row.conversationId ?? "")} names={names} mayWrite={mayWrite} onMove={onMove} />
              </GridListItem>
            )}
          </GridList>
        </KeepPlace>
      )}
      <More list={tickets} />
    </section>
  );
}

/** A ticket as it is dragged: as a whole for the other columns, and by its title for other programs. */
const packRow = (row: TicketRow) => ({
  [dragType]: JSON.stringify(row),
  "text/plain": `#${row.ticketNumber} ${row.subject ?? ""}`,
});

/** The tickets of what was dropped. Another page may send anything under the same type: that moves nothing. */
async function unpackRows(items: readonly DropItem[]): Promise<TicketRow[]> {
  const texts = await Promise.all(items.map((item) => (item.kind === "text" && item.types.has(dragType) ? item.getText(dragType) : "")));
  return texts.flatMap((text) => {
    try {
      const row = JSON.parse(text) as TicketRow | null;
      return row && Number.isInteger(row.ticketNumber) ? [row] : [];
    } catch {
      return [];
    }
  });
}

interface CardProps {
  row: TicketRow;
  isUnread: boolean;
  names: Names;
  mayWrite: boolean;
  onMove: (moved: Moved) => void;
}

function Card({ row, isUnread, names, mayWrite, onMove }: CardProps) {
  const { t, locale } = useTexts();
  const time = row.lastMessageAt ?? row.updatedAt;
  const targets = useStatusTargets(names, Boolean(row.agentName)).filter(({ id }) => id !== row.statusId && id !== row.statusCategory);
  const move = (target: string) =>
    targets.filter(({ id }) => id === target).forEach(({ change, name }) => onMove({ row, change, to: name }));
  return (
    <>
      <div className={styles.title}>
        {mayWrite && (
          <Button slot="drag" className={styles.handle!}>
            <Icon name="menu" size={16} />
          </Button>
        )}
        <strong dir="auto">
          {isUnread && <UnreadSign />}
          {titleOf(row, t)}
        </strong>
        {mayWrite && (
          <MenuButton
            isIcon
            icon="ellipsis"
            label={t("tickets.moveNamed", { ticket: titleOf(row, t) })}
            actions={targets}
            onAction={move}
          />
        )}
      </div>
      <bdi className={styles.detail}>{customerOf(row.customer, t)}</bdi>
      {row.agentName && <bdi className={styles.detail}>{showName(row.agentName, t)}</bdi>}
      <div className={styles.facts}>
        <StatusLabel category={row.statusCategory} label={statusOf(row, names)} />
        <PriorityLabel priority={row.priority} />
        <DueLabel dueAt={row.dueAt} />
      </div>
      <p className={styles.detail}>
        <bdi>{assigneeOf(row, names, t)}</bdi>
        {" · "}
        <time dateTime={time}>{relativeTime(time, locale)}</time>
      </p>
    </>
  );
}
