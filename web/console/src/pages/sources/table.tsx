import { useCallback, useContext, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import {
  Cell,
  Column,
  Row,
  Table,
  TableBody,
  TableHeader,
  TableLayout,
  TableStateContext,
  Virtualizer,
  type Selection,
} from "react-aria-components";
import type { KnowledgeUse, SourceRow } from "../../api/sources";
import { IconButton } from "../../components/button";
import { Check } from "../../components/check";
import { Icon } from "../../components/icon";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { SourceStatus } from "../../components/status";
import { formatSize, relativeTime, useTexts, type Key } from "../../i18n";
import { showName } from "../../names";
import { sourceIcon } from "../../shell/screens";
import { ReadingBar, StateDetail } from "./state";
import { typeKey, type RowAction } from "./row";
import styles from "./table.module.css";

interface Props {
  rows: readonly SourceRow[];
  /** Of the whole list, of which the rows are a beginning. */
  total: number;
  use: KnowledgeUse | undefined;
  mayWrite: boolean;
  chosen: Selection;
  onChoose: (chosen: Selection) => void;
  onAction: (action: RowAction, row: SourceRow) => void;
}

interface Head {
  id: string;
  key: Key;
  width?: number;
}

// On a wide screen each fact has a column; on a narrow one they stand below the name.
const wideHeads: readonly Head[] = [
  { id: "state", key: "sources.state", width: 148 },
  { id: "name", key: "sources.name" },
  { id: "type", key: "sources.type", width: 88 },
  { id: "size", key: "sources.sizeHead", width: 80 },
  { id: "read", key: "sources.lastRead", width: 112 },
  { id: "use", key: "sources.use", width: 112 },
];
const choosing = "choosing";
const narrowHeads: readonly Head[] = [{ id: "name", key: "sources.name" }];

/** Returns a hook that says whether the screen is as a media query describes it. */
function screenIs(query: string): () => boolean {
  const found = matchMedia(query);
  const watch = (listener: () => void) => {
    found.addEventListener("change", listener);
    return () => found.removeEventListener("change", listener);
  };
  return () => useSyncExternalStore(watch, () => found.matches);
}
const useNarrowScreen = screenIs("(width < 960px)");
const useTinyScreen = screenIs("(width < 360px)"); // as at a zoom of 400 %: state and time may need a line each

/** The sources, to be walked through by arrows and chosen by Space; Enter opens one. Only what is in view is drawn. */
export function SourceTable({ rows, total, use, mayWrite, chosen, onChoose, onAction }: Props) {
  const { t } = useTexts();
  const isNarrow = useNarrowScreen();
  const isTiny = useTinyScreen();
  const cited = useMemo(() => new Map(use?.sources.map(({ sourceId, answers }) => [sourceId, answers])), [use]);
  const heads = isNarrow ? narrowHeads : wideHeads;
  const canRetry = mayWrite && rows.some(({ status }) => status === "failed"); // or else names have the room of the button
  const scale = useTextScale();
  const [heights, measure] = useHeights();
  const headingHeight = Math.max(40 * scale, ...heads.map(({ id }) => (heights[id] ?? 0) + 12));
  const layout = { rowHeight: (isTiny ? 132 : isNarrow ? 108 : 76) * scale, headingHeight };
  return (
    <Virtualizer layout={TableLayout} layoutOptions={layout}>
      <Table
        aria-label={t("sources.title")}
        className={styles.table!}
        selectionMode={mayWrite ? "multiple" : "none"}
        selectedKeys={chosen}
        onSelectionChange={onChoose}
        onRowAction={(key) => {
          const row = rows.find(({ sourceId }) => sourceId === key);
          if (row) onAction("open", row);
        }}
        render={({ children, ...props }) => (
          <div {...(props as object)} aria-rowcount={total + 1}>
            {children}
          </div>
        )}
      >
        <TableHeader>
          {mayWrite && (
            <Column id={choosing} className={styles.head!} width={44} minWidth={44}>
              <Choose focusKey={choosing} />
            </Column>
          )}
          {heads.map(({ id, key, width }) => (
            <Column key={id} id={id} isRowHeader={id === "name"} className={styles.head!} {...(width && { width })}>
              <HeadText id={id} onHeight={measure}>
                {t(key)}
              </HeadText>
            </Column>
          ))}
          <Column className={styles.head!} width={isNarrow ? 56 : canRetry ? 108 : 64} minWidth={56}>
            <span className={styles.hidden}>{t("sources.actions")}</span>
          </Column>
        </TableHeader>
        <TableBody items={rows} dependencies={[use, mayWrite, isNarrow]}>
          {(row) => (
            <Row id={row.sourceId} textValue={row.name} className={styles.row!}>
              {mayWrite && (
                <Cell className={styles.cell!}>
                  <Choose focusKey={row.sourceId} />
                </Cell>
              )}
              {isNarrow ? narrowCells(row) : cells(row, cited.get(row.sourceId))}
              <Cell className={`${styles.cell} ${styles.last}`}>
                <Actions row={row} mayWrite={mayWrite} isNarrow={isNarrow} onAction={(action) => onAction(action, row)} />
              </Cell>
            </Row>
          )}
        </TableBody>
      </Table>
    </Virtualizer>
  );
}

/**
 * A box that chooses a row, or all. When a screen reader or a script focuses it from outside, the table would focus its
 * first row in its place, and Space would choose that.
 */
function Choose({ focusKey }: { focusKey: string }) {
  const table = useContext(TableStateContext)?.selectionManager;
  const enter = () => table?.isFocused === false && table.setFocusedKey(focusKey); // arrows within the table know the way
  return <Check slot="selection" onFocus={enter} />;
}

type Measure = (id: string, height: number) => void;

/** Heights by what they are of, and what is told them. */
function useHeights(): [Readonly<Record<string, number>>, Measure] {
  const [heights, setHeights] = useState<Record<string, number>>({});
  const measure = useCallback<Measure>(
    (id, height) => setHeights((all) => (all[id] === height ? all : { ...all, [id]: height })),
    [],
  );
  return [heights, measure];
}

/** The text of a column's head, which may take several lines. */
function HeadText({ id, onHeight, children }: { id: string; onHeight: Measure; children: ReactNode }) {
  const text = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => text.current && onHeight(id, text.current.offsetHeight));
    if (text.current) observer.observe(text.current);
    return () => observer.disconnect();
  }, [id, onHeight]);
  return <span ref={text}>{children}</span>;
}

