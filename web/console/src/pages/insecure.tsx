import { CardPage } from "../components/card";
import styles from "../components/card.module.css";
import { useTexts } from "../i18n";
import { chapterOnHTTPS } from "../manual";

/** What is shown in place of a form that asks for a password, where the password would be sent unencrypted. */
export function InsecurePage() {
  const { t } = useTexts();
  // The server takes a connection for unencrypted also where only the way from the proxy to it is.
  const isHTTPS = location.protocol === "https:";
  return (
    <CardPage title={t("insecure.title")} help={chapterOnHTTPS}>
      <p>{t(isHTTPS ? "insecure.proxy" : "insecure.text")}</p>
      <p className={styles.text}>{t("insecure.operator")}</p>
    </CardPage>
  );
}
