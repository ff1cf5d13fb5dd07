import { useState } from "react";
import { hasAuditHash, verifyAudit, type Check } from "../../api/audit";
import { Button } from "../../components/button";
import { Code } from "../../components/code";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Progress } from "../../components/progress";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import styles from "./workspace.module.css";

/** Checks whether something was changed in the chain, or taken out. */
export function Verify() {
  const { t } = useTexts();
  const [step, setStep] = useState<Check>();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const run = async () => {
    if (isPending) return;
    setStep(undefined);
    setError(null);
    setPending(true);
    try {
      await verifyAudit(setStep);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  useScreenActions([{ id: "verify", icon: "shield-check", name: t("audit.verify"), run: () => void run() }]);
  return (
    <>
      <div>
        <Button icon="shield-check" onPress={() => void run()} isPending={isPending}>
          {t("audit.verify")}
        </Button>
      </div>
      {step && isPending && <Progress label={t("audit.verify")} share={step.total > 0 ? step.checked / step.total : null} />}
      {error !== null && <Failed error={error} />}
      <div role="status" className={styles.result}>{step?.done && <Result step={step} />}</div>
      {step?.done && !step.broken && <Kept />}
    </>
  );
}

function Result({ step }: { step: Check }) {
  const { t } = useTexts();
  if (step.broken) return <p className={`${styles.outcome} ${styles.bad}`}>{t("audit.broken", { seq: step.checked + 1 })}</p>;
  return (
    <div className={styles.outcome}>
      <p>{t("audit.intact", { count: step.checked })}</p>
      <p className={styles.detail}>{t("audit.keepHash")}</p>
      <Code label={t("audit.hash")} text={step.hash} />
    </div>
  );
}

/** Looks for a last hash that somebody has kept: where it is gone, entries were cut off the end. */
function Kept() {
  const { t } = useTexts();
  const [isThere, setThere] = useState<boolean>();
  const look = async ({ look: typed = "" }: Record<string, string>) => {
    setThere(undefined);
    setThere(await hasAuditHash(typed.trim().toLowerCase()));
  };
  return (
    <details className={styles.kept}>
      <summary>{t("audit.kept")}</summary>
      <Form onSubmit={look}>
        {(isPending) => (
          <>
            <Field name="look" label={t("audit.keptHash")} autoComplete="off" isRequired isCode />
            <div>
              <Button type="submit" isPending={isPending}>
                {t("audit.look")}
              </Button>
            </div>
            <div role="status">
              {isThere === true && <p className={styles.outcome}>{t("audit.isThere")}</p>}
              {isThere === false && <p className={`${styles.outcome} ${styles.bad}`}>{t("audit.isGone")}</p>}
            </div>
          </>
        )}
      </Form>
    </details>
  );
}
