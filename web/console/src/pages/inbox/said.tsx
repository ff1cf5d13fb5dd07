import { Fragment, useMemo, useState } from "react";
import { useExplanation, type Thread, type ThreadEntry, type useThread, type WholeThread } from "../../api/inbox";
import { isNotFound } from "../../api/client";
import { Dialog } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { KeepPlace } from "../../components/keep-place";
import { More } from "../../components/more";
import { Failed, Loading } from "../../components/states";
import { DayBefore } from "../../components/times";
import { useTexts } from "../../i18n";
import type { Exchange } from "../playground/conversation";
import { ImproveDialog } from "../playground/improve";
import { Why } from "../playground/why";
import { changeBehind } from "./entries";
import { EntryView, type EntryActions } from "./entry";
import styles from "./inbox.module.css";

interface Props {
  thread: WholeThread;
  query: ReturnType<typeof useThread>;
  /** Reads what is earlier by its button alone: where the page scrolls, its beginning is in view from the start. */
  isEarlierAsked?: boolean;
}

/** What was said, and why the agent answered so. */
export function SaidEntries({ thread, query, isEarlierAsked = false }: Props) {
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
  return (
    <>
      <div className={styles.earlier}>
        <More list={query} isAsked={isEarlierAsked} label={t("inbox.earlier")} />
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

function Entries({ thread, actions }: { thread: Thread; actions: EntryActions }) {
  const { t } = useTexts();
  const { entries, agentId, conversationId } = thread;
  return (
    <ol className={styles.entries} aria-label={t("tickets.thread")}>
      {entries.map((entry: ThreadEntry, i) => {
        if (changeBehind(entries, i - 1)) return null; // it is said beside what brought it about
        const shown = { entry, entries, actions, change: changeBehind(entries, i) };
        return (
          <Fragment key={entry.messageId}>
            <DayBefore time={entry.createdAt} before={entries[i - 1]?.createdAt} />
            <EntryView agent={agentId} conversation={conversationId} {...shown} />
          </Fragment>
        );
      })}
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
