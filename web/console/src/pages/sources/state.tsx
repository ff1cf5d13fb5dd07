import { isMoving, type SourceRow } from "../../api/sources";
import { Facts } from "../../components/facts";
import { Progress } from "../../components/progress";
import { formatSize, useTexts } from "../../i18n";
import { Reason } from "./reason";
import styles from "./state.module.css";

interface Props {
  source: SourceRow;
  /** In a row there is room for two lines, and the bar stands beside the state. */
  isShort?: boolean;
}

/** What a state means here: how far the reading is, why it has failed, what answers meanwhile. */
export function StateDetail({ source, isShort = false }: Props) {
  const { t } = useTexts();
  if (isMoving(source) && source.progress) return <Reading source={source} isShort={isShort} />;
  if (!source.reason) return null;
  const keeps = source.status === "failed" && source.answers;
  return (
    <span className={`${source.status === "failed" ? styles.reason : styles.detail} ${isShort ? styles.short : ""}`}>
      <Facts>
        <Reason code={source.reasonCode} reason={source.reason} />
        {keeps && t("sources.oldAnswers")}
      </Facts>
    </span>
  );
}

/** A bar that says how far the reading of a source is; nothing of one that is not being read. */
export function ReadingBar({ source }: { source: SourceRow }) {
  const { t } = useTexts();
  if (!isMoving(source) || !source.progress) return null;
  const { done, total } = source.progress;
  return <Progress label={t("sources.progressOf", { name: source.name })} share={total > 0 ? done / total : null} />;
}

function Reading({ source, isShort }: Props) {
  const { t, locale } = useTexts();
  const { unit, done, total } = source.progress!;
  const words =
    total === 0
      ? t("sources.opening")
      : unit === "pages"
        ? t("sources.readPages", { count: total, done })
        : t("sources.readBytes", { done: formatSize(done, locale), total: formatSize(total, locale) });
  const facts = (
    <Facts>
      {words}
      {source.answers && t(source.status === "updated" ? "sources.oldAnswers" : "sources.partAnswers")}
    </Facts>
  );
  if (isShort) return <span className={`${styles.detail} ${styles.short}`}>{facts}</span>;
  return (
    <span className={styles.reading}>
      <ReadingBar source={source} />
      <span className={styles.detail}>{facts}</span>
    </span>
  );
}
