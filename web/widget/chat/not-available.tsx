import { useChat } from "./context";
import styles from "./app.module.css";

/** In place of a chat that is not for this site, or not there. */
export function NotAvailable() {
  const chat = useChat();
  const { t } = chat.texts;
  return (
    <main class={styles.notAvailable}>
      <h1 class={styles.hidden}>{t("a11y.chat")}</h1>
      <p>{t(chat.config.reason === "domain" ? "error.domain" : "error.notAvailable")}</p>
    </main>
  );
}
