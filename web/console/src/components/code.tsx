import { useState } from "react";
import { useTexts } from "../i18n";
import { Button } from "./button";
import styles from "./code.module.css";

/** Lines of a program, to be copied. `label` says what they are. */
export function Code({ label, text }: { label: string; text: string }) {
  const { t } = useTexts();
  const [copied, setCopied] = useState("");
  const copy = () => void navigator.clipboard?.writeText(text).then(() => setCopied(text));
  return (
    <figure className={styles.code}>
      <pre dir="ltr" tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <Button icon="copy" onPress={copy} aria-label={`${copied === text ? t("state.copied") : t("state.copy")}: ${label}`}>
        {copied === text ? t("state.copied") : t("state.copy")}
      </Button>
    </figure>
  );
}
