import { useState } from "react";
import { useAllAgents } from "../../api/agents";
import { changeTicket, nobody, priorities, useTicket, useTicketsChange, type Priority, type TicketChange, type TicketDetails } from "../../api/tickets";
import { APIError, isNotFound } from "../../api/client";
import { tryRoute, type RouteResult } from "../../api/helpdesk-setup";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions, Dialog } from "../../components/dialog";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import { showName } from "../../names";
import { RouteView } from "../helpdesk-setup/try";
import { Composer } from "./composer";
import { priorityKey, useNames, type Names } from "./labels";
import { customerOf, titleOf } from "./list";
import { Thread } from "./thread";
import styles from "./ticket.module.css";

/** A ticket: what was said, what has happened to it, who it is of, and what can be changed of it. */
export default function TicketPage({ id, number }: { id: string; number: string }) {
  const { t } = useTexts();
  const ticket = useTicket(id, Number(number));
  const names = useNames(id);
  const title = ticket.data ? titleOf(ticket.data, t) : t("tickets.ticket");
  return (
    <Page
      title={title}
      actions={
        <ButtonLink icon="rows-3" href={`/agents/${id}/tickets`}>
          {t("tickets.title")}
        </ButtonLink>
      }
    >
      <RoleNote needs="tickets:write" note="role.tickets" />
      {ticket.isPending && <Loading rows={6} />}
      {isNotFound(ticket.error) ? (
        <Empty icon="inbox" title={t("tickets.gone")} text={t("tickets.goneText")} />
      ) : (
        ticket.isError && !ticket.data && <Failed error={ticket.error} onRetry={() => void ticket.refetch()} />
      )}
      {ticket.data && <Ticket key={number} id={id} ticket={ticket.data} names={names} />}
    </Page>
  );
}

function Ticket({ id, ticket, names }: { id: string; ticket: TicketDetails; names: Names }) {
  const mayWrite = useMay("tickets:write");
  const agent = useAllAgents(true).data?.find((one) => one.id === id)?.name ?? "";
  return (
    <div className={styles.ticket}>
      <div className={styles.talk}>
        <Thread messages={ticket.messages} names={names} />
        {mayWrite && (
          <Composer
            agentId={id}
            number={ticket.ticketNumber}
            conversationId={ticket.conversationId}
            customer={ticket.customer.name ?? ""}
            agent={agent}
          />
        )}
      </div>
      <div className={styles.side}>
        <Properties id={id} ticket={ticket} names={names} mayWrite={mayWrite} />
        <Customer ticket={ticket} />
        <Why id={id} ticket={ticket} />
      </div>
    </div>
  );
}

const isConflict = (error: unknown) => error instanceof APIError && error.code === "TICKET_CHANGED";

interface PropertiesProps {
  id: string;
  ticket: TicketDetails;
  names: Names;
  mayWrite: boolean;
}

/** What is changed of a ticket, each at once. If somebody else has changed it, that is asked about first. */
function Properties({ id, ticket, names, mayWrite }: PropertiesProps) {
  const { t } = useTexts();
  const refresh = useTicketsChange(id);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [asked, setAsked] = useState<TicketChange | null>(null);
  const change = async (change: TicketChange) => {
    setPending(true);
    setError(null);
    setAsked(null);
    try {
      await changeTicket(id, ticket.ticketNumber, { ...change, baseUpdatedAt: ticket.updatedAt });
    } catch (thrown) {
      if (isConflict(thrown)) setAsked(change);
      else setError(thrown);
    }
    await refresh();
    setPending(false);
  };
  return (
    <section className={styles.part} aria-label={t("tickets.properties")}>
      <h2>{t("tickets.properties")}</h2>
      {error !== null && <Failed error={error} />}
      {mayWrite ? (
        <Choices ticket={ticket} names={names} onChange={(one) => void change(one)} />
      ) : (
        <Values ticket={ticket} names={names} />
      )}
      <p role="status" className={styles.detail}>
        {isPending && t("tickets.changing")}
      </p>
      <Dialog role="alertdialog" title={t("tickets.conflictTitle")} isOpen={asked !== null} onClose={() => setAsked(null)}>
        <p>{t("tickets.conflictText")}</p>
        <Values ticket={ticket} names={names} />
        <Actions>
          <Button onPress={() => setAsked(null)}>{t("tickets.keepTheirs")}</Button>
          <Button kind="primary" isPending={isPending} onPress={() => asked && void change(asked)}>
            {t("tickets.changeAnyway")}
          </Button>
        </Actions>
      </Dialog>
    </section>
  );
}

interface Option {
  id: string;
  name: string;
}

// What the ticket has is an option, whatever else there is.
const withPresent = (options: Option[], id: string, name: string) =>
  options.some((one) => one.id === id) ? options : [...options, { id, name }];

interface ChoicesProps {
  ticket: TicketDetails;
  names: Names;
  onChange: (change: TicketChange) => void;
}

function Choices({ ticket, names, onChange }: ChoicesProps) {
  const { t } = useTexts();
  const { statusId, assignee = nobody, assigneeId, teamId = nobody, priority } = ticket;
  const statuses = names.statuses.map((one) => ({ id: one.statusId, name: one.label }));
  const people = names.people.map(({ email, name }) => ({ id: email, name }));
  const teams = names.teams.map((one) => ({ id: one.teamId, name: showName(one.name, t) }));
  return (
    <>
      <Choice
        label={t("tickets.status")}
        value={statusId}
        options={withPresent(statuses, statusId, ticket.status)}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label={t("tickets.assignee")}
        value={assignee}
        options={withPresent([{ id: nobody, name: t("tickets.nobody") }, ...people], assignee, assigneeId ? assignee : t("tickets.nobody"))}
        onChange={(assignee) => onChange({ assignee })}
      />
      <Choice
        label={t("tickets.team")}
        value={teamId}
        options={withPresent([{ id: nobody, name: t("tickets.noTeam") }, ...teams], teamId, ticket.team ?? t("tickets.otherTeam"))}
        onChange={(team) => onChange({ team })}
      />
      <Choice
        label={t("tickets.priority")}
        value={priority}
        options={priorities.map((id): Option => ({ id, name: t(priorityKey(id)) }))}
        onChange={(priority) => onChange({ priority: priority as Priority })}
      />
    </>
  );
}

function Values({ ticket, names }: { ticket: TicketDetails; names: Names }) {
  const { t } = useTexts();
  const values = [
    [t("tickets.status"), ticket.status],
    [t("tickets.assignee"), names.person(ticket.assigneeId)],
    [t("tickets.team"), names.team(ticket.teamId)],
    [t("tickets.priority"), t(priorityKey(ticket.priority))],
  ] as const;
  return <Facts values={values} />;
}

function Facts({ values }: { values: readonly (readonly [string, string])[] }) {
  return (
    <dl className={styles.facts}>
      {values.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Customer({ ticket: { customer, channel, createdAt } }: { ticket: TicketDetails }) {
  const { t, locale, has } = useTexts();
  const { name = "", email = "", phoneNumber = "", userId = "" } = customer;
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
        <bdi>{customerOf({ name, email }, t)}</bdi>
      </p>
      <Facts values={values.filter(([, value]) => value)} />
    </section>
  );
}

/** What the rules, as they are now, say of the ticket, and why. */
function Why({ id, ticket: { subject, description = "", customer, channel, priority } }: { id: string; ticket: TicketDetails }) {
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
