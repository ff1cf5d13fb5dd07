import { Label, Radio, RadioGroup } from "react-aria-components";
import field from "./field.module.css";
import styles from "./radio-choice.module.css";

interface Props<T extends string> {
  label: string;
  name?: string;
  value: T;
  options: readonly { id: T; name: string; text?: string }[];
  onChange: (value: T) => void;
}

/** One of a few that are all in sight. */
export function RadioChoice<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <RadioGroup className={field.field!} value={value} onChange={(id) => onChange(id as T)}>
      <Label className={field.label!}>{label}</Label>
      <div className={styles.options}>
        {options.map(({ id, name, text }) => (
          <Radio key={id} value={id} className={styles.option!}>
            <span className={styles.dot} aria-hidden="true" />
            <span>
              <span className={styles.name}>{name}</span>
              {text && <span className={styles.text}>{text}</span>}
            </span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
