import { useState, type ReactNode } from "react";
import { Link } from "react-aria-components";
import { isNotFound } from "../../api/client";
import { useCustomer, type CustomerDetails, type PersonErased } from "../../api/people";
import { ButtonLink } from "../../components/button";
import { Facts } from "../../components/facts";
import { Page, Section } from "../../components/page";
import { Empty, Failed, Loading } from "../../components/states";
import { formatDate, relativeTime, useTexts } from "../../i18n";
import { MergePeople } from "./merge";
import { useCustomerName } from "./names";
import { Erased, Privacy } from "./privacy";
import styles from "./people.module.css";

/** A customer with what is known of them, their conversations and their tickets. */
export function PersonPage({ agentId, id }: { agentId: string; id: string }) {
  const { t } = useTexts();
  const nameOf = useCustomerName();
  const [erased, setErased] = useState<PersonErased | null>(null);
  const person = useCustomer(agentId, erased ? "" : id);
  const back = <ButtonLink href={`/agents/${agentId}/people`}>{t("people.all")}</ButtonLink>;
  const isGone = isNotFound(person.error);
  if (erased) {
    return (
      <Page title={t("people.person")}>
        <Erased agentId={agentId} erased={erased} />
      </Page>
    );
  }
  return (
    <Page title={person.data ? nameOf(person.data) : t("people.person")} actions={!isGone && back}>
      {person.isPending && <Loading rows={6} />}
      {isGone && (
        <Empty icon="users" title={t("people.gone")} text={t("people.goneText")}>
          {back}
        </Empty>
      )}
      {person.isError && !isGone && !person.data && <Failed error={person.error} onRetry={() => void person.refetch()} />}
      {person.data && <Person agentId={agentId} person={person.data} />}
      {person.data && <MergePeople agentId={agentId} person={person.data} />}
      {person.data && <Privacy agentId={agentId} person={person.data} onErased={setErased} />}
    </Page>
  );
}

function Person({ agentId, person }: { agentId: string; person: CustomerDetails }) {
  const { t, locale } = useTexts();
  const { name, email, phoneNumber, userId, createdAt, attributes, conversations, tickets } = person;
  const known: readonly (readonly [string, ReactNode])[] = [
    [t("people.name"), name],
    [t("people.email"), email],
    [t("people.phone"), phoneNumber],
    [t("people.userId"), userId],
    [t("people.since"), formatDate(createdAt, locale)],
  ];
  return (
    <>
      <Section title={t("people.known")}>
        <dl className={styles.facts}>
          {known.map(([label, value]) => value && <Fact key={label} label={label} value={value} />)}
          {attributes.map((one) => (
            <Fact key={`attribute ${one.name}`} label={one.label || one.name} value={one.value} />
          ))}
        </dl>
      </Section>
      <Section title={t("people.conversations")}>
        {conversations.length === 0 && <p className={styles.hint}>{t("people.noConversations")}</p>}
        <ol className={styles.rows}>
          {conversations.map(({ conversationId, source, messages, lastActivity }) => (
            <li key={conversationId}>
              <Link href={`/inbox/${conversationId}?view=all`}>{formatDate(lastActivity, locale)}</Link>
              <p className={styles.hint}>
                <Facts>
                  <bdi>{source}</bdi>
                  {t("people.messages", { count: messages })}
                </Facts>
              </p>
            </li>
          ))}
        </ol>
      </Section>
      <Section title={t("people.tickets")}>
        {tickets.length === 0 && <p className={styles.hint}>{t("people.noTickets")}</p>}
        <ol className={styles.rows}>
          {tickets.map(({ ticketNumber, subject, status, updatedAt }) => (
            <li key={ticketNumber}>
              <Link href={`/agents/${agentId}/tickets/${ticketNumber}`}>
                <bdi>#{ticketNumber}</bdi> <bdi>{subject}</bdi>
              </Link>
              <p className={styles.hint}>
                <Facts>
                  <bdi>{status}</bdi>
                  {relativeTime(updatedAt, locale)}
                </Facts>
              </p>
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

function Fact({ label, value }: { label: string; value: ReactNode }) {
  return (
    <div>
      <dt>
        <bdi>{label}</bdi>
      </dt>
      <dd dir="auto">{value}</dd>
    </div>
  );
}
