import { memo, useDeferredValue, useState } from "react";
import { withoutControls } from "../../../../shared/markdown/links";
import type { Explanation } from "../../api/playground";
import { Button } from "../../components/button";
import { useTexts, type Key } from "../../i18n";
import { useTalkState, type Exchange, type Talk } from "./conversation";
import { Passages } from "./passages";
import { builtIn } from "./models";
import { findExchange } from "./talk";
import { JSONText, Part, Row } from "./why-parts";
import styles from "./why.module.css";

interface PaneProps {
  agent: string;
  talk: Talk;
  /** The message id of the answer; empty for the last one. */
  answer: string;
  passage: number | null;
  onSelect: (answer: string, passage: number | null) => void;
}

/** Why an answer of the conversation is as it is. */
export function WhyPane({ agent, talk, answer, passage, onSelect }: PaneProps) {
  const { t } = useTexts();
  // The answer itself is drawn first.
  const exchange = useDeferredValue(findExchange(useTalkState(talk).lanes, answer));
  if (exchange?.answer.metadata?.explain) {
    return <Why agent={agent} exchange={exchange} passage={passage} onSelect={onSelect} />;
  }
  const isWritten = exchange?.answer.status === "streaming" || exchange?.answer.status === "sending";
  const words = isWritten ? "playground.why.soon" : exchange ? "playground.why.unknown" : "playground.why.none";
  return <p className={styles.none}>{t(words)}</p>;
}

interface Props {
  agent: string;
  exchange: Exchange;
  /** The selected passage; null for none. */
  passage: number | null;
  onSelect: (answer: string, passage: number | null) => void;
}

/** Why an answer is as it is. */
export const Why = memo(function Why({ agent, exchange, passage, onSelect }: Props) {
  const { t } = useTexts();
  const explain = exchange.answer.metadata!.explain!;
  return (
    <div className={styles.why}>
      <div className={styles.sentences}>
        <p className={styles.sentence}>
          <Sentence explain={explain} />
        </p>
        {explain.unsure && <p className={styles.sentence}>{t("playground.why.unsure")}</p>}
        <Decision explain={explain} />
      </div>
      <Facts exchange={exchange} explain={explain} />
      {explain.passages.length > 0 && (
        <Part title={t("playground.why.passages", { count: explain.passages.length })} isOpen>
          <Passages explain={explain} selected={passage} onSelect={(passage) => onSelect(explain.messageId ?? "", passage)} />
        </Part>
      )}
      <Part title={t("playground.why.question")}>
        <Searched exchange={exchange} explain={explain} />
      </Part>
      {explain.tools.length > 0 && (
        <Part title={t("playground.why.tools", { count: explain.tools.length })}>
          {explain.tools.map((tool) => (
            <div key={tool.toolCallId} className={styles.tool}>
              <p>{tool.name}</p>
              <JSONText label={t("playground.why.input")} value={tool.input} />
              <JSONText label={t("playground.why.output")} value={tool.output} />
            </div>
          ))}
        </Part>
      )}
      <Times explain={explain} />
      <Part title={t("playground.why.model")}>
        <dl className={styles.rows}>
          <Row name={t("agent.model")} value={explain.model} />
          <Row
            name={t("playground.why.backEnd")}
            value={explain.backEnd === builtIn ? t("playground.why.builtIn") : explain.backEnd}
          />
          <Row name={t("playground.why.version")} value={String(explain.configVersion)} />
        </dl>
      </Part>
      <CopyReport agent={agent} exchange={exchange} explain={explain} />
    </div>
  );
});

/** What an answer rests on, in a sentence. */
function Sentence({ explain }: { explain: Explanation }) {
  const { t, locale } = useTexts();
  const cited = explain.passages.filter((passage) => passage.cited);
  const score = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const best = score.format(Math.max(0, ...explain.passages.map(({ score }) => score)));
  const names = [...new Set(cited.map(({ name = "" }) => withoutControls(name)))];
  const list = new Intl.ListFormat(locale, { type: "conjunction" }).format(names);
  const count = explain.passages.length;
  if (explain.state === "failed") return t("playground.why.failed");
  if (explain.refused && count === 0) return t("playground.why.nothing");
  if (explain.refused) return t(explain.reason ? "playground.why.refusedReason" : "playground.why.refused", { count, best });
  if (cited.length === 0) return t(explain.toolCalls.length > 0 ? "playground.why.byTools" : "playground.why.uncited");
  const place = explain.passages.findIndex((passage) => passage.cited) + 1;
  return t("playground.why.cited", { count: cited.length, names: list, place, found: count });
}

// What decided, where it was not the score by its bounds.
const decisions: Record<string, Key> = {
  "off-topic": "playground.why.byTopic",
  "no-amount": "playground.why.byAmount",
  named: "playground.why.byHeadings",
  "not-firm": "playground.why.byQuote",
  title: "playground.why.byTitle",
};

