// Tries an action, or a procedure step by step, with values that somebody types.
import { useState } from "react";
import { CheckboxGroup, Label, Text, type TextFieldProps } from "react-aria-components";
import { ofLines, toLines, tryAction, tryStep, type Input, type ToolValues, type Trial } from "../../api/actions";
import { Button } from "../../components/button";
import { Check } from "../../components/check";
import { Choice } from "../../components/choice";
import { Field } from "../../components/field";
import { Section } from "../../components/page";
import { useTexts } from "../../i18n";
import { useEditor } from "./fields";
import { Outcome, StepOutcomes, type MadeStep } from "./outcome";
import { isBelow, listPlaces, pickPlaces } from "./places";
import field from "../../components/field.module.css";
import styles from "./actions.module.css";

type Typed = Readonly<Record<string, string>>;

const text = (name: string, required = false): Input => ({ name, type: "string", required });

const presets: Readonly<Record<string, readonly Input[]>> = {
  "collect-leads": [text("name"), text("email", true), text("phone")],
  "web-search": [text("query", true)],
  escalate: [text("reason")],
};

const inputsOf = (kind: string, { inputs }: ToolValues) => (inputs.length > 0 ? inputs : (presets[kind] ?? []));

// What was typed as a number or as yes and no is one; what is no number is sent as it is, and the server says so.
function readValues(inputs: readonly Input[], typed: Typed): Record<string, unknown> {
  const read = ({ type, name }: Input) => {
    const said = typed[name]!.trim();
    if (type === "boolean") return said === "true";
    return type === "string" || Number.isNaN(Number(said)) ? typed[name]! : Number(said);
  };
  return Object.fromEntries(inputs.filter(({ name }) => typed[name]?.trim()).map((input) => [input.name, read(input)]));
}

interface Props {
  agent: string;
  /** Of a stored one. */
  toolKey?: string | undefined;
  /** Is told what the server refuses, which is shown at the fields; null when it is tried again. */
  onError: (error: unknown) => void;
}

export function TryIt({ agent, toolKey, onError }: Props) {
  const { t } = useTexts();
  const { kind, values } = useEditor();
  const [typed, setTyped] = useState<Typed>({});
  const [trial, setTrial] = useState<Trial>();
  const [steps, setSteps] = useState<readonly MadeStep[]>([]);
  const [isPending, setPending] = useState(false);
  const inputs = inputsOf(kind, values);
  const last = steps.at(-1)?.outcome;
  const isOver = last !== undefined && Boolean(last.outcome || last.needs.length > 0);
  const next = isOver ? 0 : (last?.next ?? 0);
  const send = async () => {
    if (isPending) return;
    setPending(true);
    onError(null);
    setTrial(undefined);
    try {
      const input = readValues(inputs, typed);
      if (kind === "procedure") {
        const outcome = await tryStep(agent, values, next, input, isOver ? {} : (last?.results ?? {}), toolKey);
        const made = { at: next, outcome };
        setSteps((before) => (isOver ? [made] : [...before, made]));
      } else {
        setTrial(await tryAction(agent, kind, values, input, toolKey));
      }
    } catch (thrown) {
      onError(thrown);
    } finally {
      setPending(false);
    }
  };
  const isReal = kind === "http" || kind === "web-search";
  return (
    <Section title={t("actions.try")}>
      <p className={styles.detail}>{t(kind === "procedure" ? "actions.tryProcedure" : isReal ? "actions.tryReal" : "actions.tryOnly")}</p>
      {inputs.map((input, i) => (
        <Value
          key={i}
          input={input}
          value={typed[input.name] ?? ""}
          onChange={(value) => setTyped((all) => ({ ...all, [input.name]: value }))}
          onEnter={() => void send()}
        />
      ))}
      <div className={styles.submit}>
        <Button icon="flask-conical" onPress={() => void send()} isPending={isPending}>
          {kind === "procedure" ? t("actions.tryStep", { number: next + 1 }) : t("actions.send")}
        </Button>
        {steps.length > 0 && (
          <Button kind="quiet" onPress={() => setSteps([])}>
            {t("actions.tryAgain")}
          </Button>
        )}
      </div>
      <div role="status" className={styles.result}>
        {trial && <Outcome trial={trial} />}
        {steps.length > 0 && <StepOutcomes steps={steps} />}
      </div>
      {kind === "http" && trial && <Places trial={trial} />}
    </Section>
  );
}

/** What of a real reply the model may see: the boxes are another way of filling in the field of these places. */
function Places({ trial: { works, failure, reply } }: { trial: Trial }) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const isUsable = works || failure === "reply"; // not an error, which has other places
  const places = isUsable && reply ? listPlaces(reply.body, reply.isCut) : [];
  if (places.length === 0) return null;
  const lines = ofLines(values.response);
  const picked = places.filter((place) => lines.some((line) => isBelow(place, line)));
  return (
    <CheckboxGroup
      className={field.field!}
      value={picked}
      onChange={(chosen) => change("response", toLines(pickPlaces(lines, places, chosen)))}
    >
      <Label className={field.label!}>{t("actions.pick")}</Label>
      <Text slot="description" className={field.hint!}>
        {t("actions.pickHint", { field: t("actions.field.response") })}
      </Text>
      <div className={styles.places}>
        {places.map((place) => (
          <Check key={place} value={place}>
            <code dir="ltr">{place}</code>
          </Check>
        ))}
      </div>
    </CheckboxGroup>
  );
}

interface ValueProps {
  input: Input;
  value: string;
  onChange: (value: string) => void;
  onEnter: () => void;
}

/** A value for an input, as its type wants it. Enter tries: in the form of a new action it would add that. */
function Value({ input, value, onChange, onEnter }: ValueProps) {
  const { t } = useTexts();
  const { name, type, description, required } = input;
  const choices = type === "boolean" ? ["true", "false"] : (input.enum ?? []);
  if (choices.length > 0) {
    const say = (id: string) => (type === "boolean" ? t(id === "true" ? "actions.yes" : "actions.no") : id);
    const none = { id: "", name: t("actions.noValue") };
    return <Choice label={name} value={value} options={[none, ...choices.map((id) => ({ id, name: say(id) }))]} onChange={onChange} />;
  }
  const isNumber = type === "number" || type === "integer";
  const press: NonNullable<TextFieldProps["onKeyDown"]> = (event) => {
    event.continuePropagation(); // to the keys of the console
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <Field
      label={required ? t("actions.neededValue", { name }) : name}
      hint={description}
      value={value}
      onChange={onChange}
      onKeyDown={press}
      inputMode={isNumber ? "decimal" : "text"}
      autoComplete="off"
    />
  );
}
