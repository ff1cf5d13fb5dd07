import { useEffect, useRef, useState } from "react";
import { withoutControls } from "../../../../shared/markdown/links";
import { textOfTurn } from "../../../../shared/stream/turn";
import { readNewestEntries, type ThreadEntry, type WholeThread } from "../../api/inbox";
import { advanceAnswer, askPlayground, newAnswer } from "../../api/playground";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { citedSources } from "../playground/citations";
import { questionBefore, textOf } from "./entries";
import styles from "./inbox.module.css";

interface Props {
  thread: WholeThread;
  /** Takes the text, which the person changes and sends themselves. */
  onSuggest: (text: string) => void;
}

/** Asks the agent what it would answer, out of its sources. It costs what an answer in the playground costs. */
export function Suggest({ thread, onSuggest }: Props) {
  const { t, locale } = useTexts();
  const mayAsk = useMay("playground:use");
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [said, setSaid] = useState("");
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const messageIn = (entries: readonly ThreadEntry[]) => {
    const question = questionBefore(entries, Number.MAX_SAFE_INTEGER);
    return question ? textOf(question) : "";
  };
  if (!mayAsk || (thread.isNewest && !messageIn(thread.entries))) return null;
  const ask = async () => {
    const { signal } = (running.current = new AbortController());
    setPending(true);
    setError(null);
    setSaid("");
    let answer = newAnswer();
    try {
      // Whoever reads far back is asked about what the customer wrote last, and not about what is shown.
      const message = messageIn(thread.isNewest ? thread.entries : await readNewestEntries(thread.conversationId));
      if (!message) {
        setSaid(t("inbox.suggestNone"));
        return setPending(false);
      }
      for await (const events of askPlayground(thread.agentId, { message }, signal)) answer = events.reduce(advanceAnswer, answer);
      const text = textOfTurn(answer.parts);
      const names = citedSources(answer.metadata?.citations ?? []).map(({ name }) => withoutControls(name));
      const isUseful = answer.status === "done" && answer.metadata?.answerState !== "refused" && text !== "";
      if (isUseful) onSuggest(text);
      const list = new Intl.ListFormat(locale, { type: "conjunction" }).format(names);
      if (!isUseful) setSaid(t("inbox.suggestNone"));
      else if (names.length > 0) setSaid(t("inbox.suggestRests", { names: list }));
    } catch (thrown) {
      if (!signal.aborted) setError(thrown);
    }
    if (!signal.aborted) setPending(false);
  };
  return (
    <>
      <Button kind="quiet" icon="flask-conical" isPending={isPending} onPress={() => void ask()}>
        {t("inbox.suggest")}
      </Button>
      <span role="status" className={styles.detail}>
        {said}
      </span>
      {error !== null && <Failed error={error} />}
    </>
  );
}
