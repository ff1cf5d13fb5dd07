import { useEffect, useState } from "preact/hooks";
import { useChat } from "./context";
import { formatWait } from "./i18n";
import { AlertIcon, BusyIcon, CloseIcon } from "./icons";
import { lazy } from "./lazy";
import { addressBlocked } from "./question";
import { RichText } from "./rich-text";
import type { Translate } from "./translate";
import styles from "./bars.module.css";

const LeadForm = lazy(async () => (await import("./lead/lead")).LeadForm);

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

function Bar({ text, countdown = "", isBusy = false, isCalm = false, action }: BarProps) {
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

/** The agent takes no more messages for a while, in its own words. */
function Limited() {
  const chat = useChat();
  const { t, locale } = chat.texts;
  const { message, until } = chat.composer.value;
  const [now, setNow] = useState(Date.now);
  const left = Math.ceil((until - now) / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (left <= 0) chat.endLimit();
  }, [left <= 0]);
  const countdown = left > 0 ? t("chat.countdown", { time: formatWait(left, locale.value) }) : "";
  return <Bar text={message || t("chat.limited")} countdown={countdown} />;
}

function Closed() {
  const chat = useChat();
  const { t } = chat.texts;
  return <Bar text={t("chat.ended")} isCalm action={{ label: t("chat.newChat"), run: () => chat.reset() }} />;
}

/** The agent answers nobody for now; it may still take how to reach somebody. */
function Off() {
  const chat = useChat();
  const { t } = chat.texts;
  const { leads } = chat.config;
  const submit = async (lead: object) => {
    const conversationId = chat.conversation.value?.id;
    await chat.api.request("POST", "/leads", { ...(conversationId && { conversationId }), ...lead });
  };
  return (
    <>
      <Bar text={t("chat.off")} />
      {leads && chat.composer.value.code !== addressBlocked && (
        <div class={styles.lead}>
          <LeadForm leads={leads} t={t as Translate} onSubmit={submit} />
        </div>
      )}
    </>
  );
}
