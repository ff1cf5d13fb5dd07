import { Fragment } from "react";
import type { TicketEvent, TicketMessage, useTicketThread, WholeTicket } from "../../api/tickets";
import { KeepPlace } from "../../components/keep-place";
import { More } from "../../components/more";
import { DayBefore, ShortTime } from "../../components/times";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { MessageFiles } from "../inbox/message-files";
import { priorityKey, type Names } from "./labels";
import styles from "./ticket.module.css";

interface Props {
  ticket: WholeTicket;
  query: ReturnType<typeof useTicketThread>;
  names: Names;
}

/** What was said about a ticket, and what has happened to it, the oldest first. */
export function Thread({ ticket, query, names }: Props) {
  const { t } = useTexts();
  return (
    <>
      <More list={query} isAsked label={t("inbox.earlier")} />
      <KeepPlace isStartKept>
        <ol className={styles.thread} aria-label={t("tickets.thread")}>
          {ticket.entries.map((message, i) => (
            <Fragment key={message.messageId}>
              <DayBefore time={message.createdAt} before={ticket.entries[i - 1]?.createdAt} />
              <li className={styles[message.type] ?? ""} data-row={message.messageId}>
                {message.event ? (
                  <Event event={message.event} time={message.createdAt} names={names} />
                ) : (
                  <Message message={message} />
                )}
              </li>
            </Fragment>
          ))}
        </ol>
      </KeepPlace>
      <More list={query} isBack label={t("inbox.later")} />
    </>
  );
}

function Message({ message: { type, from, name, email, text, files = [], createdAt } }: { message: TicketMessage }) {
  const { t } = useTexts();
  const author = from === "system" ? t("tickets.by.agent") : showName(name || email || "", t);
  return (
    <article className={`${styles.message} ${from === "customer" ? styles.theirs : ""}`}>
      <p className={styles.detail}>
        <bdi>{author}</bdi>
        {" · "}
        <ShortTime time={createdAt} />
        {type === "note" && <span className={styles.badge}>{t("tickets.kind.note")}</span>}
      </p>
      {text && (
        <p className={styles.text} dir="auto">
          {text}
        </p>
      )}
      <MessageFiles files={files} />
    </article>
  );
}

function Event({ event, time, names }: { event: TicketEvent; time: string; names: Names }) {
  return (
    <p className={styles.event}>
      <EventText event={event} names={names} />
      {" · "}
      <ShortTime time={time} />
    </p>
  );
}

const programs = ["api", "operator", "agent", "customer", "system"] as const;

/** What has happened, in a sentence. */
function EventText({ event, names }: { event: TicketEvent; names: Names }) {
  const { t } = useTexts();
  const { eventType, doneBy = "system" } = event;
  const program = programs.find((one) => one === doneBy);
  const who = program ? t(`tickets.by.${program}`) : names.person(doneBy);
  switch (eventType) {
    case "status_change":
      return t("tickets.event.status", { who, from: names.status(event.statusFrom ?? ""), to: names.status(event.statusTo ?? "") });
    case "assign":
      return t("tickets.event.assign", { who, to: names.person(event.assignedTo) });
    case "team_change":
      return t("tickets.event.team", { who, to: names.team(event.to) });
    case "priority_change":
      return t("tickets.event.priority", { who, to: t(priorityKey(event.to ?? "none")) });
    case "created":
      return t("tickets.event.created", { who });
    case "escalated":
      return t("tickets.event.escalated", { who });
    case "handed_back":
      return t("tickets.event.handedBack", { who });
    case "ended":
      return t("tickets.event.ended", { who });
    default:
      return t("tickets.event.other", { who, what: eventType });
  }
}
