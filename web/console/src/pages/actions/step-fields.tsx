// The fields of one step of a procedure.
import type { Step, ToolHead } from "../../api/actions";
import { Choice } from "../../components/choice";
import { Field } from "../../components/field";
import { TextArea } from "../../components/text-area";
import { useTexts, type Key } from "../../i18n";
import { Fault, useEditor } from "./fields";
import { end, operators, splitField, withKey, withTarget } from "./jumps";
import { useStepNames } from "./step-names";
import styles from "./actions.module.css";

interface Props {
  at: number;
  actions: readonly ToolHead[];
  /** Those to which a step may lead. */
  procedures: readonly ToolHead[];
}

// What actions have as inputs that define none themselves.
const presets: Readonly<Record<string, readonly string[]>> = {
  "collect-leads": ["name", "email", "phone"],
  "web-search": ["query"],
  escalate: ["reason"],
};

const inputsOf = (tool: ToolHead | undefined): readonly string[] => {
  const own = (tool?.inputs ?? []).map(({ name }) => name);
  return own.length > 0 ? own : (presets[tool?.kind ?? ""] ?? []);
};

/** What a step does, and where it leads. */
export function StepFields({ at, actions, procedures }: Props) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const { steps } = values;
  const step = steps[at]!;
  const path = `steps.${at}`;
  const set = (next: Step) => change("steps", steps.with(at, next));
  const branches = steps.some((one) => one.if);
  if (step.if) return <Condition at={at} actions={actions} />;
  if (step.procedure !== undefined) {
    return (
      <CalledTool
        label={t("actions.kind.procedure")}
        value={step.procedure}
        known={procedures}
        step={step}
        path={path}
        onChange={set}
        name="procedure"
      />
    );
  }
  return (
    <>
      {step.action === undefined ? (
        <TextArea name={`${path}.say`} label={t("actions.say")} value={step.say ?? ""} onChange={(say) => set({ ...step, say })} />
      ) : (
        <>
          <CalledTool label={t("actions.run")} value={step.action} known={actions} step={step} path={path} onChange={set} name="action" />
          {step.key && <p className={styles.detail}>{t("actions.returned", { example: `{${step.key}.status}` })}</p>}
        </>
      )}
      {(branches || step.goto) && <Target at={at} name="goto" label={t("actions.then")} />}
    </>
  );
}

interface CalledToolProps {
  label: string;
  /** The key of the action or the procedure. */
  value: string;
  known: readonly ToolHead[];
  step: Step;
  path: string;
  name: "action" | "procedure";
  onChange: (step: Step) => void;
}

/** The action or the procedure that a step runs, with its inputs. */
function CalledTool({ label, value, known, step, path, name, onChange }: CalledToolProps) {
  const found = known.find(({ key }) => key === value);
  const all = found ? known : [...known, { key: value, name: value }];
  const set = (input: string, text: string) => {
    const { [input]: _, ...rest } = step.with ?? {};
    onChange({ ...step, with: text ? { ...rest, [input]: text } : rest });
  };
  const choose = (key: string) => {
    const { with: _, ...rest } = step;
    onChange({ ...rest, [name]: key });
  };
  return (
    <>
      <Choice label={label} value={value} options={all.map(({ key, name: shown }) => ({ id: key, name: shown }))} onChange={choose} />
      <Fault path={`${path}.${name}`} />
      {inputsOf(found).map((input) => (
        <Field
          key={input}
          name={`${path}.with.${input}`}
          label={input}
          value={step.with?.[input] ?? ""}
          onChange={(text) => set(input, text)}
          autoComplete="off"
        />
      ))}
    </>
  );
}

const operatorNames: Readonly<Record<(typeof operators)[number], Key>> = {
  is: "actions.op.is",
  isNot: "actions.op.isNot",
  contains: "actions.op.contains",
  above: "actions.op.above",
  below: "actions.op.below",
};

/** A condition: what is compared with what, and where it leads. */
function Condition({ at, actions }: { at: number; actions: readonly ToolHead[] }) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const { steps, inputs } = values;
  const step = steps[at]!;
  const condition = step.if!;
  const path = `steps.${at}`;
  const [key, place] = splitField(condition.field);
  const set = (next: Partial<typeof condition>) => change("steps", steps.with(at, { ...step, if: { ...condition, ...next } }));
  const ofInputs = inputs.filter(({ name }) => name).map(({ name }) => ({ id: `input ${name}`, name }));
  const ofSteps = steps.slice(0, at).flatMap((one, i) => {
    const named = actions.find((action) => action.key === one.action)?.name ?? one.action ?? "";
    return one.action === undefined ? [] : [{ id: `step ${i}`, name: t("actions.resultOf", { number: i + 1, name: named }) }];
  });
  const from = key ? `step ${steps.findIndex((one) => one.key === key)}` : `input ${condition.field}`;
  const choose = (id: string) => {
    const [kind, rest] = [id.slice(0, id.indexOf(" ")), id.slice(id.indexOf(" ") + 1)];
    if (kind === "input") return set({ field: rest });
    const [keyed, chosen] = withKey(steps, Number(rest));
    change("steps", keyed.with(at, { ...keyed[at]!, if: { ...condition, field: `${chosen}.${key ? place : "status"}` } }));
  };
  return (
    <>
      <Choice label={t("actions.compared")} value={from} options={[...ofInputs, ...ofSteps]} onChange={choose} />
      {key !== "" && (
        <Field
          label={t("actions.place")}
          hint={t("actions.placeHint")}
          value={place}
          onChange={(text) => set({ field: `${key}.${text}` })}
          autoComplete="off"
          isCode
        />
      )}
      <Fault path={`${path}.if.field`} />
      <div className={styles.line}>
        <Choice
          label={t("actions.operator")}
          value={condition.operator}
          options={operators.map((id) => ({ id, name: t(operatorNames[id]) }))}
          onChange={(operator) => set({ operator })}
        />
        <Field name={`${path}.if.value`} label={t("actions.field.value")} value={condition.value ?? ""} onChange={(value) => set({ value })} autoComplete="off" />
      </div>
      <Target at={at} name="goto" label={t("actions.ifSo")} />
      <Target at={at} name="else" label={t("actions.otherwise")} />
    </>
  );
}

const nextStep = "next"; // an option may not be empty

/** Where a step leads: to the next one, a later one, or the end. */
function Target({ at, name, label }: { at: number; name: "goto" | "else"; label: string }) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const { steps } = values;
  const nameOf = useStepNames();
  const step = steps[at]!;
  const key = step[name] ?? "";
  const found = steps.findIndex((one, i) => i > at && one.key !== undefined && one.key === key);
  const later = steps.slice(at + 1).map((_, i) => ({ id: `step ${at + 1 + i}`, name: nameOf(at + 1 + i) }));
  const value = key === "" ? nextStep : key === end ? end : found < 0 ? `lost ${key}` : `step ${found}`;
  const options = [
    { id: nextStep, name: t("actions.nextStep") },
    ...later,
    { id: end, name: t("actions.endStep") },
    ...(value === `lost ${key}` ? [{ id: value, name: key }] : []),
  ];
  const choose = (id: string) => {
    if (id === nextStep || id === end) return change("steps", steps.with(at, withTarget(step, name, id === end ? end : "")));
    if (!id.startsWith("step ")) return;
    const [keyed, target] = withKey(steps, Number(id.slice("step ".length)));
    change("steps", keyed.with(at, withTarget(keyed[at]!, name, target)));
  };
  return (
    <>
      <Choice label={label} value={value} options={options} onChange={choose} />
      <Fault path={`steps.${at}.${name}`} />
    </>
  );
}
