import { useId, type ClipboardEventHandler, type KeyboardEventHandler, type RefObject } from "react";
import { Label, Text, TextArea as AriaTextArea, TextField, type TextFieldProps } from "react-aria-components";
import { FaultRow, useFault } from "./fault";
import field from "./field.module.css";
import styles from "./text-area.module.css";

interface Props extends Omit<TextFieldProps, "children" | "className" | "onKeyDown" | "onPaste"> {
  label: string;
  hint?: string | undefined;
  /** The lines that are seen; without them the field is as high as what is in it. */
  rows?: number;
  /** Lines of a program, such as patterns: from the left in every language. */
  isCode?: boolean;
  areaRef?: RefObject<HTMLTextAreaElement | null>;
  onKeyDown?: KeyboardEventHandler<HTMLTextAreaElement>;
  onPaste?: ClipboardEventHandler<HTMLTextAreaElement>;
}

/** Lines of text with their label, a hint, and the fault that a form found. */
export function TextArea({ label, hint, rows, isCode = false, areaRef, onKeyDown, onPaste, ...props }: Props) {
  const fault = useFault(props.name);
  const faultId = useId();
  return (
    <TextField {...props} className={field.field!} {...(fault && { "aria-describedby": faultId })}>
      <Label className={field.label!}>{label}</Label>
      <AriaTextArea
        className={`${field.input} ${styles.area} ${rows ? "" : styles.growing} ${isCode ? styles.code : ""}`}
        {...(areaRef && { ref: areaRef })}
        {...(onKeyDown && { onKeyDown })}
        {...(onPaste && { onPaste })}
        {...(rows && { rows })}
        {...(fault && { "aria-invalid": true })}
        spellCheck={!isCode}
        dir={isCode ? "ltr" : "auto"}
      />
      {hint && (
        <Text slot="description" className={field.hint!}>
          {hint}
        </Text>
      )}
      <FaultRow id={faultId} fault={fault} />
    </TextField>
  );
}