/** How sure the answer is, and what decided that it was given as it is: how sure it must be, or something else. */
function Decision({ explain: { bounds, reason, score, passages } }: { explain: Explanation }) {
  const { t, locale } = useTexts();
  if (reason === "nothing-found" && passages.length > 0) return <p className={styles.bounds}>{t("playground.why.byNothing")}</p>;
  if (score == null) return null;
  const percent = new Intl.NumberFormat(locale, { style: "percent" });
  if (reason === "contact") {
    return <p className={styles.bounds}>{t("playground.why.byContact", { own: percent.format(score) })}</p>;
  }
  if (!bounds) return null;
  const [own, sure, unsure] = [score, bounds.sure, bounds.unsure].map((share) => percent.format(share));
  const words = decisions[reason ?? ""] ?? "playground.why.bounds"; // earlier versions stored no reason
  return <p className={styles.bounds}>{t(words, { own: own!, sure: sure!, unsure: unsure! })}</p>;
}

function Facts({ exchange, explain }: { exchange: Exchange; explain: Explanation }) {
  const { t, locale } = useTexts();
  const credits = exchange.answer.metadata?.usage.credits ?? 0;
  const { answered } = explain.millis;
  const isLong = answered >= 1000;
  const unit = isLong ? "second" : "millisecond";
  const time = new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: isLong || answered < 10 ? 1 : 0 });
  return (
    <ul className={styles.facts}>
      <li>{time.format(isLong ? answered / 1000 : answered)}</li>
      <li>{t("playground.credits", { count: credits })}</li>
    </ul>
  );
}

const methods: Record<string, Key> = { words: "playground.why.words", "words and vectors": "playground.why.vectors" };
const rewrites: Record<string, Key> = {
  model: "playground.why.done",
  failed: "playground.why.notDone",
  "too late": "playground.why.late",
};
const reranks: Record<string, Key> = {
  done: "playground.why.done",
  failed: "playground.why.notDone",
  late: "playground.why.late",
  paused: "playground.why.paused",
};

/** What was looked for, beside what was asked. */
function Searched({ exchange, explain }: { exchange: Exchange; explain: Explanation }) {
  const { t } = useTexts();
  const { rewrite, rerank, search = "" } = explain;
  const { before, last } = splitSearched(explain, exchange.question);
  return (
    <dl className={styles.texts}>
      <Row name={t("playground.why.asked")} value={exchange.question} />
      <Row name={t(rewrite?.state === "model" ? "playground.why.rewritten" : "playground.why.lookedFor")} value={last || "–"} />
      {before && <Row name={t("playground.why.before")} value={before} />}
      <Row name={t("playground.why.method")} value={t(methods[search] ?? "playground.why.wordsOnly")} />
      {rewrite && <Row name={t("playground.why.rewrite")} value={t(rewrites[rewrite.state] ?? "playground.why.notDone")} />}
      {rerank && <Row name={t("playground.why.rerank")} value={t(reranks[rerank.state] ?? "playground.why.notDone")} />}
    </dl>
  );
}

/** What was looked for last, and what of earlier messages stands before it. A rewritten question is one line. */
function splitSearched({ question, rewrite }: Explanation, asked: string): { before: string; last: string } {
  if (rewrite?.state === "model") return { before: "", last: question.slice(question.lastIndexOf("\n") + 1) };
  if (question === asked || !question.endsWith(`\n${asked}`)) return { before: "", last: question };
  return { before: question.slice(0, -asked.length - 1), last: asked };
}

function Times({ explain }: { explain: Explanation }) {
  const { t, locale } = useTexts();
  const { retrieved, firstToken, answered } = explain.millis;
  const format = new Intl.NumberFormat(locale, { style: "unit", unit: "millisecond", maximumFractionDigits: 1 });
  const number = new Intl.NumberFormat(locale);
  return (
    <Part title={t("playground.why.times")}>
      <dl className={styles.rows}>
        <Row name={t("playground.why.search")} value={format.format(retrieved)} />
        {firstToken > 0 && <Row name={t("playground.why.first")} value={format.format(firstToken)} />}
        <Row name={t("playground.why.answered")} value={format.format(answered)} />
        {explain.rerank && <Row name={t("playground.why.rerank")} value={format.format(explain.rerank.millis)} />}
        {explain.rewrite && <Row name={t("playground.why.rewrite")} value={format.format(explain.rewrite.millis)} />}
        <Row name={t("playground.why.inputTokens")} value={number.format(explain.inputTokens)} />
        <Row name={t("playground.why.outputTokens")} value={number.format(explain.outputTokens)} />
      </dl>
    </Part>
  );
}

function CopyReport({ agent, exchange, explain }: { agent: string; exchange: Exchange; explain: Explanation }) {
  const { t } = useTexts();
  const [isCopied, setCopied] = useState(false);
  const { question, draft, answer } = exchange;
  const { conversationId, messageId } = answer;
  const { promptVersion, configVersion, error } = explain;
  const report = {
    ...{ agentId: agent, conversationId, messageId, question, draft: draft ?? {}, answer: explain.answer ?? "" },
    ...{ promptVersion, configVersion, error },
  };
  const copy = () => void navigator.clipboard?.writeText(JSON.stringify(report, null, 2)).then(() => setCopied(true));
  return (
    <Button icon={isCopied ? "check" : "copy"} onPress={copy}>
      {isCopied ? t("state.copied") : t("playground.why.report")}
    </Button>
  );
}
