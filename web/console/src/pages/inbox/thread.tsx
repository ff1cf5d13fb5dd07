import { Fragment, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useExplanation, useThread, wholeThread, type Thread, type ThreadEntry, type WholeThread } from "../../api/inbox";
import { useReadMark } from "../../api/read-marks";
import { Dialog } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { KeepPlace } from "../../components/keep-place";
import { MarkUnread } from "../../components/mark-unread";
import { More } from "../../components/more";
import { Empty, Failed, Loading } from "../../components/states";
import { DayBefore } from "../../components/times";
import { isNotFound } from "../../api/client";
import { useSession } from "../../api/session";
import { useTexts } from "../../i18n";
import type { Exchange } from "../playground/conversation";
import { FollowedEnd } from "../playground/followed-end";
import { ImproveDialog } from "../playground/improve";
import { Why } from "../playground/why";
import { textOf } from "./entries";
import { EntryView, type EntryActions } from "./entry";
import { Hand } from "./hand";
import { nameOf } from "./customer-name";
import { ConversationState } from "./state";
import styles from "./inbox.module.css";

interface Props {
  id: string;
  /** Buttons before the name, on a phone. */
  start?: ReactNode;
  /** Buttons behind the name, on a phone. */
  end?: ReactNode;
  /** Closes the conversation. */
  leave: () => void;
}

/** A conversation, with what a person does in it. */
export function ThreadPane({ id, start, end, leave }: Props) {
  const { t } = useTexts();
  const query = useThread(id);
  const thread = useMemo(() => wholeThread(query.data), [query.data]);
  const [sent, setSent] = useState(0);
  const [head, setHead] = useState<HTMLElement | null>(null);
  const newest = thread?.isNewest ? (thread.entries.at(-1)?.seq ?? 0) : 0;
  useReadMark(id, thread?.unread ?? false, newest);
  if (query.isError && !thread && isNotFound(query.error)) {
    return (
      <>
        {start}
        <Empty icon="inbox" title={t("inbox.gone")} text={t("inbox.goneText")} />
      </>
    );
  }
  return (
    <>
      {(start || thread) && (
        <div className={styles.threadHead}>
          {start}
          {thread && (
            <div className={styles.threadName}>
              <h2 dir="auto">{nameOf(thread, t)}</h2>
              <ConversationState row={thread} isAnswering={thread.answering} />
            </div>
          )}
          <div ref={setHead} className={styles.steps} />
          {thread && <MarkUnread id={id} leave={leave} />}
          {end}
        </div>
      )}
      {!thread && query.isPending && <Loading rows={5} />}
      {!thread && query.isError && <Failed error={query.error} onRetry={() => void query.refetch()} />}
      {thread && <Said thread={thread} query={query} sent={sent} />}
      {thread && <Hand key={id} thread={thread} head={head} onSent={() => setSent((count) => count + 1)} />}
    </>
  );
}

interface SaidProps {
  thread: WholeThread;
  query: ReturnType<typeof useThread>;
  /** How often the person has written: then the end is followed again. What others write moves nothing. */
  sent: number;
}

/** What was said, and why the agent answered so. */
function Said({ thread, query, sent }: SaidProps) {
  const { t } = useTexts();
  const [explained, setExplained] = useState<Exchange | null>(null);
  const [improved, setImproved] = useState<{ exchange: Exchange; better?: string } | null>(null);
  const actions = useMemo<EntryActions>(
    () => ({
      ask: () => {},
      again: () => {},
      explain: (exchange, passage) => passage === null && setExplained(exchange),
      explainsIn: "dialog",
      improve: (exchange) => setImproved({ exchange }),
      keep: (exchange, better) => setImproved({ exchange, better }),
    }),
    [],
  );
  const spoken = useSpoken(thread);
  return (
    <>
      <p role="status" className={styles.hidden}>
        {spoken}
      </p>
      <FollowedEnd count={sent} isEnd={thread.isNewest} label={t("inbox.said")} className={styles.said} innerClassName={styles.grown}>
        <div className={styles.earlier}>
          <More list={query} label={t("inbox.earlier")} />
        </div>
        {thread.entries.length === 0 && <p className={styles.detail}>{t("inbox.nothingSaid")}</p>}
        <KeepPlace isStartKept>
          <Entries thread={thread} actions={actions} />
        </KeepPlace>
        <div className={styles.earlier}>
          <More list={query} isBack label={t("inbox.later")} />
        </div>
        {thread.answering && thread.isNewest && (
          <p className={styles.event} role="status">
            <Icon name="bot" size={16} />
            {t("inbox.answering")}
          </p>
        )}
      </FollowedEnd>
      <Dialog title={t("playground.why")} isOpen={explained !== null} onClose={() => setExplained(null)}>
        {explained && <Explained thread={thread} exchange={explained} />}
      </Dialog>
      <ImproveDialog
        agent={thread.agentId}
        exchange={improved?.exchange ?? null}
        better={improved?.better}
        onClose={() => setImproved(null)}
      />
    </>
  );
}

const longestSpoken = 500; // characters

/** What others have written since the conversation was opened, for screen readers. Notes and events are read when wanted. */
function useSpoken(thread: WholeThread): string {
  const { t } = useTexts();
  const own = useSession().data?.user?.name;
  const newest = thread.isNewest ? thread.entries.findLast(({ type }) => type === "reply") : undefined;
  const known = useRef<number>(undefined);
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    if (!newest) return;
    const { seq, author, name: writer } = newest;
    const isFirst = known.current === undefined;
    const isKnown = isFirst || seq <= known.current!;
    known.current = Math.max(known.current ?? 0, seq);
    if (isKnown || (author === "human" && writer === own)) return;
    const names = { user: nameOf(thread, t), assistant: thread.agentName, human: writer ?? "", system: "" };
    setSpoken(t("inbox.spoken", { name: names[author], text: [...textOf(newest)].slice(0, longestSpoken).join("") }));
  }, [newest?.seq]);
  return spoken;
}

function Entries({ thread, actions }: { thread: Thread; actions: EntryActions }) {
  const { entries, agentId, conversationId } = thread;
  return (
    <ol className={styles.entries}>
      {entries.map((entry: ThreadEntry, i) => (
        <Fragment key={entry.messageId}>
          <DayBefore time={entry.createdAt} before={entries[i - 1]?.createdAt} />
          <EntryView agent={agentId} conversation={conversationId} entry={entry} entries={entries} actions={actions} />
        </Fragment>
      ))}
    </ol>
  );
}

function Explained({ thread, exchange }: { thread: Thread; exchange: Exchange }) {
  const { t } = useTexts();
  const [passage, setPassage] = useState<number | null>(null);
  const found = useExplanation(thread.conversationId, exchange.answer.messageId);
  if (found.isPending) return <Loading rows={4} />;
  if (found.isError && !isNotFound(found.error)) return <Failed error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <p className={styles.detail}>{t("playground.why.unknown")}</p>;
  const metadata = { ...exchange.answer.metadata!, explain: found.data };
  return (
    <Why
      agent={thread.agentId}
      exchange={{ ...exchange, answer: { ...exchange.answer, metadata } }}
      passage={passage}
      onSelect={(_, passage) => setPassage(passage)}
    />
  );
}
