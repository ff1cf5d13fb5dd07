import { useState } from "react";
import type { Selection } from "react-aria-components";
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { rowsOf } from "../../api/pages";
import { useMay, useSession } from "../../api/session";
import { useFoundTickets, useTickets, type TicketRow } from "../../api/tickets";
import { Button, ButtonLink } from "../../components/button";
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

/** The tickets of an agent, as a list or as a board. */
export default function TicketsPage({ id }: { id: string }) {
  const { t } = useTexts();
  const mayRead = useMay("tickets:read");
  const mayWrite = useMay("tickets:write");
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
  useScreenActions(mayWrite ? [{ id: "new ticket", icon: "plus", name: t("tickets.new"), run: open }] : []);
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
          <ButtonLink icon="settings" href={`/agents/${id}/helpdesk`}>
            {t("tickets.setup.title")}
          </ButtonLink>
          {mayWrite && (
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
          <TicketFilters filter={filter} change={change} teams={names.teams} isBoard={isBoard} />
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

/** What is chosen of the rows that are shown: those that go, or that another filter leaves out, are not any more. */
function useChosen(place: string, rows: readonly TicketRow[]) {
  const [kept, setKept] = useState<{ place: string; numbers: ReadonlySet<number> }>({ place, numbers: new Set() });
  const picked = kept.place === place ? rows.filter(({ ticketNumber }) => kept.numbers.has(ticketNumber)) : [];
  const set = (numbers: Iterable<number>) => setKept({ place, numbers: new Set(numbers) });
  const choose = (chosen: Selection) =>
    set(chosen === "all" ? rows.map(({ ticketNumber }) => ticketNumber) : [...chosen].map(Number));
  return { picked, choose, clear: () => set([]) };
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
  const rows = (isSearch ? found.data?.data : rowsOf(tickets.data)) ?? [];
  const place = JSON.stringify([id, filter]);
  const { shown, waiting, show } = useSteadyRows(place, rows);
  const { picked, choose, clear } = useChosen(place, shown);
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
      {shown.length > 0 && (
        <TicketList
          rows={shown}
          names={names}
          mayWrite={mayWrite}
          chosen={new Set(picked.map(({ ticketNumber }) => ticketNumber))}
          onChoose={choose}
          onOpen={(number) => navigate(`/agents/${id}/tickets/${number}`)}
        />
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
