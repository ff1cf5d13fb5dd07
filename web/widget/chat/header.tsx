import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useChat } from "./context";
import { CloseIcon, MoreIcon, PersonIcon } from "./icons";
import styles from "./header.module.css";

const loadMenu = () => import("./chat-menu").catch(() => null);

/** The button of the menu. The menu is loaded when somebody goes for it. */
function Menu() {
  const { t } = useChat().texts;
  const [menu, setMenu] = useState<VNode | null>(null);
  if (menu) return menu;
  const open = (event: Event) =>
    void loadMenu().then((loaded) => setMenu(loaded && <loaded.ChatMenu className={styles.button} openedBy={event} />));
  const press = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    open(event);
  };
  return (
    <button
      type="button"
      class={styles.button}
      aria-label={t("menu.open")}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={loadMenu}
      onFocus={loadMenu}
      onClick={open}
      onKeyDown={press}
    >
      <MoreIcon />
    </button>
  );
}

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
      {!chat.options.value.hideActionsMenu && <Menu />}
      {hasClose && (
        <button type="button" class={styles.button} aria-label={t("chat.close")} title={t("chat.close")} onClick={() => chat.close()}>
          <CloseIcon />
        </button>
      )}
    </div>
  );
}
