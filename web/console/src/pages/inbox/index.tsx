import { useState } from "react";
import { useLocation } from "wouter";
import { useFoundConversations, useInbox, useThread, wholeThread } from "../../api/inbox";
import { windowOf } from "../../api/pages";
import { useMay } from "../../api/session";
import { Button, ButtonLink, IconButton } from "../../components/button";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading, Partial } from "../../components/states";
import { useTexts } from "../../i18n";
import { useKeys } from "../../shell/keys";
import { useNarrow } from "../playground/narrow";
import { CustomerPane } from "./customer";
import { Filters } from "./filters";
import { ConversationList, FoundList, useMinutes } from "./list";
import { useInboxPlace, type Change, type Place } from "./place";
import { ThreadPane } from "./thread";
import { Views } from "./views";
import styles from "./inbox.module.css";

/** The conversations of all agents, and what people do in them. */
export default function InboxPage({ id = "" }: { id?: string | undefined }) {
  const { t } = useTexts();
  const { place, move, search } = useInboxPlace();
  const isNarrow = useNarrow();
  const [isCustomerOpen, setCustomerOpen] = useState(false);
  const [, navigate] = useLocation();
  useMinutes();
  useKeys({ u: () => navigate(`/inbox${search}`) });
  const list = <ListPane place={place} move={move} search={search} open={id} isNarrow={isNarrow} />;
  const back = <ButtonLink href={`/inbox${search}`}>{t("inbox.back")}</ButtonLink>;
  const showCustomer = <IconButton icon="user" label={t("inbox.showCustomer")} onPress={() => setCustomerOpen(true)} />;
  return (
    <Page title={t("inbox.title")} width="full">
      <RoleNote needs="conversations:write" note="role.inbox" />
      {isNarrow ? (
        <div className={styles.narrow}>
          {!id && list}
          {id && isCustomerOpen && (
            <>
              <div className={styles.threadHead}>
                <Button onPress={() => setCustomerOpen(false)}>{t("inbox.showThread")}</Button>
              </div>
              <Customer id={id} />
            </>
          )}
          {id && !isCustomerOpen && <ThreadPane key={id} id={id} start={back} end={showCustomer} />}
        </div>
      ) : (
        <div className={styles.panes}>
          <section className={styles.listPane} aria-label={t("inbox.conversations")} tabIndex={0}>
            {list}
          </section>
          <section className={styles.threadPane} aria-label={t("inbox.conversation")}>
            {id ? <ThreadPane key={id} id={id} /> : <Empty icon="inbox" title={t("inbox.choose")} text={t("inbox.chooseText")} />}
          </section>
          {id && (
            <section className={styles.customerPane} aria-label={t("inbox.customer")} tabIndex={0}>
              <Customer id={id} />
            </section>
          )}
        </div>
      )}
    </Page>
  );
}

function Customer({ id }: { id: string }) {
  const query = useThread(id);
  const thread = wholeThread(query.data);
  if (thread) return <CustomerPane thread={thread} />;
  return query.isPending ? <Loading rows={3} /> : null; // the thread beside it says why
}

interface ListProps {
  place: Place;
  move: (change: Change) => void;
  search: string;
  open: string;
  isNarrow: boolean;
}

function ListPane(props: ListProps) {
  const { place, move } = props;
  const isSearch = Object.keys(place.filter).length > 0;
  return (
    <>
      <Views {...props} />
      <Filters place={place} move={move} />
      {isSearch ? <Search {...props} /> : <View {...props} />}
    </>
  );
}

function View({ place, search, open }: ListProps) {
  const { t } = useTexts();
  const mayRead = useMay("conversations:read");
  const query = useInbox(place.view, place.agent, mayRead);
  const list = windowOf(query.data, ({ conversationId }) => conversationId);
  if (query.isPending) return <Loading rows={5} />;
  if (!list) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  if (list.rows.length === 0 && !query.hasPreviousPage) {
    return <Empty icon="inbox" title={t(`inbox.empty.${place.view}`)} text={t("inbox.emptyText")} />;
  }
  return (
    <>
      {query.isRefetchError && <Partial count={1} text={t("inbox.stale")} onRetry={() => void query.refetch()} />}
      <ConversationList list={list} open={open} search={search} place={`${place.view} ${place.agent}`} before={<More list={query} isBack />} />
      <More list={query} />
    </>
  );
}

/** What the search finds of one agent's conversations. */
function Search({ place, search, open }: ListProps) {
  const { t } = useTexts();
  const query = useFoundConversations(place.agent, place.filter, place.agent !== "");
  const list = windowOf(query.data, ({ id }) => id);
  if (!place.agent) return <Empty icon="search" title={t("inbox.needsAgent")} text={t("inbox.needsAgentText")} />;
  if (query.isPending) return <Loading rows={5} />;
  if (!list) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  if (list.rows.length === 0) return <Empty icon="search" title={t("inbox.noneFound")} text={t("inbox.noneFoundText")} />;
  return (
    <>
      <More list={query} isBack />
      <FoundList list={list} open={open} search={search} />
      <More list={query} />
    </>
  );
}
