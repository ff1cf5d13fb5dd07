import { useEffect, useId, useMemo, useRef, useState, type ReactNode } from "react";
import { useThread, wholeThread, type WholeThread } from "../../api/inbox";
import { useReadMark } from "../../api/read-marks";
import { IconButton } from "../../components/button";
import { MarkUnread } from "../../components/mark-unread";
import { Empty, Failed, Loading } from "../../components/states";
import { isNotFound } from "../../api/client";
import { useMay, useSession } from "../../api/session";
import { useTexts } from "../../i18n";
import { FollowedEnd } from "../playground/followed-end";
import { textOf } from "./entries";
import { Hand } from "./hand";
import { nameOf } from "./customer-name";
import { SaidEntries } from "./said";
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
  /** There is room for one row above what was said: the steps are behind a button. */
  isNarrow?: boolean;
}

/** A conversation, with what a person does in it. */
export function ThreadPane({ id, start, end, leave, isNarrow = false }: Props) {
  const { t } = useTexts();
  const query = useThread(id);
  const thread = useMemo(() => wholeThread(query.data), [query.data]);
  const [sent, setSent] = useState(0);
  const [head, setHead] = useState<HTMLElement | null>(null);
  const [areStepsShown, setStepsShown] = useState(false);
  const steps = useId();
  const mayWrite = useMay("conversations:write");
  const newest = thread?.isNewest ? (thread.entries.at(-1)?.seq ?? 0) : 0;
  useReadMark(id, thread?.unread ?? false, newest);
  if (query.isError && !thread && isNotFound(query.error)) {
    return (
      <>
        {start && <div className={styles.threadHead}>{start}</div>}
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
          {isNarrow && end}
          {isNarrow && thread && mayWrite && (
            <IconButton
              icon="ellipsis"
              label={t("inbox.more")}
              aria-expanded={areStepsShown}
              aria-controls={steps}
              onPress={() => setStepsShown(!areStepsShown)}
            />
          )}
          <div id={steps} className={`${styles.allSteps} ${isNarrow && !areStepsShown ? styles.noSteps : ""}`}>
            <div ref={setHead} className={styles.steps} />
            {thread && <MarkUnread id={id} leave={leave} />}
          </div>
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

/** What was said, in a part that scrolls by itself and follows its end. */
function Said({ thread, query, sent }: SaidProps) {
  const { t } = useTexts();
  const spoken = useSpoken(thread);
  return (
    <>
      <p role="status" className={styles.hidden}>
        {spoken}
      </p>
      <FollowedEnd count={sent} isEnd={thread.isNewest} label={t("inbox.said")} className={styles.said} innerClassName={styles.grown}>
        <SaidEntries thread={thread} query={query} />
      </FollowedEnd>
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
