import { useId, type ReactNode } from "react";
import { Button } from "react-aria-components";
import { withoutControls } from "../../../../shared/markdown/links";
import type { Explanation, PassageTrace } from "../../api/playground";
import { Icon } from "../../components/icon";
import { shareOfBest } from "../../components/share-of-best";
import { useTexts } from "../../i18n";
import { Row } from "./why-parts";
import styles from "./why.module.css";

interface Props {
  explain: Explanation;
  selected: number | null;
  onSelect: (passage: number | null) => void;
}

/** The passages that the model was given, in their order. */
export function Passages({ explain, selected, onSelect }: Props) {
  const { t } = useTexts();
  const order = useId();
  return (
    <>
      <p id={order} className={styles.order}>
        {t("playground.why.order")}
      </p>
      <ol className={styles.passages} aria-describedby={order}>
        {explain.passages.map((passage, i) => (
          <PassageRow
            key={passage.id}
            number={i + 1}
            passage={passage}
            share={shareOfBest(passage.rank, explain.passages)}
            rerank={explain.rerank?.scores?.[i]}
            isSelected={selected === i}
            onPress={() => onSelect(selected === i ? null : i)}
          />
        ))}
      </ol>
    </>
  );
}

interface PassageProps {
  number: number;
  passage: PassageTrace;
  /** Its points in the search beside those of the best, 0 to 1. */
  share: number;
  /** What the reranking server gave it, if one was asked. */
  rerank: number | undefined;
  isSelected: boolean;
  onPress: () => void;
}

function PassageRow({ number, passage, share, rerank, isSelected, onPress }: PassageProps) {
  const { t, locale } = useTexts();
  const id = useId();
  const twoPlaces = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const name = withoutControls(passage.name ?? "") || t("playground.source");
  return (
    <li className={`${styles.passage} ${passage.cited ? "" : styles.unused} ${isSelected ? styles.selected : ""}`}>
      <div className={styles.row}>
        <Button
          className={styles.press!}
          aria-pressed={isSelected}
          aria-describedby={passage.cited ? `${id}-cited ${id}` : id}
          onPress={onPress}
        >
          <span className={styles.number}>{number}</span>{" "}
          <span className={styles.name} dir="auto">
            {name}
          </span>{" "}
          {passage.heading && (
            <span className={styles.heading} dir="auto">
              {withoutControls(passage.heading)}
            </span>
          )}
        </Button>
        {passage.cited && <Icon name="check" size={16} />}
        {passage.cited && (
          <span id={`${id}-cited`} className={styles.hidden}>
            {t("playground.why.isCited")}
          </span>
        )}
        <span className={styles.score} aria-hidden="true">
          {twoPlaces.format(share)}
        </span>
        <meter className={styles.meter} min={0} max={1} value={share} aria-label={t("playground.why.share")} />
        <span id={id} className={isSelected ? styles.whole : styles.excerpt} dir="auto">
          <Text passage={passage} length={isSelected ? Infinity : excerptLength} />
        </span>
      </div>
      {isSelected && (
        <dl className={`${styles.rows} ${styles.scores}`}>
          <Row name={t("playground.why.rank")} value={twoPlaces.format(passage.rank)} />
          <Row name={t("playground.why.score")} value={twoPlaces.format(passage.score)} />
          {rerank !== undefined && <Row name={t("playground.why.rerankScore")} value={twoPlaces.format(rerank)} />}
        </dl>
      )}
    </li>
  );
}

/** More than the lines that an excerpt has room for: a whole passage would be laid out for them, and not be seen. */
const excerptLength = 400;

function Text({ passage, length }: { passage: PassageTrace; length: number }) {
  const { text, quotes = [] } = passage;
  if (!text) return quotes.join(" … ").slice(0, length);
  return <Quoted text={text.slice(0, length)} quotes={quotes} />;
}

/** A text in which what is cited stands out. */
function Quoted({ text, quotes }: { text: string; quotes: readonly string[] }) {
  const found = quotes
    .map((quote) => ({ at: text.indexOf(quote), length: quote.length }))
    .filter(({ at, length }) => at >= 0 && length > 0)
    .sort((a, b) => a.at - b.at);
  const parts: ReactNode[] = [];
  let done = 0;
  for (const { at, length } of found) {
    if (at < done) continue;
    parts.push(text.slice(done, at), <mark key={at}>{text.slice(at, at + length)}</mark>);
    done = at + length;
  }
  return [...parts, text.slice(done)];
}
