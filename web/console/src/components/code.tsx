import { useRef, useState } from "react";
import { useTexts } from "../i18n";
import { Button } from "./button";
import field from "./field.module.css";
import styles from "./code.module.css";

interface Props {
  label: string;
  text: string;
  /** Shows the label, where nothing beside it says what the lines are. */
  hasCaption?: boolean;
}

/** Lines of a program, to be copied. `label` says what they are. */
export function Code({ label, text, hasCaption = false }: Props) {
  const { t } = useTexts();
  const lines = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState("");
  // Where the browser lets no page copy, the lines are selected, for the keys of the system.
  const select = () => getSelection()?.selectAllChildren(lines.current!);
  const copy = () => {
    if (navigator.clipboard) void navigator.clipboard.writeText(text).then(() => setCopied(text), select);
    else select();
  };
  return (
    <figure className={styles.code}>
      {hasCaption && <figcaption className={field.label}>{label}</figcaption>}
      <pre dir="ltr" tabIndex={0} role="region" aria-label={label}>
        <code ref={lines}>{text}</code>
      </pre>
      <Button icon="copy" onPress={copy} aria-label={`${copied === text ? t("state.copied") : t("state.copy")}: ${label}`}>
        {copied === text ? t("state.copied") : t("state.copy")}
      </Button>
    </figure>
  );
}