/** How much larger than usual the browser's text is: rows grow with it. */
function useTextScale(): number {
  return useMemo(() => Math.max(1, parseFloat(getComputedStyle(document.documentElement).fontSize) / 16), []);
}

// cells are functions and not components, since a table of React Aria looks for its cells itself.
function cells(row: SourceRow, answers: number | undefined) {
  return [
    <Cell key="state" className={`${styles.cell} ${styles.state}`}>
      <SourceStatus status={row.status} />
      <ReadingBar source={row} />
    </Cell>,
    <Cell key="name" className={styles.cell!}>
      <Name row={row} />
      <StateDetail source={row} isShort />
    </Cell>,
    <Cell key="type" className={`${styles.cell} ${styles.quiet}`}>
      <Type row={row} />
    </Cell>,
    <Cell key="size" className={styles.cell!}>
      <Size bytes={row.size} />
    </Cell>,
    <Cell key="read" className={`${styles.cell} ${styles.quiet}`}>
      <Ago time={row.updatedAt} isNow={row.progress !== null} />
    </Cell>,
    <Cell key="use" className={styles.cell!}>
      <Count count={answers} />
    </Cell>,
  ];
}

function narrowCells(row: SourceRow) {
  return [
    <Cell key="name" className={styles.cell!}>
      <Name row={row} />
      <span className={styles.facts}>
        <SourceStatus status={row.status} />
        <ReadingBar source={row} />
        <span className={styles.quiet}>
          <Ago time={row.updatedAt} isNow={row.progress !== null} />
        </span>
      </span>
      <StateDetail source={row} isShort />
    </Cell>,
  ];
}

function Name({ row }: { row: SourceRow }) {
  const { t } = useTexts();
  const name = showName(row.name, t);
  return (
    <span className={styles.title} title={name}>
      <Icon name={sourceIcon(row.type)} size={16} />
      <bdi>{name}</bdi>
    </span>
  );
}

function Type({ row }: { row: SourceRow }) {
  const { t } = useTexts();
  return t(typeKey(row.type));
}

function Size({ bytes }: { bytes: number }) {
  const { locale } = useTexts();
  return bytes > 0 ? formatSize(bytes, locale) : "–";
}

function Ago({ time, isNow }: { time: string; isNow: boolean }) {
  const { t, locale } = useTexts();
  return isNow ? t("sources.now") : relativeTime(time, locale);
}

function Count({ count }: { count: number | undefined }) {
  const { t, locale } = useTexts();
  if (!count) return "–";
  return <span title={t("sources.useHint")}>{new Intl.NumberFormat(locale).format(count)}</span>;
}

interface ActionsProps {
  row: SourceRow;
  mayWrite: boolean;
  isNarrow: boolean;
  onAction: (action: RowAction) => void;
}

function Actions({ row, mayWrite, isNarrow, onAction }: ActionsProps) {
  const { t } = useTexts();
  const again = row.status === "failed" ? t("state.retry") : t("sources.refetch");
  const canRead = row.status === "failed" || row.type === "link";
  const actions: MenuAction<RowAction>[] = [
    { id: "open", icon: "chevron-right", name: t("sources.open") },
    ...(mayWrite && canRead ? [{ id: "refetch", icon: "refresh-cw", name: again } as const] : []),
    ...(mayWrite ? [{ id: "delete", icon: "trash", name: t("sources.delete") } as const] : []),
  ];
  return (
    <div className={styles.buttons}>
      {mayWrite && !isNarrow && row.status === "failed" && (
        <IconButton
          icon="refresh-cw"
          label={t("sources.retryNamed", { name: row.name })}
          onPress={() => onAction("refetch")}
        />
      )}
      <MenuButton
        isIcon
        icon="ellipsis"
        label={t("sources.actionsOf", { name: row.name })}
        actions={actions}
        onAction={onAction}
      />
    </div>
  );
}
