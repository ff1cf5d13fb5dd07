import { useState } from "react";
import { useTexts } from "../i18n";
import { Button } from "./button";
import card from "./card.module.css";

/** Codes that are shown once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard?.writeText(codes.join("\n")).then(() => setCopied(true));
  return (
    <>
      <p>{t("recovery.keep")}</p>
      <ul className={card.codes} dir="ltr">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div>
        <Button icon="copy" onPress={copy}>
          {isCopied ? t("state.copied") : t("recovery.copy")}
        </Button>
      </div>
    </>
  );
}
