import { useEffect, useState } from "react";
import { IconButton } from "./button";
import { Field } from "./field";
import field from "./field.module.css";
import styles from "./color-field.module.css";

const isColor = (text: string) => /^#(?:[0-9a-f]{3}){1,2}$/i.test(text);
// A browser's color field knows the long form alone.
const long = (text: string) => (text.length === 4 ? `#${[...text.slice(1)].map((digit) => digit + digit).join("")}` : text);

interface Props {
  name: string;
  label: string;
  /** Empty where none was chosen. */
  value: string;
  /** What is shown where none was chosen. */
  preset: string;
  /** Says what comes of the color. */
  hint?: string | undefined;
  /** Says that what was typed is no color. */
  fault: string;
  /** The name of the button that gives up the color. */
  clearLabel: string;
  /** Is called with a color, or with nothing where none is chosen any longer. */
  onChange: (color: string) => void;
}

/** A color: picked, or typed as "#rrggbb", or none. What is typed and is no color changes nothing. */
export function ColorField({ name, label, value, preset, hint, fault, clearLabel, onChange }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const isWrong = text !== "" && !isColor(text);
  const change = (next: string) => {
    setText(next);
    if (next === "" || isColor(next)) onChange(next);
  };
  return (
    <div className={styles.color}>
      <input
        type="color"
        className={styles.picker}
        aria-label={label}
        value={long(isColor(value) ? value : preset)}
        onChange={(event) => change(event.target.value)}
      />
      <Field
        name={name}
        label={label}
        hint={isWrong ? fault : hint}
        value={text}
        placeholder={preset}
        isCode
        onChange={change}
        isInvalid={isWrong}
        spellCheck="false"
        autoComplete="off"
      />
      {value !== "" && <IconButton icon="x" label={clearLabel} onPress={() => change("")} />}
    </div>
  );
}

interface RangeProps {
  label: string;
  value: number;
  least: number;
  most: number;
  onChange: (value: number) => void;
}

/** A number between two others that are far enough apart to be felt. */
export function RangeField({ label, value, least, most, onChange }: RangeProps) {
  return (
    <label className={styles.range}>
      <span className={field.label}>{label}</span>
      <input type="range" min={least} max={most} value={value} onChange={(event) => onChange(Number(event.target.value))} />
      <output dir="ltr">{value}</output>
    </label>
  );
}
