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
import { useTexts, type Key } from "../../i18n";
import { showName } from "../../names";
import { AnswerView } from "../playground/answer";
import type { Exchange } from "../playground/conversation";
import type { TalkActions } from "../playground/talk";
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
}

/** A message, a note or an event. One that stays as it is is not drawn again when another one comes. */
export const EntryView = memo(
  function EntryView(props: Props) {
    const { entry } = props;
    if (entry.type === "event") return <EventView entry={entry} />;
    if (entry.type === "note") return <Written {...props} kind="note" />;
    if (entry.author === "user") return <Customer entry={entry} />;
    if (entry.author === "assistant") return <Answer {...props} />;
    return <Written {...props} kind="member" />;
  },
  (before, after) => JSON.stringify(before.entry) === JSON.stringify(after.entry) && before.actions === after.actions,
);

/** What the customer typed is text, whatever it looks like. */
function Customer({ entry }: { entry: ThreadEntry }) {
  const { t } = useTexts();
  const text = textOf(entry);
  return (
    <li className={styles.customer} data-row={entry.seq}>
      <p className={styles.by}>
        <Facts>
          {t("inbox.customer")}
          <ShortTime time={entry.createdAt} />
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
function Written({ entry, kind, conversation, entries, actions }: Props & { kind: "member" | "note" }) {
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

const eventTexts: Readonly<Record<string, Key>> = {
  created: "inbox.event.created",
  escalated: "inbox.event.escalated",
  handed_back: "inbox.event.handedBack",
  ended: "inbox.event.ended",
  assign: "inbox.event.assigned",
  status_change: "inbox.event.status",
  team_change: "inbox.event.team",
  priority_change: "inbox.event.priority",
};

function EventView({ entry }: { entry: ThreadEntry }) {
  const { t } = useTexts();
  const { eventType = "", reason = "" } = entry.event ?? {};
  return (
    <li className={styles.event} data-row={entry.seq}>
      <Facts>
        {t(eventTexts[eventType] ?? "inbox.event.other")}
        {entry.name && <bdi>{showName(entry.name, t)}</bdi>}
        {reason && <span dir="auto">{reason}</span>}
        <ShortTime time={entry.createdAt} />
      </Facts>
    </li>
  );
}
