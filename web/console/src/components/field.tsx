import { useId } from "react";
import { Input, Label, Text, TextField, type TextFieldProps } from "react-aria-components";
import { FaultRow, useFault } from "./fault";
import styles from "./field.module.css";

interface Props extends Omit<TextFieldProps, "children" | "className"> {
  label: string;
  hint?: string | undefined;
  placeholder?: string | undefined;
  /** A word of a program, such as a color: from the left in every language. */
  isCode?: boolean;
  /** What the browser proposes while somebody types. */
  suggestions?: readonly string[];
}

/** A line of text with its label, a hint, and the fault that a form found. */
export function Field({ label, hint, placeholder, isCode = false, suggestions, ...props }: Props) {
  const fault = useFault(props.name);
  const faultId = useId();
  const listId = useId();
  return (
    <TextField {...props} className={styles.field!} {...(fault && { "aria-describedby": faultId })}>
      <Label className={styles.label!}>{label}</Label>
      <Input
        className={styles.input!}
        placeholder={placeholder}
        {...(fault && { "aria-invalid": true })}
        {...(isCode && { dir: "ltr" as const })}
        {...(suggestions && { list: listId })}
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {hint && (
        <Text slot="description" className={styles.hint!}>
          {hint}
        </Text>
      )}
      <FaultRow id={faultId} fault={fault} limits={props} />
    </TextField>
  );
}
