import { useState } from "react";
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { windowOf } from "../../api/pages";
import { useUnread } from "../../api/read-marks";
import { useMay, useSession } from "../../api/session";
import { conversationsOf, ticketKey, useFoundTickets, useTickets, type TicketRow } from "../../api/tickets";
import { Button, ButtonLink } from "../../components/button";
import { useChosenRows } from "../../components/chosen-rows";
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
import { useNames, type Names } from "./names";
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
  const { picked, choose, chooseShown, clear } = useChosenRows(place, start, shown, ticketKey);
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
            onChoose={(selection) => (selection === "all" ? chooseShown() : choose([...selection].map(String)))}
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
