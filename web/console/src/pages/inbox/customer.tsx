import type { ReactNode } from "react";
import { Link } from "react-aria-components";
import type { Thread } from "../../api/inbox";
import { useCustomer, type CustomerDetails } from "../../api/people";
import { useMay } from "../../api/session";
import { ButtonLink } from "../../components/button";
import { Facts } from "../../components/facts";
import { Failed } from "../../components/states";
import { formatDate, relativeTime, useTexts, type Key } from "../../i18n";
import { nameOf } from "./customer-name";
import { TicketButton } from "./ticket";
import styles from "./inbox.module.css";

interface Props {
  thread: Thread;
  /** The query of the address, which links to other conversations keep. */
  search: string;
}

/** What is known of the customer, where the conversation came from, and what else they wrote about. */
export function CustomerPane({ thread, search }: Props) {
  const { t, locale } = useTexts();
  const { person, userId, source, pageTitle, pageOrigin, language, ticketNumber, messages, createdAt, agentId, agentName } = thread;
  const maySee = useMay("customers:read") && person !== null;
  const mayTickets = useMay("tickets:read");
  const details = useCustomer(agentId, maySee ? person.customerId : "");
  const languages = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
  const number = new Intl.NumberFormat(locale);
  const ticket = ticketNumber ? `#${ticketNumber}` : "";
  const rows: readonly [Key, ReactNode][] = [
    ["inbox.email", person?.email],
    ["inbox.phone", person?.phoneNumber],
    ["inbox.userId", person?.userId || userId],
    ["inbox.agent", agentName],
    ["inbox.source", source],
    ["inbox.page", pageTitle || pageOrigin],
    ["inbox.language", language && nameLanguage(languages, language)],
    ["inbox.ticket", ticket && mayTickets ? <Link href={`/agents/${agentId}/tickets/${ticketNumber}`}>{ticket}</Link> : ticket],
    ["inbox.messages", number.format(messages)],
    ["inbox.began", formatDate(createdAt, locale)],
  ];
  return (
    <div className={styles.person}>
      <h2 dir="auto">{nameOf(thread, t)}</h2>
      <p className={styles.detail}>{t(person ? "inbox.known" : "inbox.unknown")}</p>
      {maySee && (
        <div>
          <ButtonLink icon="user" href={`/agents/${agentId}/people/${person.customerId}`}>
            {t("inbox.inPeople")}
          </ButtonLink>
        </div>
      )}
      <dl className={styles.facts}>
        {rows.map(([name, value]) => value && <Fact key={name} label={t(name)} value={value} />)}
        {details.data?.attributes.map(({ name, label, value }) => <Fact key={`attribute ${name}`} label={label || name} value={value} />)}
      </dl>
      {ticketNumber && mayTickets && <TicketButton agentId={agentId} number={ticketNumber} />}
      {details.isError && !details.data && <Failed error={details.error} onRetry={() => void details.refetch()} />}
      {details.data && <History details={details.data} thread={thread} search={search} />}
    </div>
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

const shown = 10; // of each: the rest is among people

/** What else the customer wrote about, the newest first. */
function History({ details, thread, search }: Props & { details: CustomerDetails }) {
  const { t, locale } = useTexts();
  const mayTickets = useMay("tickets:read");
  const others = details.conversations.filter(({ conversationId }) => conversationId !== thread.conversationId);
  const tickets = mayTickets ? details.tickets.filter(({ ticketNumber }) => ticketNumber !== thread.ticketNumber) : [];
  const stateOf = (status: string) => (status === "ended" ? t("inbox.state.ended") : null);
  return (
    <>
      <h3>{t("inbox.otherConversations")}</h3>
      {others.length === 0 && <p className={styles.detail}>{t("inbox.noOthers")}</p>}
      <ol className={styles.history} aria-label={t("inbox.otherConversations")}>
        {others.slice(0, shown).map(({ conversationId, source, status, messages, lastActivity }) => (
          <li key={conversationId}>
            <Link href={`/inbox/${conversationId}${search}`}>
              <time dateTime={lastActivity}>{relativeTime(lastActivity, locale)}</time>
            </Link>
            <p className={styles.detail}>
              <Facts>
                <bdi>{source}</bdi>
                {t("people.messages", { count: messages })}
                {stateOf(status)}
              </Facts>
            </p>
          </li>
        ))}
      </ol>
      {tickets.length > 0 && (
        <>
          <h3>{t("inbox.otherTickets")}</h3>
          <ol className={styles.history} aria-label={t("inbox.otherTickets")}>
            {tickets.slice(0, shown).map(({ ticketNumber, subject, status, updatedAt }) => (
              <li key={ticketNumber}>
                <Link href={`/agents/${thread.agentId}/tickets/${ticketNumber}`}>
                  <bdi>#{ticketNumber}</bdi> <bdi>{subject}</bdi>
                </Link>
                <p className={styles.detail}>
                  <Facts>
                    <bdi>{status}</bdi>
                    <time dateTime={updatedAt}>{relativeTime(updatedAt, locale)}</time>
                  </Facts>
                </p>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

// A page may name as its language what is none.
function nameLanguage(languages: Intl.DisplayNames, tag: string): string {
  try {
    return languages.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
