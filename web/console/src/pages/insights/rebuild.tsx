import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { beginning, rebuild, type Rebuilding } from "../../api/report";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Section } from "../../components/page";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import styles from "./insights.module.css";

/** Sorts all conversations again by the topics that are saved, step by step, as long as the screen is there. */
export function Rebuild({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [at, setAt] = useState<Rebuilding | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  const run = async (from: Rebuilding) => {
    setAsking(false);
    setError(null);
    setRunning(true);
    try {
      for (let step = from; !step.done && isHere.current; ) {
        step = await rebuild(agentId, step);
        setAt(step);
      }
      await client.invalidateQueries({ queryKey: ["agent", agentId, "report"] });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setRunning(false);
    }
  };
  const goOn = () => void run(at && !at.done ? at : beginning);
  return (
    <Section title={t("insights.rebuild")}>
      <p className={styles.hint}>{t("insights.rebuildMeans")}</p>
      {error !== null && <Failed error={error} onRetry={goOn} />}
      <p role="status">
        {at && t(at.done ? "insights.rebuilt" : "insights.rebuilding", { count: at.judged })}
      </p>
      <div>
        <Button icon="refresh-cw" isPending={isRunning} onPress={() => setAsking(true)}>
          {t("insights.rebuildNow")}
        </Button>
      </div>
      <Dialog role="alertdialog" title={t("insights.rebuild")} isOpen={isAsking} onClose={() => setAsking(false)}>
        <p>{t("insights.rebuildAsk")}</p>
        <Actions>
          <Button onPress={() => setAsking(false)}>{t("dialog.cancel")}</Button>
          <Button kind="primary" autoFocus onPress={goOn}>
            {t("insights.rebuildNow")}
          </Button>
        </Actions>
      </Dialog>
    </Section>
  );
}
