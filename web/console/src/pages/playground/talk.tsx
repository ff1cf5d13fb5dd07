import { memo } from "react";
import { textOfTurn } from "../../../../shared/stream/turn";
import type { Draft, SuggestingAgent } from "../../api/playground";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { ExchangeView } from "./answer";
import { Beginning } from "./beginning";
import { Composer } from "./composer";
import { useTalkState, type Exchange, type Lane, type Talk } from "./conversation";
import { FollowedEnd } from "./followed-end";
import { LaneHead } from "./lane-head";
import styles from "./playground.module.css";

/** What can be done in a conversation. */
export interface TalkActions {
  ask: (message: string) => void;
  again: () => void;
  explain: (exchange: Exchange, passage: number | null) => void;
  /** Where the explanation is: always beside the answers, or in a pane or a dialog that takes their place. */
  explainsIn: "beside" | "pane" | "dialog";
  /** Undefined where answers are not improved. */
  improve?: ((exchange: Exchange) => void) | undefined;
}

interface Props {
  agent: SuggestingAgent;
  /** Where the draft is not as what is saved. */
  differences: Draft | undefined;
  /** The version of the settings that are saved. */
  version: number;
  talk: Talk;
  /** The message id of the answer that is explained; empty for the last one. */
  explained: string;
  passage: number | null;
  actions: TalkActions;
}

/** The conversation, or the two that are compared, with what is written to them. */
export const TalkView = memo(function TalkView({ agent, differences, version, talk, explained, passage, actions }: Props) {
  const { t } = useTexts();
  const { lanes, isBusy, isLoading, failure } = useTalkState(talk);
  const count = lanes.reduce((sum, { exchanges }) => sum + exchanges.length, 0);
  const isComparing = lanes.length === 2;
  const isEmpty = lanes.every(({ exchanges }) => exchanges.length === 0);
  const isNew = isEmpty && !isLoading && failure === null;
  const shown = findExchange(lanes, explained);
  const head = (isDraft: boolean) => <LaneHead {...{ isDraft, differences, version, lanes }} />;
  return (
    <div className={styles.talk}>
      <FollowedEnd count={count} label={t("playground.conversation")} className={styles.scroll} innerClassName={styles.grown}>
        {failure !== null && <Failed error={failure} onRetry={talk.reload} />}
        {isEmpty && isLoading && <Loading rows={3} />}
        {isNew && isComparing && (
          <div className={styles.lanes}>
            {head(false)}
            {head(true)}
          </div>
        )}
        {isNew && <Beginning agent={agent} onAsk={actions.ask} />}
        {!isEmpty && (
          <div className={isComparing ? styles.lanes : undefined}>
            {lanes.map((lane, i) => (
              <div key={i} className={styles.lane}>
                {isComparing && head(i === 1)}
                <Exchanges
                  agent={agent.id}
                  lane={lane}
                  shown={shown}
                  passage={passage}
                  actions={actions}
                  mayRepeat={!isComparing && !isBusy && !isLoading}
                />
              </div>
            ))}
          </div>
        )}
      </FollowedEnd>
      <div className={styles.below}>
        <Composer isBusy={isBusy} isDisabled={isLoading || failure !== null} onAsk={actions.ask} onStop={talk.stop} />
      </div>
    </div>
  );
});

interface ExchangesProps {
  agent: string;
  lane: Lane;
  /** The exchange that is explained. */
  shown: Exchange | undefined;
  passage: number | null;
  actions: TalkActions;
  mayRepeat: boolean;
}

/** The questions and answers of a conversation. */
export function Exchanges({ agent, lane, shown, passage, actions, mayRepeat }: ExchangesProps) {
  const { t } = useTexts();
  const { exchanges, earlier } = lane;
  return (
    <>
      {earlier > 0 && <p className={styles.earlier}>{t("playground.earlier", { count: earlier })}</p>}
      <ol className={styles.exchanges}>
        {exchanges.map((exchange, i) => (
          <ExchangeView
            key={exchange.id}
            agent={agent}
            exchange={exchange}
            isExplained={shown?.id === exchange.id}
            passage={shown?.id === exchange.id ? passage : null}
            mayRepeat={mayRepeat && i === exchanges.length - 1}
            actions={actions}
          />
        ))}
      </ol>
    </>
  );
}

/** The exchange with the answer, or else the last one. */
export function findExchange(lanes: readonly Lane[], answer: string): Exchange | undefined {
  const all = lanes.flatMap(({ exchanges }) => exchanges);
  const found = answer ? all.find((exchange) => exchange.answer.messageId === answer) : undefined;
  return found ?? lanes.at(-1)?.exchanges.at(-1);
}

const mostSpoken = 500; // characters: of a longer answer the rest is read where it stands

const beginningOf = (text: string) => (text.length <= mostSpoken ? text : text.slice(0, text.lastIndexOf(" ", mostSpoken)) + " …");

/** Reads finished answers out, and nothing while they are written. */
export function Spoken({ talk }: { talk: Talk }) {
  const { lanes } = useTalkState(talk);
  const answer = lanes.at(-1)?.exchanges.at(-1)?.answer;
  const text = answer?.status === "done" ? beginningOf(textOfTurn(answer.parts)) : "";
  return (
    <p role="status" className={styles.hidden} data-testid="spoken">
      {text}
    </p>
  );
}
