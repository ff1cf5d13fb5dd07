import { Fragment } from "react";
import type { TicketMessage, useTicketThread, WholeTicket } from "../../api/tickets";
import { KeepPlace } from "../../components/keep-place";
import { More } from "../../components/more";
import { DayBefore, ShortTime } from "../../components/times";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { MessageFiles } from "../inbox/message-files";
import { EventText } from "./event-text";
import type { Names } from "./names";
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
                  <Event message={message} names={names} />
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

function Event({ message: { event, name, createdAt }, names }: { message: TicketMessage; names: Names }) {
  return (
    <p className={styles.event}>
      {event && <EventText event={event} name={name} names={names} />}
      {" · "}
      <ShortTime time={createdAt} />
    </p>
  );
}
