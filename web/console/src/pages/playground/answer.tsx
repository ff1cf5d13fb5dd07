import { memo, useDeferredValue, useMemo, useRef } from "react";
import { Blocks } from "../../../../shared/markdown/blocks";
import type { Range } from "../../../../shared/markdown/cites";
import type { ToolPart } from "../../../../shared/stream/turn";
import { Icon } from "../../components/icon";
import { lex } from "../../components/markdown/lexer";
import { Markdown } from "../../components/markdown/markdown";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { AnswerFoot } from "./answer-foot";
import { CitationMark } from "./citation";
import { citationsOf, citeBlocks, numberOf, passageOf, rangesOfTexts } from "./citations";
import type { Exchange } from "./conversation";
import { Note, NoAnswer } from "./notes";
import type { TalkActions } from "./talk";
import styles from "./answer.module.css";

interface Props {
  agent: string;
  exchange: Exchange;
  /** The passage that is selected in this answer's explanation. */
  passage: number | null;
  isExplained: boolean;
  /** Whether another answer can be asked for in its place. */
  mayRepeat: boolean;
  actions: TalkActions;
}

/** What was asked and what came back. Those that do not change are not drawn again while another one grows. */
export const ExchangeView = memo(function ExchangeView(props: Props) {
  const { t } = useTexts();
  return (
    <li className={`${styles.exchange} ${props.isExplained ? styles.explained : ""}`}>
      {/* The direction is that of the question: what is in a bdi does not count. */}
      <p className={styles.question} dir="auto">
        <bdi className={styles.hidden}>{t("playground.you")}</bdi>
        {props.exchange.question}
      </p>
      <AnswerView {...props} />
    </li>
  );
});

/** What came back, with its state and what can be done with it. */
export function AnswerView(props: Props) {
  const { t } = useTexts();
  const { answer, failure } = props.exchange;
  const isDone = useDeferredValue(answer.status === "done");
  const retry = props.mayRepeat ? { onRetry: props.actions.again } : {};
  return (
    <div className={styles.answer}>
      <span className={styles.hidden}>{t("playground.agent")}</span>
      {answer.status === "sending" && <Waiting />}
      <Parts {...props} />
      {answer.status === "stopped" && <Note icon="square" text={t("playground.stopped")} />}
      {failure !== null && <Failed error={failure} {...retry} />}
      {answer.status === "failed" && failure === null && <NoAnswer {...retry} />}
      {isDone && <AnswerFoot {...props} />}
    </div>
  );
}

function Waiting() {
  return (
    <span className={styles.waiting} aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}

/**
 * The parts of an answer. When it is finished, the same elements get the marks of its citations: making all of a long
 * answer anew would take longer than a frame.
 */
function Parts({ agent, exchange: { answer }, passage, isExplained, actions, exchange }: Props) {
  const { metadata, parts, status } = answer;
  const citations = useMemo(() => metadata?.citations ?? [], [metadata]);
  // The browser may draw and listen in between: it is much at once where the answer is long.
  const isDone = useDeferredValue(status === "done");
  const ranges = useMemo(() => (isDone ? rangesOfTexts(parts, citations) : null), [isDone, parts, citations]);
  const marks = useMemo(() => {
    const passages = metadata?.explain?.passages ?? [];
    const active = new Set(isExplained && passage !== null ? citationsOf(passage, answer) : []);
    const render = (index: number) => {
      const citation = citations[index];
      if (!citation) return null;
      const own = passageOf(citation, passages);
      return (
        <CitationMark
          agent={agent}
          number={numberOf(citations, index)}
          citation={citation}
          passage={passages[own]}
          isActive={active.has(index)}
          onSelect={() => actions.explain(exchange, own < 0 ? null : own)}
        />
      );
    };
    return { render, active };
  }, [agent, answer, citations, metadata, isExplained, passage, actions, exchange]);
  return parts.map((part, i) => {
    if (part.kind === "tool") return <ToolCall key={i} part={part} />;
    return <TextPart key={i} text={part.text} ranges={ranges?.[i]} marks={marks} />;
  });
}

interface TextPartProps {
  text: string;
  /** Where its citations are, when it is finished. */
  ranges: readonly Range[] | undefined;
  marks: Parameters<typeof Markdown>[0]["marks"];
}

/** A text. Of one that is still written only the end is read anew. */
function TextPart({ text, ranges, marks }: TextPartProps) {
  const grown = useRef<{ blocks: Blocks; length: number }>(null);
  const state = (grown.current ??= { blocks: new Blocks(lex), length: 0 });
  if (text.length > state.length) {
    state.blocks.append(text.slice(state.length));
    state.length = text.length;
  }
  const cited = useMemo(() => ranges && citeBlocks(state.blocks, text, ranges), [state, text, ranges]);
  return cited ? <Markdown blocks={cited} {...(marks && { marks })} /> : <Markdown blocks={state.blocks.all()} />;
}

function ToolCall({ part }: { part: ToolPart }) {
  const { t } = useTexts();
  return (
    <p className={styles.tool}>
      <Icon name={part.isDone ? "circle-check" : "loader-circle"} size={16} className={part.isDone ? undefined : styles.spin} />
      <bdi>{t(part.isDone ? "playground.toolDone" : "playground.toolRuns", { name: part.name })}</bdi>
    </p>
  );
}

