import type { Step, ToolList } from "../../api/actions";
import { Button, IconButton } from "../../components/button";
import { Section } from "../../components/page";
import { useTexts } from "../../i18n";
import { Fault, useEditor } from "./fields";
import { end, newActionStep, withoutStep } from "./jumps";
import { StepFields } from "./step-fields";
import { StepTargets } from "./step-targets";
import styles from "./actions.module.css";

interface Props {
  tools: ToolList;
  /** The key of the procedure, once it is stored. */
  toolKey?: string;
}

/** The steps of a procedure: one after the other, unless one leads to a later one. */
export function Steps({ tools, toolKey }: Props) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const { steps, inputs } = values;
  const runnable = tools.actions.filter(({ kind }) => kind !== "client");
  const others = tools.procedures.filter(({ key }) => key !== toolKey);
  const add = (step: Step) => change("steps", [...steps, step]);
  const move = (from: number, to: number) => change("steps", steps.toSpliced(from, 1).toSpliced(to, 0, steps[from]!));
  return (
    <Section title={t("actions.steps")}>
      <p className={styles.detail}>{t("actions.stepsHint", { example: "{number}" })}</p>
      <ol className={styles.steps}>
        {steps.map((_, i) => (
          <li key={i} className={styles.card}>
            <div className={styles.stepHead}>
              <h3>{t("actions.stepNamed", { number: i + 1 })}</h3>
              <IconButton icon="arrow-up" label={t("actions.stepUp", { number: i + 1 })} isDisabled={i === 0} onPress={() => move(i, i - 1)} />
              <IconButton
                icon="arrow-down"
                label={t("actions.stepDown", { number: i + 1 })}
                isDisabled={i === steps.length - 1}
                onPress={() => move(i, i + 1)}
              />
              <IconButton icon="x" label={t("actions.stepRemove", { number: i + 1 })} onPress={() => change("steps", withoutStep(steps, i))} />
            </div>
            <StepFields at={i} actions={runnable} procedures={others} />
            <Fault path={`steps.${i}`} />
          </li>
        ))}
      </ol>
      {steps.length === 0 && <Fault path="steps" />}
      <div className={styles.submit}>
        <Button icon="plus" onPress={() => add({ say: "" })}>
          {t("actions.addSay")}
        </Button>
        {runnable.length > 0 && (
          <Button icon="plus" onPress={() => add(newActionStep(steps, runnable[0]!.key))}>
            {t("actions.addRun")}
          </Button>
        )}
        {steps.length > 0 && (
          <Button icon="plus" onPress={() => add({ if: { field: inputs[0]?.name ?? "", operator: "is", value: "" }, goto: end })}>
            {t("actions.addIf")}
          </Button>
        )}
        {others.length > 0 && (
          <Button icon="plus" onPress={() => add({ procedure: others[0]!.key })}>
            {t("actions.addProcedure")}
          </Button>
        )}
      </div>
      <StepTargets />
    </Section>
  );
}
