import { useTexts } from "../i18n";
import { Icon } from "./icon";
import styles from "./help-link.module.css";

/** The "?" that opens a chapter of the manual. */
export function HelpLink({ href }: { href: string }) {
  const { t } = useTexts();
  return (
    <a className={styles.link} href={href} target="_blank" rel="noopener" aria-label={t("manual.open")}>
      <Icon name="circle-question-mark" />
    </a>
  );
}
