import type { Step, ToolHead, ToolList } from "../../api/actions";
import { Button, IconButton } from "../../components/button";
import { Choice } from "../../components/choice";
import { Field } from "../../components/field";
import { Section } from "../../components/page";
import { TextArea } from "../../components/text-area";
import { useTexts } from "../../i18n";
import { Fault, useEditor } from "./fields";
import styles from "./actions.module.css";

/** The steps of a procedure, one after the other. */
export function Steps({ tools }: { tools: ToolList }) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const { steps } = values;
  const runnable = tools.actions.filter(({ kind }) => kind !== "client");
  const move = (from: number, to: number) => change("steps", steps.toSpliced(from, 1).toSpliced(to, 0, steps[from]!));
  return (
    <Section title={t("actions.steps")}>
      <p className={styles.detail}>{t("actions.stepsHint", { example: "{number}" })}</p>
      <ol className={styles.steps}>
        {steps.map((step, i) => (
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
              <IconButton icon="x" label={t("actions.stepRemove", { number: i + 1 })} onPress={() => change("steps", steps.toSpliced(i, 1))} />
            </div>
            <StepFields step={step} path={`steps.${i}`} actions={runnable} onChange={(next) => change("steps", steps.with(i, next))} />
            <Fault path={`steps.${i}`} />
          </li>
        ))}
      </ol>
      {steps.length === 0 && <Fault path="steps" />}
      <div className={styles.submit}>
        <Button icon="plus" onPress={() => change("steps", [...steps, { say: "" }])}>
          {t("actions.addSay")}
        </Button>
        {runnable.length > 0 && (
          <Button icon="plus" onPress={() => change("steps", [...steps, { action: runnable[0]!.key }])}>
            {t("actions.addRun")}
          </Button>
        )}
      </div>
    </Section>
  );
}

interface FieldsProps {
  step: Step;
  path: string;
  actions: readonly ToolHead[];
  onChange: (step: Step) => void;
}

// What actions have as inputs that define none themselves.
const presets: Readonly<Record<string, readonly string[]>> = {
  "collect-leads": ["name", "email", "phone"],
  "web-search": ["query"],
  escalate: ["reason"],
};

function StepFields({ step, path, actions, onChange }: FieldsProps) {
  const { t } = useTexts();
  if (step.action === undefined) {
    return <TextArea name={`${path}.say`} label={t("actions.say")} value={step.say ?? ""} onChange={(say) => onChange({ say })} />;
  }
  const action = actions.find(({ key }) => key === step.action);
  const own = (action?.inputs ?? []).map(({ name }) => name);
  const names = own.length > 0 ? own : (presets[action?.kind ?? ""] ?? []);
  const known = action ? actions : [...actions, { key: step.action, name: step.action }];
  const set = (name: string, text: string) => {
    const { [name]: _, ...rest } = step.with ?? {};
    onChange({ ...step, with: text ? { ...rest, [name]: text } : rest });
  };
  return (
    <>
      <Choice
        label={t("actions.run")}
        value={step.action}
        options={known.map(({ key, name }) => ({ id: key, name }))}
        onChange={(key) => onChange({ action: key })}
      />
      {names.map((name) => (
        <Field
          key={name}
          name={`${path}.with.${name}`}
          label={name}
          value={step.with?.[name] ?? ""}
          onChange={(text) => set(name, text)}
          autoComplete="off"
        />
      ))}
    </>
  );
}
