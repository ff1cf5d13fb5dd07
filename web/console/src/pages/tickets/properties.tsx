import { useState } from "react";
import { APIError } from "../../api/client";
import { changeTicket, nobody, priorities, useTicketsChange, type Priority, type TicketChange, type TicketFacts } from "../../api/tickets";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions, Dialog } from "../../components/dialog";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { DueLabel } from "./labels";
import { priorityKey, type Names } from "./names";
import styles from "./ticket.module.css";

const isConflict = (error: unknown) => error instanceof APIError && error.code === "TICKET_CHANGED";

interface PropertiesProps {
  id: string;
  ticket: TicketFacts;
  names: Names;
  mayWrite: boolean;
}

/** What is changed of a ticket, each at once. If somebody else has changed it, that is asked about first. */
export function Properties({ id, ticket, names, mayWrite }: PropertiesProps) {
  const { t } = useTexts();
  const refresh = useTicketsChange();
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
      <Targets ticket={ticket} />
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
  ticket: TicketFacts;
  names: Names;
  onChange: (change: TicketChange) => void;
}

function Choices({ ticket, names, onChange }: ChoicesProps) {
  const { t } = useTexts();
  const { statusId, assignee, assigneeId = nobody, teamId = nobody, priority } = ticket;
  const statuses = names.statuses.map((one) => ({ id: one.statusId, name: one.label }));
  const people = names.people.map(({ id, name }) => ({ id, name: showName(name, t) }));
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
        value={assigneeId}
        options={withPresent([{ id: nobody, name: t("tickets.nobody") }, ...people], assigneeId, assignee ?? t("tickets.somebody"))}
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

function Values({ ticket, names }: { ticket: TicketFacts; names: Names }) {
  const { t } = useTexts();
  const values = [
    [t("tickets.status"), ticket.status],
    [t("tickets.assignee"), names.person(ticket.assigneeId)],
    [t("tickets.team"), names.team(ticket.teamId)],
    [t("tickets.priority"), t(priorityKey(ticket.priority))],
  ] as const;
  return <Facts values={values} />;
}

/** Until when the ticket is to be replied to and resolved, or that this was missed; nothing without targets. */
function Targets({ ticket }: { ticket: TicketFacts }) {
  const { t } = useTexts();
  const targets = [
    [t("tickets.firstReply"), ticket.firstReplyDueAt, ticket.firstReplyBreachedAt],
    [t("tickets.resolution"), ticket.resolutionDueAt, ticket.resolutionBreachedAt],
  ] as const;
  const shown = targets.filter(([, dueAt, breachedAt]) => dueAt || breachedAt);
  if (shown.length === 0) return null;
  return (
    <dl className={styles.facts}>
      {shown.map(([name, dueAt]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{dueAt ? <DueLabel dueAt={dueAt} /> : t("tickets.missed")}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Facts({ values }: { values: readonly (readonly [string, string])[] }) {
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
