import { useState } from "react";
import type { Selection } from "react-aria-components";
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { windowOf } from "../../api/pages";
import { useUnread } from "../../api/read-marks";
import { useMay, useSession } from "../../api/session";
import { conversationsOf, ticketKey, useFoundTickets, useTickets, type TicketRow } from "../../api/tickets";
import { Button, ButtonLink } from "../../components/button";
import { KeepPlace } from "../../components/keep-place";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { Switcher } from "../../components/switcher";
import { useTexts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import { TicketBoard } from "./board";
import { BulkBar, BulkFailures, useBulkChange } from "./bulk";
import { queryOf, useTicketFilter, type TicketFilter } from "./filter";
import { TicketFilters } from "./filters";
import { useNames, type Names } from "./labels";
import { TicketList } from "./list";
import { NewTicketDialog } from "./new";
import { useSteadyRows } from "./steady";
import styles from "./tickets.module.css";

const layouts = ["list", "board"] as const;

/** The tickets of an agent, or of all agents, as a list or as a board. */
export default function TicketsPage({ id = "" }: { id?: string | undefined }) {
  const { t } = useTexts();
  const mayRead = useMay("tickets:read");
  const isOfAll = id === "";
  const mayOpen = useMay("tickets:write") && !isOfAll;
  const names = useNames(id);
  const [query, setQuery] = useAddressParams();
  const [filter, change] = useTicketFilter();
  const [isAdding, setAdding] = useState(false);
  const isBoard = query.get("layout") === "board";
  const setLayout = (layout: (typeof layouts)[number]) =>
    setQuery((before) => {
      const next = new URLSearchParams(before);
      if (layout === "board") next.set("layout", layout);
      else next.delete("layout");
      return next;
    });
  const open = () => setAdding(true);
  useScreenActions(mayOpen ? [{ id: "new ticket", icon: "plus", name: t("tickets.new"), run: open }] : []);
  return (
    <Page
      title={t("tickets.title")}
      width={isBoard ? "full" : "wide"}
      actions={
        <div className={styles.buttons}>
          <Switcher
            label={t("tickets.layout")}
            value={isBoard ? "board" : "list"}
            options={layouts.map((id) => ({ id, name: t(`tickets.layout.${id}`) }))}
            onChange={setLayout}
          />
          {!isOfAll && (
            <ButtonLink icon="settings" href={`/agents/${id}/helpdesk`}>
              {t("tickets.setup.title")}
            </ButtonLink>
          )}
          {mayOpen && (
            <Button kind="primary" icon="plus" onPress={open}>
              {t("tickets.new")}
            </Button>
          )}
        </div>
      }
    >
      <RoleNote needs="tickets:write" note="role.tickets" />
      {mayRead && (
        <>
          <TicketFilters agentId={id} filter={filter} change={change} teams={names.teams} isBoard={isBoard} />
          {isBoard ? <Board id={id} filter={filter} names={names} /> : <Rows id={id} filter={filter} change={change} names={names} />}
        </>
      )}
      <NewTicketDialog agentId={id} isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function Board({ id, filter, names }: { id: string; filter: TicketFilter; names: Names }) {
  const { data: session } = useSession();
  return <TicketBoard agentId={id} query={queryOf(filter, session?.user?.id ?? "")} names={names} />;
}

interface Chosen {
  place: string;
  start: string;
  rows: ReadonlyMap<string, TicketRow>;
  /** The keys of those whose page is not read at present. */
  away: ReadonlySet<string>;
}

/**
 * What of the chosen rows is left, as they are now: those that go are not chosen any more, those that are out of the part of
 * the list that is read stay. It is the same object where nothing is to change.
 */
function followChosen(chosen: Chosen, place: string, start: string, shown: ReadonlyMap<string, TicketRow>): Chosen {
  if (chosen.place !== place) return { place, start, rows: new Map(), away: new Set() };
  const hasMoved = chosen.start !== start;
  const stays = (key: string) => shown.has(key) || hasMoved || chosen.away.has(key);
  const rows = new Map([...chosen.rows].flatMap(([key, row]) => (stays(key) ? [[key, shown.get(key) ?? row] as const] : [])));
  const away = new Set([...rows.keys()].filter((key) => !shown.has(key)));
  const isSame = !hasMoved && rows.size === chosen.rows.size && [...rows].every(([key, row]) => chosen.rows.get(key) === row);
  return isSame ? chosen : { place, start, rows, away };
}

/** What is chosen, and what chooses. Another filter leaves nothing of it. */
function useChosen(place: string, start: string, rows: readonly TicketRow[]) {
  const [kept, setKept] = useState<Chosen>({ place, start, rows: new Map(), away: new Set() });
  const shown = new Map(rows.map((row) => [ticketKey(row), row]));
  const chosen = followChosen(kept, place, start, shown);
  if (chosen !== kept) setKept(chosen);
  const set = (keys: Iterable<string>) =>
    setKept({ ...chosen, rows: new Map([...keys].flatMap((key) => {
      const row = shown.get(key) ?? chosen.rows.get(key);
      return row ? [[key, row] as const] : [];
    })) });
  const choose = (selection: Selection) => set(selection === "all" ? [...chosen.rows.keys(), ...shown.keys()] : [...selection].map(String));
  return { picked: [...chosen.rows.values()], choose, clear: () => set([]) };
}

interface RowsProps {
  id: string;
  filter: TicketFilter;
  change: (part: Partial<TicketFilter>) => void;
  names: Names;
}

function Rows({ id, filter, change, names }: RowsProps) {
  const { t } = useTexts();
  const mayWrite = useMay("tickets:write");
  const [, navigate] = useLocation();
  const { data: session } = useSession();
  const isSearch = filter.words !== "";
  const tickets = useTickets(id, queryOf(filter, session?.user?.id ?? ""), !isSearch);
  const found = useFoundTickets(id, filter.words, isSearch);
  const list = isSearch ? found : tickets;
  const part = windowOf(tickets.data, ticketKey);
  const rows: readonly TicketRow[] = (isSearch ? found.data?.data : part?.rows) ?? [];
  const place = JSON.stringify([id, filter]);
  const start = isSearch ? "" : (part?.start ?? "");
  const { shown, waiting, show } = useSteadyRows(place, start, rows, ticketKey);
  const { picked, choose, clear } = useChosen(place, start, shown);
  const unread = useUnread(conversationsOf(shown));
  const bulk = useBulkChange(id);
  const isEmpty = list.isSuccess && rows.length === 0;
  return (
    <>
      <BulkFailures bulk={bulk} />
      {list.isPending && <Loading rows={6} />}
      {list.isError && !list.data && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {isEmpty && <NoRows filter={filter} change={change} />}
      <div role="status" className={styles.waiting}>
        {waiting > 0 && (
          <Button icon="arrow-up" onPress={show}>
            {t("tickets.moved", { count: waiting })}
          </Button>
        )}
      </div>
      {!isSearch && <More list={tickets} isBack />}
      {shown.length > 0 && (
        <KeepPlace isStartKept={tickets.hasPreviousPage}>
          <TicketList
            rows={shown}
            names={names}
            mayWrite={mayWrite}
            chosen={new Set(picked.map(ticketKey))}
            unread={unread}
            onChoose={choose}
            onOpen={({ agentId = id, ticketNumber }) => navigate(`/agents/${agentId}/tickets/${ticketNumber}`)}
          />
        </KeepPlace>
      )}
      {!isSearch && <More list={tickets} />}
      {isSearch && found.data?.pagination.hasMore && <p className={styles.detail}>{t("tickets.moreFound")}</p>}
      <BulkBar picked={picked} names={names} bulk={bulk} onClear={clear} />
    </>
  );
}

function NoRows({ filter, change }: { filter: TicketFilter; change: (part: Partial<TicketFilter>) => void }) {
  const { t } = useTexts();
  if (filter.words) {
    return (
      <Empty icon="search" title={t("tickets.noMatch")} text={t("tickets.noMatchText")}>
        <Button onPress={() => change({ words: "" })}>{t("tickets.clearSearch")}</Button>
      </Empty>
    );
  }
  if (filter.view === "all" && !filter.team) return <Empty icon="inbox" title={t("tickets.none")} text={t("tickets.noneText")} />;
  return (
    <Empty icon="check" title={t("tickets.noneHere")} text={t("tickets.noneHereText")}>
      <Button onPress={() => change({ view: "all", team: "" })}>{t("tickets.showAll")}</Button>
    </Empty>
  );
}
