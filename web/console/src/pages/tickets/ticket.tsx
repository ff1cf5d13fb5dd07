import { useMemo, useState } from "react";
import { Link } from "react-aria-components";
import { useLocation } from "wouter";
import { useAllAgents } from "../../api/agents";
import { useThread, wholeThread } from "../../api/inbox";
import { useTicketThread, wholeTicket, type WholeTicket } from "../../api/tickets";
import { isNotFound } from "../../api/client";
import { tryRoute, type RouteResult } from "../../api/helpdesk-setup";
import { useReadMark, useUnread } from "../../api/read-marks";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../components/button";
import { MarkUnread } from "../../components/mark-unread";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import { RouteView } from "../helpdesk-setup/try";
import { SaidEntries } from "../inbox/said";
import { Composer } from "./composer";
import { useNames, type Names } from "./names";
import { customerOf, titleOf } from "./list";
import { Facts, Properties } from "./properties";
import { Thread } from "./thread";
import styles from "./ticket.module.css";
import lists from "./tickets.module.css";

/** A ticket: what was said, what has happened to it, who it is of, and what can be changed of it. */
export default function TicketPage({ id, number }: { id: string; number: string }) {
  const { t } = useTexts();
  const query = useTicketThread(id, Number(number));
  const ticket = useMemo(() => wholeTicket(query.data), [query.data]);
  const mayInbox = useMay("conversations:read");
  const [, navigate] = useLocation();
  const conversation = ticket?.conversationId ?? "";
  const unread = useUnread(conversation ? [conversation] : []);
  useReadMark(conversation, unread.has(conversation), ticket?.isNewest ? (ticket.entries.at(-1)?.seq ?? 0) : 0);
  const names = useNames(id);
  const title = ticket ? titleOf(ticket, t) : t("tickets.ticket");
  return (
    <Page
      title={title}
      actions={
        <div className={lists.buttons}>
          {conversation && <MarkUnread id={conversation} leave={() => navigate(`/agents/${id}/tickets`)} />}
          {mayInbox && ticket?.conversationId && (
            <ButtonLink icon="inbox" href={`/inbox/${ticket.conversationId}?view=all`}>
              {t("tickets.openInInbox")}
            </ButtonLink>
          )}
          <ButtonLink icon="rows-3" href={`/agents/${id}/tickets`}>
            {t("tickets.title")}
          </ButtonLink>
        </div>
      }
    >
      <RoleNote needs="tickets:write" note="role.tickets" />
      {query.isPending && <Loading rows={6} />}
      {isNotFound(query.error) ? (
        <Empty icon="inbox" title={t("tickets.gone")} text={t("tickets.goneText")} />
      ) : (
        query.isError && !ticket && <Failed error={query.error} onRetry={() => void query.refetch()} />
      )}
      {ticket && <Ticket key={number} id={id} ticket={ticket} query={query} names={names} />}
    </Page>
  );
}

interface TicketProps {
  id: string;
  ticket: WholeTicket;
  query: ReturnType<typeof useTicketThread>;
  names: Names;
}

function Ticket({ id, ticket, query, names }: TicketProps) {
  const mayWrite = useMay("tickets:write");
  const agent = useAllAgents(true).data?.find((one) => one.id === id)?.name ?? "";
  return (
    <div className={styles.ticket}>
      <div className={styles.talk}>
        <Talk ticket={ticket} query={query} names={names} />
        {mayWrite && (
          <Composer
            agentId={id}
            number={ticket.ticketNumber}
            conversationId={ticket.conversationId}
            lastSeq={ticket.entries.at(-1)?.seq ?? 0}
            customer={ticket.customer.name ?? ""}
            agent={agent}
          />
        )}
      </div>
      <div className={styles.side}>
        <Properties id={id} ticket={ticket} names={names} mayWrite={mayWrite} />
        <Customer id={id} ticket={ticket} />
        <Why id={id} ticket={ticket} />
      </div>
    </div>
  );
}

/** What was said: as in the inbox where the ticket has a conversation that the person may read. */
function Talk(props: Omit<TicketProps, "id">) {
  const mayRead = useMay("conversations:read");
  const conversation = (mayRead && props.ticket.conversationId) || "";
  return conversation ? <ConversationOf key={conversation} id={conversation} {...props} /> : <Thread {...props} />;
}

function ConversationOf({ id, ...props }: TicketProps) {
  const query = useThread(id);
  const thread = useMemo(() => wholeThread(query.data), [query.data]);
  if (query.isPending) return <Loading rows={6} />;
  return thread ? <SaidEntries thread={thread} query={query} isEarlierAsked /> : <Thread {...props} />;
}

function Customer({ id, ticket: { customer, channel, createdAt } }: { id: string; ticket: WholeTicket }) {
  const { t, locale, has } = useTexts();
  const maySee = useMay("customers:read");
  const { customerId, name = "", email = "", phoneNumber = "", userId = "" } = customer;
  const channelKey = `tickets.channel.${channel}`;
  const values: [string, string][] = [
    [t("tickets.customerEmail"), email],
    [t("tickets.phone"), phoneNumber],
    [t("tickets.userId"), userId],
    [t("tickets.channel"), has(channelKey) ? t(channelKey) : channel],
    [t("tickets.openedAt"), formatDate(createdAt, locale)],
  ];
  return (
    <section className={styles.part} aria-label={t("tickets.customer")}>
      <h2>{t("tickets.customer")}</h2>
      <p>
        {maySee && customerId ? (
          <Link href={`/agents/${id}/people/${customerId}`}>
            <bdi>{customerOf({ name, email }, t)}</bdi>
          </Link>
        ) : (
          <bdi>{customerOf({ name, email }, t)}</bdi>
        )}
      </p>
      <Facts values={values.filter(([, value]) => value)} />
    </section>
  );
}

/** What the rules, as they are now, say of the ticket, and why. */
function Why({ id, ticket: { subject, description = "", customer, channel, priority } }: { id: string; ticket: WholeTicket }) {
  const { t } = useTexts();
  const [result, setResult] = useState<RouteResult | null>(null);
  const [error, setError] = useState<unknown>(null);
  const ask = async () => {
    setError(null);
    try {
      setResult(await tryRoute(id, { subject, description, email: customer.email ?? "", channel, priority }));
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <section className={styles.part} aria-label={t("tickets.why")}>
      <h2>{t("tickets.why")}</h2>
      <p className={styles.detail}>{t("tickets.whyText")}</p>
      <div>
        <Button icon="circle-question-mark" onPress={() => void ask()}>
          {t("tickets.askRules")}
        </Button>
      </div>
      {error !== null && <Failed error={error} />}
      <div role="status" className={styles.detail}>
        {result && <RouteView result={result} />}
      </div>
    </section>
  );
}
