import type { Outcome } from "../../api/model-servers";
import { Icon } from "../../components/icon";
import { useTexts, type Key } from "../../i18n";
import styles from "./models.module.css";

// What the server reports, in words of its own, by signs of what it is. The first that fits counts.
const reasons: readonly (readonly [RegExp, Key])[] = [
  [/answered 40[13]\b/, "models.why.key"],
  [/answered 404\b/, "models.why.address"],
  [/answered 429\b/, "models.why.busy"],
  [/answered 5\d\d\b/, "models.why.broken"],
  [/answered \d{3}\b/, "models.why.refused"],
  [/^the secret cannot be opened/, "models.why.sealed"],
  [/address is not public/, "models.why.private"],
  [/name is not known/, "models.why.host"],
  [/certificate is not valid/, "models.why.certificate"],
  [/in time|silent for too long/, "models.why.slow"],
  [/^no connection|^the request failed/, "models.why.connection"],
];

const explain = (report: string): Key => reasons.find(([sign]) => sign.test(report))?.[1] ?? "models.why.other";

/** Why a server does not work: what it is about, and below that what was reported. */
export function Reason({ report }: { report: string }) {
  const { t } = useTexts();
  return (
    <div className={styles.reason}>
      <p>{t(explain(report))}</p>
      <p className={styles.report}>
        <bdi dir="ltr">{report}</bdi>
      </p>
    </div>
  );
}

/** What a server did when it was tested. It is there before, so that it is read out. */
export function TestResult({ outcome }: { outcome: Outcome | undefined }) {
  return (
    <div role="status" className={styles.result}>
      {outcome && <Found outcome={outcome} />}
    </div>
  );
}

function Found({ outcome: { works, error = "", millis, answer, dimensions } }: { outcome: Outcome }) {
  const { t, locale } = useTexts();
  return (
    <div className={works ? styles.good : styles.bad}>
      <Icon name={works ? "circle-check" : "circle-alert"} />
      <div>
        <p className={styles.verdict}>{works ? t("models.worked", { time: formatTime(millis, locale) }) : t("models.failed")}</p>
        {!works && <Reason report={error} />}
        {answer && (
          <p className={styles.detail}>
            {t("models.answered")} <bdi>{answer}</bdi>
          </p>
        )}
        {dimensions ? <p className={styles.detail}>{t("models.vectors", { count: dimensions })}</p> : null}
      </div>
    </div>
  );
}

function formatTime(millis: number, locale: string): string {
  const [value, unit] = millis < 1000 ? [Math.ceil(millis), "millisecond"] : [millis / 1000, "second"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }).format(value);
}
