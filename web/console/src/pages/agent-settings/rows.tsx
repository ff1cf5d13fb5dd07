// The kinds of fields of the screen: each is a value of the settings by its name.
import { createContext, useContext, useEffect, useState } from "react";
import type { Values } from "../../api/settings";
import { Choice } from "../../components/choice";
import { FaultRow, useFault } from "../../components/fault";
import { Field } from "../../components/field";
import { TextArea } from "../../components/text-area";
import { Toggle } from "../../components/toggle";
import { useTexts, type Key } from "../../i18n";
import { Lines } from "../looks/rows";
import { labels } from "./fields";

interface Editor {
  values: Values;
  change: (name: string, value: unknown) => void;
  isReadOnly: boolean;
}

export const EditorContext = createContext<Editor>({ values: {}, change: () => {}, isReadOnly: true });

/** A value, what changes it, and whether the person may only read it. */
export function useValue<T>(name: string): [T, (value: T) => void, boolean] {
  const { values, change, isReadOnly } = useContext(EditorContext);
  return [values[name] as T, (value) => change(name, value), isReadOnly];
}

interface Row {
  name: string;
  hintKey?: Key;
}

// useRow returns what all rows have in common.
function useRow({ name, hintKey }: Row) {
  const { t } = useTexts();
  return { name: `settings.${name}`, label: t(labels[name]!), ...(hintKey && { hint: t(hintKey) }) };
}

interface TextProps extends Row {
  isLong?: boolean;
  isCode?: boolean;
  /** What is proposed for one line. */
  suggestions?: readonly string[];
}

export function TextRow({ isLong = false, isCode = false, suggestions, ...row }: TextProps) {
  const props = useRow(row);
  const [value, set, isReadOnly] = useValue<string>(row.name);
  const shared = { ...props, value, onChange: set, isReadOnly, isCode };
  return isLong ? <TextArea {...shared} /> : <Field {...shared} {...(suggestions && { suggestions })} />;
}

/** What is typed as a number; undefined for what is none yet. */
function readNumber(text: string, isWhole: boolean): number | null | undefined {
  if (text.trim() === "") return null;
  const isNumber = isWhole ? /^\d{1,12}$/ : /^\d{0,6}([.,]\d{0,6})?$/;
  if (!isNumber.test(text)) return undefined;
  const number = Number(text.replace(",", "."));
  return Number.isNaN(number) ? undefined : number;
}

interface NumberProps extends Row {
  isWhole?: boolean;
  /** What stands for an empty field, where it may not be empty. */
  preset?: number;
}

/** A number, or nothing at all. What is typed stays as it was typed, for as long as it means the same. */
export function NumberRow({ isWhole = false, preset, ...row }: NumberProps) {
  const props = useRow(row);
  const [value, set, isReadOnly] = useValue<number | null>(row.name);
  const [text, setText] = useState(value === null ? "" : String(value));
  useEffect(() => {
    setText((typed) => ((readNumber(typed, isWhole) ?? preset ?? null) === value ? typed : value === null ? "" : String(value)));
  }, [value, isWhole, preset]);
  const change = (typed: string) => {
    const number = readNumber(typed, isWhole);
    if (number === undefined) return;
    setText(typed);
    set(number ?? preset ?? null);
  };
  return <Field {...props} value={text} inputMode={isWhole ? "numeric" : "decimal"} onChange={change} isReadOnly={isReadOnly} />;
}

export function SwitchRow({ name }: Row) {
  const { t } = useTexts();
  const [value, set, isReadOnly] = useValue<boolean>(name);
  return (
    <Toggle isSelected={value} onChange={set} isDisabled={isReadOnly}>
      {t(labels[name]!)}
    </Toggle>
  );
}

/** One of a list. Whoever may not change it reads its name. */
export function ChoiceRow({ options, ...row }: Row & { options: readonly { id: string; name: string }[] }) {
  const { name, label, hint } = useRow(row);
  const [value, set, isReadOnly] = useValue<string>(row.name);
  const fault = useFault(name);
  if (isReadOnly) {
    const shown = options.find(({ id }) => id === value)?.name ?? value;
    return <Field name={name} label={label} hint={hint} value={shown} isReadOnly />;
  }
  return (
    <div>
      <Choice label={label} value={value} options={options} onChange={set} />
      <FaultRow id={`fault-${name}`} fault={fault} />
    </div>
  );
}

const readWords = (text: string) => text.split(/[\s,;]+/).filter(Boolean);
const joinLines = (list: readonly string[]) => list.join("\n");

/** Words without spaces, such as addresses, one a line. */
export function WordsRow(row: Row & { hintKey: Key }) {
  const { t } = useTexts();
  const props = useRow(row);
  const [value, set, isReadOnly] = useValue<string[]>(row.name);
  return <Lines {...props} hint={t(row.hintKey)} value={value} split={readWords} join={joinLines} onChange={set} isReadOnly={isReadOnly} />;
}
