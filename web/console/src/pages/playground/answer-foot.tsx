import { useEffect, useState } from "react";
import { readAddress, withoutControls } from "../../../../shared/markdown/links";
import { textOfTurn } from "../../../../shared/stream/turn";
import { rateAnswer, type Answer, type Feedback } from "../../api/playground";
import { useMay } from "../../api/session";
import { Button, IconButton } from "../../components/button";
import { OuterLink } from "../../components/markdown/markdown";
import { describe } from "../../components/states";
import { useTexts } from "../../i18n";
import { citedSources } from "./citations";
import type { Exchange } from "./conversation";
import { anyModel, builtIn } from "./models";
import { Note } from "./notes";
import type { TalkActions } from "./talk";
import styles from "./answer.module.css";

interface Props {
  agent: string;
  exchange: Exchange;
  isExplained: boolean;
  mayRepeat: boolean;
  actions: TalkActions;
}

/** What belongs to a finished answer: its state, its sources, and what can be done with it. */
export function AnswerFoot({ agent, exchange, isExplained, mayRepeat, actions }: Props) {
  const { t, locale } = useTexts();
  const mayImprove = useMay("answers:improve");
  const mayRate = useMay("conversations:write");
  const { answer } = exchange;
  const { metadata } = answer;
  const { improve } = actions;
  const sources = citedSources(metadata?.citations ?? []);
  const state = metadata?.answerState;
  const explain = metadata?.explain;
  const score = new Intl.NumberFormat(locale, { style: "percent" });
  return (
    <>
      {explain && explain.backEnd === builtIn && explain.model !== anyModel && (
        <Note icon="triangle-alert" text={t("playground.builtInAnswered", { model: explain.model })} />
      )}
      {state === "refused" && <Note icon="circle-alert" text={t("playground.refused")} />}
      {state === "unsure" && <Note icon="triangle-alert" text={t("playground.unsure")} />}
      {sources.length > 0 && (
        <ol className={styles.sources} aria-label={t("playground.sources")}>
          {sources.map(({ number, name, url }) => (
            <li key={number}>
              <span className={styles.number}>{number}</span> <SourceName name={name} url={url} />
            </li>
          ))}
        </ol>
      )}
      <div className={styles.tools}>
        {mayRate && <Rating agent={agent} answer={answer} before={exchange.feedback} />}
        <CopyButton answer={answer} />
        {mayRepeat && <IconButton icon="refresh-cw" label={t("playground.again")} onPress={actions.again} />}
        {improve && mayImprove && <IconButton icon="pencil" label={t("playground.improve")} onPress={() => improve(exchange)} />}
        <span className={styles.space} />
        {metadata?.score != null && (
          <span className={styles.score}>{t("playground.score", { score: score.format(metadata.score) })}</span>
        )}
        <Button
          kind="quiet"
          onPress={() => actions.explain(exchange, null)}
          {...(actions.explainsIn === "beside" && { "aria-pressed": isExplained })}
          {...(actions.explainsIn === "dialog" && { "aria-haspopup": "dialog" })}
        >
          {t("playground.why")}
        </Button>
      </div>
    </>
  );
}

function SourceName({ name, url }: { name: string; url: string | null }) {
  const address = url ? readAddress(url) : null;
  const shown = <bdi>{withoutControls(name)}</bdi>;
  return address ? <OuterLink href={address.href}>{shown}</OuterLink> : shown;
}

function Rating({ agent, answer, before }: { agent: string; answer: Answer; before: Feedback }) {
  const { t } = useTexts();
  const [rating, setRating] = useState<Feedback>(before);
  const [error, setError] = useState<unknown>(null);
  const rate = async (wanted: Feedback) => {
    const next = rating === wanted ? null : wanted;
    setError(null);
    try {
      await rateAnswer(agent, answer, next);
      setRating(next);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <>
      <span className={rating === "positive" ? styles.rated : undefined}>
        <IconButton
          icon="thumbs-up"
          label={t("playground.good")}
          aria-pressed={rating === "positive"}
          onPress={() => void rate("positive")}
        />
      </span>
      <span className={rating === "negative" ? styles.rated : undefined}>
        <IconButton
          icon="thumbs-down"
          label={t("playground.bad")}
          aria-pressed={rating === "negative"}
          onPress={() => void rate("negative")}
        />
      </span>
      {error !== null && <span role="alert">{describe(error, t)}</span>}
    </>
  );
}

function CopyButton({ answer }: { answer: Answer }) {
  const { t } = useTexts();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void navigator.clipboard?.writeText(textOfTurn(answer.parts)).then(() => setCopied(true));
  return (
    <IconButton
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? t("state.copied") : t("playground.copy")}
      onPress={copy}
    />
  );
}
