import type { StepOutcome, Trial } from "../../api/actions";
import { Code } from "../../components/code";
import { Icon } from "../../components/icon";
import { Notice } from "../../components/notice";
import { useTexts, type Key } from "../../i18n";
import { formatSize } from "../../sizes";
import styles from "./actions.module.css";

const reasons: Readonly<Record<string, Key>> = {
  input: "actions.why.input",
  request: "actions.why.request",
  refused: "actions.why.refused",
  unreachable: "actions.why.unreachable",
  timeout: "actions.why.timeout",
  "too-large": "actions.why.tooLarge",
  redirects: "actions.why.redirects",
  status: "actions.why.status",
  reply: "actions.why.reply",
  unavailable: "actions.why.unavailable",
};

/** What became of an action that was tried; `step` is the name of the step that ran it. */
export function Outcome({ trial, step }: { trial: Trial; step?: string }) {
  const { t, locale } = useTexts();
  const { works, failure = "", reason, isSimulated, millis, request, reply, output } = trial;
  const time = formatTime(millis, locale);
  return (
    <div className={styles.outcome}>
      <div className={works ? styles.good : styles.bad}>
        <Icon name={works ? "circle-check" : "circle-alert"} />
        <div>
          <p className={styles.verdict}>
            {reply ? t("actions.answered", { status: reply.status, time }) : t(works ? "actions.worked" : "actions.failed")}
          </p>
          {!works && <p>{t(reasons[failure] ?? "fault.other")}</p>}
          {!works && reason && (
            <p className={styles.report}>
              <bdi dir="ltr">{reason}</bdi>
            </p>
          )}
          {isSimulated && <p>{t("actions.simulated")}</p>}
        </div>
      </div>
      {request && <Lines step={step} label={t("actions.sent")} text={showRequest(request)} />}
      {reply?.body && <Lines step={step} label={t("actions.reply")} text={reply.body} />}
      {reply?.isCut && <p className={styles.detail}>{t("actions.cut", { size: formatSize(reply.bytes, locale) })}</p>}
      {works && <Lines step={step} label={t("actions.seen")} text={JSON.stringify(output, null, 2)} />}
    </div>
  );
}

/** Lines of a program below what they are. */
function Lines({ step, label, text }: { step: string | undefined; label: string; text: string }) {
  return (
    <div className={styles.pairs}>
      <p className={styles.label}>{label}</p>
      <Code label={step ? `${step}: ${label}` : label} text={text} />
    </div>
  );
}

const showRequest = ({ method, url, headers, body }: NonNullable<Trial["request"]>) =>
  [`${method} ${url}`, ...headers.map(({ name, value }) => `${name}: ${value}`), ...(body ? ["", body] : [])].join("\n");

function formatTime(millis: number, locale: string): string {
  const [value, unit] = millis < 1000 ? [Math.ceil(millis), "millisecond"] : [millis / 1000, "second"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }).format(value);
}

const ends: Readonly<Record<string, Key>> = {
  completed: "actions.end.completed",
  failed: "actions.end.failed",
  escalated: "actions.end.escalated",
};

/** A step that was made, with its place in the procedure. */
export interface MadeStep {
  at: number;
  outcome: StepOutcome;
}

/** The steps of a procedure that were made. */
export function StepOutcomes({ steps }: { steps: readonly MadeStep[] }) {
  const { t, locale } = useTexts();
  const { outcome = "", needs = [], procedure } = steps.at(-1)!.outcome;
  const missing = new Intl.ListFormat(locale).format(needs);
  return (
    <>
      <ol className={styles.steps}>
        {steps.filter((step) => step.outcome.needs.length === 0).map((step) => (
          <StepResult key={step.at} step={step} />
        ))}
      </ol>
      {needs.length > 0 && <Notice>{t("actions.needs", { names: missing })}</Notice>}
      {procedure ? (
        <p className={styles.verdict}>{t("actions.goesOn", { name: procedure })}</p>
      ) : (
        ends[outcome] && <p className={styles.verdict}>{t(ends[outcome])}</p>
      )}
    </>
  );
}

function StepResult({ step: { at, outcome } }: { step: MadeStep }) {
  const { t } = useTexts();
  const { say, action, trial, holds } = outcome;
  const name = t("actions.stepNamed", { number: at + 1 });
  return (
    <li className={styles.card}>
      <h3>{name}</h3>
      {say && (
        <p>
          {t("actions.said")} <bdi>{say}</bdi>
        </p>
      )}
      {action && (
        <p>
          {t("actions.ran")} <bdi>{action}</bdi>
        </p>
      )}
      {typeof holds === "boolean" && <p>{t(holds ? "actions.holds" : "actions.holdsNot")}</p>}
      {trial && <Outcome trial={trial} step={name} />}
    </li>
  );
}
