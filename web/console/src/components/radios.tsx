import { Label, Radio, RadioGroup } from "react-aria-components";
import field from "./field.module.css";
import styles from "./radios.module.css";

interface Props<T extends string> {
  label: string;
  value: T;
  options: readonly { id: T; name: string }[];
  onChange: (value: T) => void;
}

/** One of two or three that are all in sight. */
export function Radios<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <RadioGroup className={styles.group!} value={value} onChange={(id) => onChange(id as T)}>
      <Label className={field.label!}>{label}</Label>
      {options.map(({ id, name }) => (
        <Radio key={id} value={id} className={styles.radio!}>
          <span className={styles.dot} aria-hidden="true" />
          {name}
        </Radio>
      ))}
    </RadioGroup>
  );
}
