import { memo, useMemo } from "react";
import { citedBlocks } from "../../../../shared/markdown/cites";
import type { ThreadEntry } from "../../api/inbox";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { lex } from "../../components/markdown/lexer";
import { Markdown } from "../../components/markdown/markdown";
import { ShortTime } from "../../components/times";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { AnswerView } from "../playground/answer";
import type { Exchange } from "../playground/conversation";
import type { TalkActions } from "../playground/talk";
import { EventText } from "../tickets/event-text";
import { useNames } from "../tickets/names";
import { answerBefore, exchangeOf, questionBefore, textOf } from "./entries";
import { MessageFiles } from "./message-files";
import styles from "./inbox.module.css";

export interface EntryActions extends TalkActions {
  /** Has the agent answer with a text from now on, in place of what it has answered. */
  keep: (exchange: Exchange, text: string) => void;
}

interface Props {
  agent: string;
  conversation: string;
  entry: ThreadEntry;
  /** All that is shown of the conversation. */
  entries: readonly ThreadEntry[];
  actions: EntryActions;
  /** The event behind it that says which status the ticket has got by it. */
  change?: ThreadEntry | undefined;
}

/** A message, a note or an event. One that stays as it is is not drawn again when another one comes. */
export const EntryView = memo(
  function EntryView(props: Props) {
    const { entry } = props;
    if (entry.type === "event") return <EventView {...props} />;
    if (entry.type === "note") return <Written {...props} kind="note" />;
    if (entry.author === "user") return <Customer {...props} />;
    if (entry.author === "assistant") return <Answer {...props} />;
    return <Written {...props} kind="member" />;
  },
  (before, after) => JSON.stringify(before.entry) === JSON.stringify(after.entry) &&
    before.actions === after.actions &&
    before.change?.seq === after.change?.seq,
);

/** What the customer typed is text, whatever it looks like. */
function Customer({ agent, entry, change }: Props) {
  const { t } = useTexts();
  const text = textOf(entry);
  return (
    <li className={styles.customer} data-row={entry.seq}>
      <p className={styles.by}>
        <Facts>
          {t("inbox.customer")}
          <ShortTime time={entry.createdAt} />
          {change && <NewStatus agent={agent} entry={change} />}
        </Facts>
      </p>
      {text && (
        <p className={styles.typed} dir="auto">
          {text}
        </p>
      )}
      <MessageFiles files={entry.files} />
    </li>
  );
}

/** An answer of the agent, as in the playground. */
function Answer({ agent, conversation, entry, entries, actions }: Props) {
  const { t } = useTexts();
  const exchange = useMemo(
    () => exchangeOf({ conversationId: conversation }, entry, questionBefore(entries, entry.seq)),
    [conversation, entry], // the question before it stays the same
  );
  return (
    <li className={styles.agent} data-row={entry.seq}>
      <p className={styles.by}>
        <Facts>
          {t("inbox.theAgent")}
          <ShortTime time={entry.createdAt} />
        </Facts>
      </p>
      <AnswerView agent={agent} exchange={exchange} passage={null} isExplained={false} mayRepeat={false} actions={actions} />
      {entry.comment && (
        <p className={styles.typed} dir="auto">
          {t("inbox.comment", { text: entry.comment })}
        </p>
      )}
      <MessageFiles files={entry.files} />
    </li>
  );
}

/** What a member of the team has written: to the customer, or to the others. */
function Written({ agent, entry, kind, conversation, entries, actions, change }: Props & { kind: "member" | "note" }) {
  const { t } = useTexts();
  const mayKeep = useMay("answers:improve") && kind === "member";
  const text = textOf(entry);
  const answer = answerBefore(entries, entry.seq);
  const blocks = useMemo(() => citedBlocks(text, [], lex), [text]);
  return (
    <li className={styles[kind]} data-row={entry.seq}>
      <p className={styles.by}>
        {kind === "note" && <Icon name="lock" size={14} />}
        <Facts>
          {kind === "note" && t("inbox.noteBy")}
          {entry.name ? <bdi>{showName(entry.name, t)}</bdi> : t("inbox.theTeam")}
          <ShortTime time={entry.createdAt} />
          {change && <NewStatus agent={agent} entry={change} />}
        </Facts>
      </p>
      {text && <Markdown blocks={blocks} />}
      <MessageFiles files={entry.files} />
      {mayKeep && text && answer && (
        <div>
          <Button
            kind="quiet"
            icon="circle-question-mark"
            onPress={() => actions.keep(exchangeOf({ conversationId: conversation }, answer, questionBefore(entries, answer.seq)), text)}
          >
            {t("inbox.makeSource")}
          </Button>
        </div>
      )}
    </li>
  );
}

/** The events whose sentences have the names of statuses, teams and people. */
const namedEvents: readonly string[] = ["status_change", "team_change", "assign"];

function EventView({ agent, entry }: Pick<Props, "agent" | "entry">) {
  const { event } = entry;
  const names = useNames(event && namedEvents.includes(event.eventType) ? agent : "");
  if (!event) return null;
  return (
    <li className={styles.event} data-row={entry.seq}>
      <Facts>
        <bdi>
          <EventText event={event} name={entry.name} names={names} />
        </bdi>
        {event.reason && <span dir="auto">{event.reason}</span>}
        <ShortTime time={entry.createdAt} />
      </Facts>
    </li>
  );
}

/** The status that the ticket has got by what was written. */
function NewStatus({ agent, entry }: Pick<Props, "agent" | "entry">) {
  const { t } = useTexts();
  const names = useNames(agent);
  return <bdi data-row={entry.seq}>{t("inbox.nowStatus", { status: names.status(entry.event?.statusTo ?? "") })}</bdi>;
}
