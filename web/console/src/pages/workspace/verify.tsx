import { useState } from "react";
import { verifyAudit, type Check } from "../../api/audit";
import { Button } from "../../components/button";
import { Code } from "../../components/code";
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
