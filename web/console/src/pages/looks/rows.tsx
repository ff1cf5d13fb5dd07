// The kinds of fields of the screen.
import { useEffect, useState } from "react";
import { contrast, judgeColor, newTheme, parseColor, shownContrast, type StageLooks, type Tokens } from "../../../../shared/theme";
import { Choice } from "../../components/choice";
import { ColorField } from "../../components/color-field";
import { Field } from "../../components/field";
import { TextArea } from "../../components/text-area";
import { Toggle } from "../../components/toggle";
import { useTexts, type Key } from "../../i18n";
import { useField } from "./editor";

interface Row {
  name: string;
  labelKey: Key;
}

/** The theme that the values of a part make. */
export function useTheme(values: Readonly<Record<string, unknown>>) {
  return newTheme(values as StageLooks);
}

interface ColorRowProps extends Row {
  tokens: Tokens;
  /** The token that the color is, where none was chosen. */
  token: keyof Tokens;
}

/** A color that has text on it. It says which ink the text will have, and how well it can be read. */
export function ColorRow({ name, labelKey, tokens, token }: ColorRowProps) {
  const { t, locale } = useTexts();
  const [value, set] = useField<string>(name);
  const shown = value || tokens[token];
  const found = judgeColor(shown);
  const figure = found && new Intl.NumberFormat(locale).format(shownContrast(found.contrast));
  const hint = found ? t(found.ink === "white" ? "looks.inkWhite" : "looks.inkBlack", { contrast: figure! }) : undefined;
  return (
    <ColorField
      name={name}
      label={t(labelKey)}
      value={value === "transparent" ? "" : value}
      preset={found ? shown : tokens["--chat-accent"]}
      hint={hint}
      fault={t("looks.noColor")}
      clearLabel={t("looks.clearColor", { name: t(labelKey) })}
      onChange={set}
    />
  );
}

interface PlainColorProps {
  name: string;
  labelKey: Key;
  value: string;
  preset: string;
  /** What it stands on. */
  ground: string;
  onChange: (color: string) => void;
}

/** A color of text or marks. It says how well it can be read, and which shade is shown in its place if it cannot. */
export function InkRow({ name, labelKey, value, preset, ground, onChange, shown }: PlainColorProps & { shown: string | undefined }) {
  const { t, locale } = useTexts();
  const [color, behind] = [parseColor(value || preset), parseColor(ground)];
  const figure = color && behind && new Intl.NumberFormat(locale).format(shownContrast(contrast(color, behind)));
  const said = figure ? t("looks.contrast", { contrast: figure }) : undefined;
  return (
    <ColorField
      name={name}
      label={t(labelKey)}
      value={value}
      preset={preset}
      hint={shown ? t("looks.shaded", { contrast: figure ?? "", color: shown }) : said}
      fault={t("looks.noColor")}
      clearLabel={t("looks.clearColor", { name: t(labelKey) })}
      onChange={onChange}
    />
  );
}

interface TextRowProps extends Row {
  max: number;
  hint?: Key;
  isLong?: boolean;
}

// What is counted are characters as people see them in the server's rules: code points.
const lengthOf = (text: string) => [...text].length;

/** A text that may be left out. Its hint counts. */
export function TextRow({ name, labelKey, max, hint, isLong = false }: TextRowProps) {
  const { t } = useTexts();
  const [value, set] = useField<string | null>(name);
  const length = lengthOf(value ?? "");
  const count = t("looks.length", { count: length, max });
  const props = {
    name,
    label: t(labelKey),
    hint: hint ? `${t(hint)} ${count}` : count,
    value: value ?? "",
    isInvalid: length > max,
    onChange: (text: string) => set(text === "" ? null : text),
  };
  return isLong ? <TextArea {...props} /> : <Field {...props} />;
}

/** Something that is shown or not. */
export function SwitchRow({ name, labelKey }: Row) {
  const { t } = useTexts();
  const [value, set] = useField<boolean>(name);
  return (
    <Toggle isSelected={value} onChange={set}>
      {t(labelKey)}
    </Toggle>
  );
}

interface ChoiceRowProps extends Row {
  options: readonly { id: string; name: string }[];
}

export function ChoiceRow({ name, labelKey, options }: ChoiceRowProps) {
  const { t } = useTexts();
  const [value, set] = useField<string>(name);
  return <Choice label={t(labelKey)} value={value} options={options} onChange={set} />;
}

interface SecondsProps {
  name: string;
  label: string;
  value: number | null;
  hint?: string;
  onChange: (seconds: number | null) => void;
}

/** Seconds, or nothing at all. */
export function Seconds({ value, onChange, ...props }: SecondsProps) {
  const change = (text: string) => {
    const seconds = Number(text.replace(",", "."));
    if (text.trim() === "") onChange(null);
    else if (Number.isFinite(seconds) && seconds >= 0) onChange(seconds);
  };
  return <Field {...props} value={value === null ? "" : String(value)} inputMode="decimal" onChange={change} />;
}

interface LinesProps<T> {
  name: string;
  label: string;
  hint: string;
  value: T;
  split: (text: string) => T;
  join: (value: T) => string;
  onChange: (value: T) => void;
  isReadOnly?: boolean;
  /** The lines that are seen. */
  rows?: number;
}

/** A list as lines that one types. What is typed stays as it was typed, for as long as it means the same. */
export function Lines<T>({ value, split, join, onChange, ...props }: LinesProps<T>) {
  const [text, setText] = useState(() => join(value));
  useEffect(() => {
    setText((typed) => (JSON.stringify(split(typed)) === JSON.stringify(value) ? typed : join(value)));
    // Only another value replaces what is typed.
    // eslint-disable-next-line
  }, [JSON.stringify(value)]);
  const change = (next: string) => {
    setText(next);
    onChange(split(next));
  };
  return <TextArea rows={5} {...props} value={text} onChange={change} />;
}
