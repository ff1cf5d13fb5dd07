import { useMemo, useRef, useState } from "react";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { usePlace } from "../playground/address";
import { Composer } from "../playground/composer";
import { useTalk, useTalkState, type Exchange } from "../playground/conversation";
import { FollowedEnd } from "../playground/followed-end";
import { Exchanges, findExchange, Spoken, type TalkActions } from "../playground/talk";
import { WhyPane } from "../playground/why";
import styles from "./first-run.module.css";

/** A small playground: what is asked here is no customer's conversation. */
interface Props {
  agent: string;
  canAsk: boolean;
  /** Whether nothing of what was given could be read. */
  hasFailed: boolean;
  /** To begin with, where the person has not written what it reads. */
  questions: readonly string[];
}

export function Trial({ agent, canAsk, hasFailed, questions }: Props) {
  const { t } = useTexts();
  const { place, move } = usePlace();
  const talk = useTalk(agent, place.conversations.slice(0, 1), 1, (conversations) => move({ conversations }));
  const { lanes, isBusy, isLoading, failure } = useTalkState(talk);
  const [passage, setPassage] = useState<number | null>(null);
  const [isWhyOpen, setWhyOpen] = useState(false);
  const latest = useRef(move);
  latest.current = move;
  const actions: TalkActions = useMemo(() => {
    const select = (answer: string, passage: number | null) => {
      setPassage(passage);
      latest.current({ answer });
    };
    return {
      ask: (message: string) => {
        select("", null);
        talk.ask(message, [undefined]);
      },
      again: () => {
        select("", null);
        talk.again(undefined);
      },
      explain: ({ answer }: Exchange, passage: number | null) => {
        select(answer.messageId, passage);
        setWhyOpen(passage === null);
      },
      explainsIn: "dialog",
    };
  }, [talk]);
  const lane = lanes[0]!;
  const isEmpty = lane.exchanges.length === 0;
  return (
    <section className={styles.chat} aria-label={t("firstRun.chat")}>
      <FollowedEnd
        count={lane.exchanges.length}
        label={t("firstRun.answers")}
        className={styles.scroll}
        innerClassName={styles.turns}
      >
        {failure !== null && <Failed error={failure} onRetry={talk.reload} />}
        {isEmpty && isLoading && <Loading rows={2} />}
        {isEmpty && !isLoading && failure === null && (
          <p className={styles.detail}>{t(canAsk ? "firstRun.ask" : hasFailed ? "firstRun.giveOther" : "firstRun.wait")}</p>
        )}
        {isEmpty && !isLoading && canAsk && questions.length > 0 && (
          <ul className={styles.questions} aria-label={t("playground.suggested")}>
            {questions.map((question) => (
              <li key={question}>
                <Button onPress={() => actions.ask(question)}>{question}</Button>
              </li>
            ))}
          </ul>
        )}
        <Exchanges
          agent={agent}
          lane={lane}
          shown={isWhyOpen || passage !== null ? findExchange(lanes, place.answer) : undefined}
          passage={passage}
          actions={actions}
          mayRepeat={!isBusy && !isLoading}
        />
      </FollowedEnd>
      <Composer
        isBusy={isBusy}
        isDisabled={!canAsk || isLoading || failure !== null}
        takesFocus
        onAsk={actions.ask}
        onStop={talk.stop}
      />
      <Spoken talk={talk} />
      <Dialog title={t("playground.why")} isOpen={isWhyOpen} onClose={() => setWhyOpen(false)}>
        <WhyPane
          agent={agent}
          talk={talk}
          answer={place.answer}
          passage={passage}
          onSelect={(answer, passage) => {
            setPassage(passage);
            move({ answer });
          }}
        />
      </Dialog>
    </section>
  );
}
