import { useId, useRef, type ClipboardEventHandler, type KeyboardEventHandler, type RefObject } from "react";
import { Label, Text, TextArea as AriaTextArea, TextField, type TextFieldProps } from "react-aria-components";
import { useTexts } from "../i18n";
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
  /** Says how many characters there are of maxLength. More can be typed and pasted, so that nothing is cut unseen. */
  hasCounter?: boolean;
  /** Numbers the lines, which then do not wrap. */
  hasLineNumbers?: boolean;
  areaRef?: RefObject<HTMLTextAreaElement | null>;
  onKeyDown?: KeyboardEventHandler<HTMLTextAreaElement>;
  onPaste?: ClipboardEventHandler<HTMLTextAreaElement>;
}

const numberLines = (text: string) => text.split("\n").map((_, i) => i + 1).join("\n");

function Counter({ text, most }: { text: string; most: number }) {
  const { locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const length = [...text].length; // as the server counts: an emoji is one
  return (
    <span className={`${styles.counter} ${length > most ? styles.over : ""}`}>
      {number.format(length)}/{number.format(most)}
    </span>
  );
}

/** Lines of text with their label, a hint, and the fault that a form found. */
export function TextArea({ label, hint, rows, isCode = false, hasLineNumbers = false, hasCounter = false, ...others }: Props) {
  const { areaRef, onKeyDown, onPaste, maxLength, ...props } = others;
  const fault = useFault(props.name);
  const faultId = useId();
  const numbers = useRef<HTMLPreElement>(null);
  const area = (
    <AriaTextArea
      className={`${field.input} ${styles.area} ${rows ? "" : styles.growing} ${isCode ? styles.code : ""}`}
      {...(areaRef && { ref: areaRef })}
      {...(onKeyDown && { onKeyDown })}
      {...(onPaste && { onPaste })}
      {...(rows && { rows })}
      {...(fault && { "aria-invalid": true })}
      {...(hasLineNumbers && { onScroll: ({ currentTarget }) => numbers.current?.scrollTo(0, currentTarget.scrollTop) })}
      spellCheck={!isCode}
      dir={isCode ? "ltr" : "auto"}
    />
  );
  return (
    <TextField
      {...props}
      className={field.field!}
      {...(maxLength && !hasCounter && { maxLength })}
      {...(fault && { "aria-describedby": faultId })}
    >
      <Label className={field.label!}>{label}</Label>
      {hasLineNumbers ? (
        <div className={styles.numbered} dir="ltr">
          <pre ref={numbers} className={styles.numbers} aria-hidden="true">
            {numberLines(props.value ?? "")}
          </pre>
          {area}
        </div>
      ) : (
        area
      )}
      {(hint || hasCounter) && (
        <Text slot="description" className={`${field.hint} ${hasCounter ? styles.counted : ""}`}>
          <span>{hint}</span>
          {hasCounter && <Counter text={props.value ?? ""} most={maxLength ?? 0} />}
        </Text>
      )}
      <FaultRow id={faultId} fault={fault} />
    </TextField>
  );
}
