import { useChat } from "./context";
import { lazy } from "./lazy";
import { CloseIcon, PersonIcon } from "./icons";
import styles from "./header.module.css";

// The button's place is kept while it is loaded.
const ChatMenu = lazy<{ className: string | undefined }>(
  async () => (await import("./chat-menu")).ChatMenu,
  ({ className }) => <span class={className} />,
);

/** Who the customer talks to. */
export function Header() {
  const chat = useChat();
  const { t } = chat.texts;
  const { displayName } = chat.options.value;
  const person = chat.personShown.value;
  const picture = person ? person.picture : chat.config.picture;
  const hasClose = chat.mode === "bubble" || chat.mode === "stage";
  return (
    <div class={styles.header}>
      {picture ? (
        <img class={styles.picture} src={picture} alt="" width={36} height={36} />
      ) : (
        person && (
          <span class={styles.picture}>
            <PersonIcon size={20} />
          </span>
        )
      )}
      <div class={styles.names}>
        <h1 id="title" class={styles.title} dir="auto">
          {person?.name || displayName}
        </h1>
        {person?.name && (
          <p class={styles.company} dir="auto">
            {displayName}
          </p>
        )}
      </div>
      {!chat.options.value.hideActionsMenu && <ChatMenu className={styles.button} />}
      {hasClose && (
        <button type="button" class={styles.button} aria-label={t("chat.close")} title={t("chat.close")} onClick={() => chat.close()}>
          <CloseIcon />
        </button>
      )}
    </div>
  );
}
