import type { Input } from "../../api/actions";
import { Button, IconButton } from "../../components/button";
import { Check } from "../../components/check";
import { Choice } from "../../components/choice";
import { Field } from "../../components/field";
import { useTexts } from "../../i18n";
import { Fault, useEditor } from "./fields";
import styles from "./actions.module.css";

const types = ["string", "number", "integer", "boolean"] as const;
type Type = (typeof types)[number];

/** What the model has to fill in. */
export function Inputs() {
  const { t } = useTexts();
  const { kind, values, change } = useEditor();
  const { inputs } = values;
  const isPreset = kind === "collect-leads" || kind === "web-search" || kind === "escalate";
  return (
    <>
      <p className={styles.detail}>{t(isPreset ? `actions.preset.${kind}` : "actions.inputsHint", { example: "{number}" })}</p>
      {inputs.map((input, i) => (
        <InputRow
          key={i}
          input={input}
          path={`inputs.${i}`}
          onChange={(next) => change("inputs", inputs.with(i, next))}
          onRemove={() => change("inputs", inputs.toSpliced(i, 1))}
        />
      ))}
      <Fault path="inputs" />
      <div>
        <Button icon="plus" onPress={() => change("inputs", [...inputs, { name: "", type: "string", required: true }])}>
          {t("actions.addInput")}
        </Button>
      </div>
    </>
  );
}

interface RowProps {
  input: Input;
  path: string;
  onChange: (input: Input) => void;
  onRemove: () => void;
}

function InputRow({ input, path, onChange, onRemove }: RowProps) {
  const { t } = useTexts();
  const setType = (type: Type) => {
    const { enum: _, ...rest } = input;
    onChange({ ...(type === "string" ? input : rest), type });
  };
  const setChoices = (text: string) => {
    const { enum: _, ...rest } = input;
    onChange(text === "" ? rest : { ...rest, enum: text.split(",").map((one) => one.trimStart()) });
  };
  return (
    <div role="group" aria-label={t("actions.inputNamed", { name: input.name })} className={styles.card}>
      <div className={styles.pair}>
        <Field
          name={`${path}.name`}
          label={t("actions.field.key")}
          value={input.name}
          onChange={(name) => onChange({ ...input, name })}
          autoComplete="off"
          isCode
          isRequired
        />
        <Choice
          label={t("actions.field.type")}
          value={input.type as Type}
          options={types.map((id) => ({ id, name: t(`actions.type.${id}`) }))}
          onChange={setType}
        />
        <IconButton icon="x" label={t("actions.removeNamed", { name: input.name || t("actions.inputs") })} onPress={onRemove} />
      </div>
      <Field
        name={`${path}.description`}
        label={t("actions.field.about")}
        value={input.description ?? ""}
        onChange={(description) => onChange({ ...input, description })}
        autoComplete="off"
      />
      {input.type === "string" && (
        <Field
          name={`${path}.enum`}
          label={t("actions.field.choices")}
          hint={t("actions.field.choicesHint")}
          value={(input.enum ?? []).join(", ")}
          onChange={setChoices}
          autoComplete="off"
        />
      )}
      <Check isSelected={input.required ?? false} onChange={(required) => onChange({ ...input, required })}>
        {t("actions.field.required")}
      </Check>
    </div>
  );
}
