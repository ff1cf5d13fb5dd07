import type { Step } from "../../api/actions";
import { useTexts } from "../../i18n";
import { useEditor } from "./fields";
import { end, hasJumps, numberOf } from "./jumps";
import { useStepNames } from "./step-names";
import styles from "./actions.module.css";

/** Where each step leads, of a procedure whose steps do not just follow each other. It is to be read only. */
export function StepTargets() {
  const { t } = useTexts();
  const { steps } = useEditor().values;
  const nameOf = useStepNames();
  if (!hasJumps(steps)) return null;
  const place = (at: number, key: string | undefined) => {
    const number = key ? (key === end ? 0 : numberOf(steps, key)) : at + 2;
    return number === 0 || number > steps.length ? t("actions.endStep") : t("actions.stepNamed", { number });
  };
  const leads = (step: Step, at: number) => {
    if (step.procedure !== undefined) return "";
    if (!step.if) return t("actions.leads", { place: place(at, step.goto) });
    return t("actions.leadsIf", { place: place(at, step.goto), other: place(at, step.else) });
  };
  return (
    <div className={styles.pairs}>
      <h3>{t("actions.course")}</h3>
      <ul className={styles.course}>
        {steps.map((step, i) => (
          <li key={i}>
            <bdi>{nameOf(i)}</bdi> <span className={styles.detail}>{leads(step, i)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
