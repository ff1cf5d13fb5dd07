import { useTexts } from "../i18n";
import styles from "./unread.module.css";

/** The sign of what is unread, before its name. */
export function UnreadSign() {
  const { t } = useTexts();
  return (
    <span className={styles.sign}>
      <span className={styles.hidden}>{t("inbox.unread")} </span>
    </span>
  );
}
