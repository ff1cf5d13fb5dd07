import { useEffect, useId } from "preact/hooks";
import { App } from "../chat/app";
import { useChat } from "../chat/context";
import { History, loadConversations } from "../chat/menu/history";
import styles from "./help.module.css";

/** The chat over the whole page, with the earlier conversations beside it where there is room. */
export function HelpPage() {
  const chat = useChat();
  const { t } = chat.texts;
  const { displayName } = chat.options.value;
  const title = t("help.title", { name: displayName });
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class={styles.page}>
      <Side />
      <div class={styles.chat}>
        <App>
          <Welcome />
        </App>
      </div>
    </div>
  );
}

/** Stands above the greeting until somebody has written. */
function Welcome() {
  const chat = useChat();
  if (chat.isLoading.value || chat.messages.value.length > 0) return null;
  return <h2 class={styles.welcome}>{chat.texts.t("help.welcome")}</h2>;
}

// Side asks for nothing before there is a visitor: to look at the page makes none.
function Side() {
  const chat = useChat();
  const { t, locale } = chat.texts;
  const id = useId();
  const current = chat.conversation.value?.id ?? null;
  const isKnown = chat.visitor.value.userId !== null || current !== null || chat.store.token() !== "";
  if (chat.isLoading.value || !isKnown) return null;
  const answers = chat.messages.value.filter(({ author, state }) => author !== "user" && state === "complete").length;
  return (
    <nav class={styles.side} aria-labelledby={id}>
      <h2 id={id} class={styles.title}>
        {t("help.history")}
      </h2>
      <button type="button" class={styles.new} onClick={() => chat.reset()}>
        {t("menu.new")}
      </button>
      <History
        t={t}
        locale={locale.value}
        current={current}
        version={answers}
        load={loadConversations(chat.api)}
        onOpen={(other) => chat.openConversation(other)}
      />
    </nav>
  );
}
