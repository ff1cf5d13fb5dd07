import { useState } from "react";
import type { TicketEvent, TicketMessage } from "../../api/tickets";
import { Button } from "../../components/button";
import { KeepPlace } from "../../components/keep-place";
import { formatDate, useTexts } from "../../i18n";
import { showName } from "../../names";
import { MessageFiles } from "../inbox/message-files";
import { priorityKey, type Names } from "./labels";
import styles from "./ticket.module.css";

const drawn = 200; // messages at most
const step = 100;

/** What was said about a ticket, and what has happened to it, the oldest first. Of many only a part is drawn. */
export function Thread({ messages, names }: { messages: readonly TicketMessage[]; names: Names }) {
  const { t } = useTexts();
  const [end, setEnd] = useState<number | null>(null); // of the part; null follows the newest
  const last = end ?? messages.length;
  const first = Math.max(0, last - drawn);
  const isPart = first > 0 || last < messages.length;
  const placeOf = (i: number) => (isPart ? { "aria-posinset": first + i + 1, "aria-setsize": messages.length } : {});
  return (
    <>
      {first > 0 && <Button onPress={() => setEnd(Math.max(drawn, last - step))}>{t("inbox.earlier")}</Button>}
      <KeepPlace isStartKept>
        <ol className={styles.thread} aria-label={t("tickets.thread")}>
          {messages.slice(first, last).map((message, i) => (
            <li key={message.messageId} className={styles[message.type] ?? ""} data-row={message.messageId} {...placeOf(i)}>
              {message.event ? (
                <Event event={message.event} time={message.createdAt} names={names} />
              ) : (
                <Message message={message} />
              )}
            </li>
          ))}
        </ol>
      </KeepPlace>
      {last < messages.length && (
        <Button onPress={() => setEnd(last + step < messages.length ? last + step : null)}>{t("inbox.later")}</Button>
      )}
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
        <Time time={createdAt} />
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

function Time({ time }: { time: string }) {
  const { locale } = useTexts();
  return <time dateTime={time}>{formatDate(time, locale)}</time>;
}

function Event({ event, time, names }: { event: TicketEvent; time: string; names: Names }) {
  return (
    <p className={styles.event}>
      <EventText event={event} names={names} />
      {" · "}
      <Time time={time} />
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
