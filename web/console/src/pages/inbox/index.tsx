import { useState } from "react";
import { useLocation } from "wouter";
import { useFoundRows, useInbox, useThread, wholeThread } from "../../api/inbox";
import { windowOf } from "../../api/pages";
import { useSavedViews, type SavedView } from "../../api/saved";
import { useMay } from "../../api/session";
import { Button, ButtonLink, IconButton, IconLink } from "../../components/button";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Loading, Partial } from "../../components/states";
import { useTexts } from "../../i18n";
import { useKeys } from "../../shell/keys";
import { useNarrow } from "../playground/narrow";
import { InboxBulkFailures, useInboxBulk } from "./bulk";
import { CustomerPane } from "./customer";
import { Filters } from "./filters";
import { ConversationList, useMinutes } from "./list";
import { useInboxPlace, type Change, type Place } from "./place";
import { SaveView } from "./saved-views";
import { ListFailed } from "./stale";
import { ThreadPane } from "./thread";
import { Views } from "./views";
import styles from "./inbox.module.css";

/** The conversations of all agents, and what people do in them. */
export default function InboxPage({ id = "" }: { id?: string | undefined }) {
  const { t } = useTexts();
  const saved = useSavedViews(useMay("conversations:read"));
  const { place, move, search } = useInboxPlace(saved.data ?? []);
  const isNarrow = useNarrow();
  const [isCustomerOpen, setCustomerOpen] = useState(false);
  const [, navigate] = useLocation();
  useMinutes();
  const leave = () => navigate(`/inbox${search}`);
  useKeys({ u: leave });
  const list = <ListPane {...{ place, move, search, isNarrow }} open={id} saved={saved.data} />;
  const back = <IconLink icon="arrow-left" href={`/inbox${search}`} label={t("inbox.back")} />;
  const showCustomer = <IconButton icon="user" label={t("inbox.showCustomer")} onPress={() => setCustomerOpen(true)} />;
  return (
    <Page title={t("inbox.title")} width="full" isTitleHidden={isNarrow && id !== "" && !isCustomerOpen}>
      <RoleNote needs="conversations:write" note="role.inbox" />
      {isNarrow ? (
        <div className={styles.narrow}>
          {!id && list}
          {id && isCustomerOpen && (
            <>
              <div className={styles.threadHead}>
                <Button onPress={() => setCustomerOpen(false)}>{t("inbox.showThread")}</Button>
              </div>
              <Customer id={id} search={search} />
            </>
          )}
          {id && !isCustomerOpen && (
            <section className={styles.filled} aria-label={t("inbox.conversation")}>
              <ThreadPane key={id} id={id} start={back} end={showCustomer} leave={leave} isNarrow />
            </section>
          )}
        </div>
      ) : (
        <div className={styles.panes}>
          <section className={styles.listPane} aria-label={t("inbox.conversations")} tabIndex={0}>
            {list}
          </section>
          <section className={styles.threadPane} aria-label={t("inbox.conversation")}>
            {id ? (
              <ThreadPane key={id} id={id} leave={leave} />
            ) : (
              <div className={styles.noThread}>
                <Empty icon="inbox" title={t("inbox.choose")} text={t("inbox.chooseText")} />
              </div>
            )}
          </section>
          {id && (
            <section className={styles.customerPane} aria-label={t("inbox.customer")} tabIndex={0}>
              <Customer id={id} search={search} />
            </section>
          )}
        </div>
      )}
    </Page>
  );
}

function Customer({ id, search }: { id: string; search: string }) {
  const query = useThread(id);
  const thread = wholeThread(query.data);
  if (thread) return <CustomerPane thread={thread} search={search} />;
  return query.isPending ? <Loading rows={3} /> : null; // the thread beside it says why
}

interface ListProps {
  place: Place;
  move: (change: Change) => void;
  search: string;
  open: string;
  isNarrow: boolean;
  /** Undefined until they are read. */
  saved: readonly SavedView[] | undefined;
}

function ListPane(props: ListProps) {
  const { t } = useTexts();
  const { place, move, saved } = props;
  const Listed = Object.keys(place.filter).length === 0 ? View : Search;
  const view = saved?.find(({ savedViewId }) => savedViewId === place.saved);
  const isAwaited = place.saved !== "" && !place.isChanged && !view;
  return (
    <>
      <Views {...props} />
      {!isAwaited && (
        <>
          <Filters place={place} move={move} />
          <SaveView view={view} place={place} />
        </>
      )}
      {isAwaited && !saved && <Loading rows={5} />}
      {isAwaited && saved && (
        <Empty icon="inbox" title={t("saved.noView")} text={t("saved.noViewText")}>
          <ButtonLink href="/inbox">{t("saved.showInbox")}</ButtonLink>
        </Empty>
      )}
      {!isAwaited && <Listed {...props} />}
    </>
  );
}

function View({ place, move, search, open }: ListProps) {
  const { t } = useTexts();
  const mayRead = useMay("conversations:read");
  const query = useInbox(place.view, place.agent, place.member, place.order, mayRead);
  const list = windowOf(query.data, ({ conversationId }) => conversationId);
  const shown = `${place.view} ${place.agent} ${place.member} ${place.order}`;
  const bulk = useInboxBulk();
  if (query.isPending) return <Loading rows={5} />;
  if (!list) return <ListFailed error={query.error} move={move} onRetry={() => void query.refetch()} />;
  if (list.rows.length === 0 && !query.hasPreviousPage) {
    return (
      <>
        <InboxBulkFailures bulk={bulk} />
        <Empty icon="inbox" title={t(`inbox.empty.${place.view}`)} text={t("inbox.emptyText")} />
      </>
    );
  }
  return (
    <>
      <InboxBulkFailures bulk={bulk} />
      {query.isRefetchError && <Partial count={1} text={t("inbox.stale")} onRetry={() => void query.refetch()} />}
      <ConversationList list={list} open={open} search={search} place={shown} before={<More list={query} isBack />} bulk={bulk} />
      <More list={query} />
    </>
  );
}

/** What the search finds of the conversations of all agents, or of one, in its own order. */
function Search({ place, move, search, open }: ListProps) {
  const { t } = useTexts();
  const query = useFoundRows(place.agent, place.filter, true);
  const list = windowOf(query.data, ({ conversationId }) => conversationId);
  const withheld = query.data?.pages[0]?.withheld ?? 0;
  const shown = `found ${place.agent} ${new URLSearchParams(place.filter)}`;
  const bulk = useInboxBulk();
  if (query.isPending) return <Loading rows={5} />;
  if (!list) return <ListFailed error={query.error} move={move} onRetry={() => void query.refetch()} />;
  return (
    <>
      {withheld > 0 && <p className={styles.detail}>{t("inbox.withheld", { count: withheld })}</p>}
      <InboxBulkFailures bulk={bulk} />
      {query.isRefetchError && <Partial count={1} text={t("inbox.stale")} onRetry={() => void query.refetch()} />}
      {list.rows.length === 0 && !query.hasPreviousPage ? (
        <Empty icon="inbox" title={t("inbox.noneFound")} text={t("inbox.noneFoundText")} />
      ) : (
        <ConversationList list={list} open={open} search={search} place={shown} before={<More list={query} isBack />} bulk={bulk} />
      )}
      <More list={query} />
    </>
  );
}
