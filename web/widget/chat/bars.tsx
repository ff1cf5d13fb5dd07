import { useChat } from "./context";
import { AlertIcon, BusyIcon, CloseIcon } from "./icons";
import { lazy } from "./lazy";
import { RichText } from "./rich-text";
import styles from "./bars.module.css";

const Limited = lazy(async () => (await import("./off-bars")).Limited);
const Off = lazy(async () => (await import("./off-bars")).Off);

/** What the company wants everybody to know, until they close it. */
export function Notice() {
  const chat = useChat();
  const { t } = chat.texts;
  const text = chat.options.value.dismissableNotice?.trim() ?? "";
  if (!text || chat.store.kept.value.dismissedNotice === text) return null;
  return (
    <aside class={styles.notice} aria-label={t("a11y.notice")}>
      <RichText text={text} />
      <button type="button" class={styles.dismiss} aria-label={t("chat.dismiss")} onClick={() => chat.store.set({ dismissedNotice: text })}>
        <CloseIcon size={16} />
      </button>
    </aside>
  );
}

export function Footer() {
  const text = useChat().options.value.footer?.trim() ?? "";
  return text ? (
    <div class={styles.footer}>
      <RichText text={text} />
    </div>
  ) : null;
}

/** Says why a message does not go out or an answer does not come. */
export function StateBar() {
  const chat = useChat();
  const { t } = chat.texts;
  const { kind } = chat.composer.value;
  const connection = chat.connection.value;
  if (kind === "limited") return <Limited />;
  if (kind === "off") return <Off />;
  if (kind === "closed") return <Closed />;
  if (kind === "waiting") return <Bar text={t("chat.waiting")} isBusy />;
  if (kind === "offline" || !chat.isOnline.value) return <Bar text={t("chat.offline")} />;
  if (connection === "ok") return null;
  const retry = connection === "stuck" && { label: t("chat.retry"), run: () => chat.reconnect() };
  return <Bar text={t(kind === "streaming" ? "chat.lostAnswer" : "chat.lost")} isBusy {...(retry && { action: retry })} />;
}

interface BarProps {
  text: string;
  /** Is not spoken by itself, unlike the text: it changes each second. */
  countdown?: string;
  isBusy?: boolean;
  /** Nothing is wrong. */
  isCalm?: boolean;
  action?: { label: string; run: () => void };
}

export function Bar({ text, countdown = "", isBusy = false, isCalm = false, action }: BarProps) {
  return (
    <div class={styles.bar} role="status">
      {!isCalm && <span class={isBusy ? styles.spin : undefined}>{isBusy ? <BusyIcon size={16} /> : <AlertIcon size={16} />}</span>}
      <span class={styles.text} dir="auto">
        {text}
        {countdown && (
          <>
            {" "}
            <span role="timer" aria-live="off">
              {countdown}
            </span>
          </>
        )}
      </span>
      {action && (
        <button type="button" class={styles.action} onClick={action.run}>
          {action.label}
        </button>
      )}
    </div>
  );
}

function Closed() {
  const chat = useChat();
  const { t } = chat.texts;
  return <Bar text={t("chat.ended")} isCalm action={{ label: t("chat.newChat"), run: () => chat.reset() }} />;
}
