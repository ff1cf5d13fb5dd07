// What stands in the place of the field while an agent answers nobody for now. It is loaded when that is so.
import { useEffect, useState } from "preact/hooks";
import { Bar } from "./bars";
import { useChat } from "./context";
import { formatWait } from "./i18n";
import { lazy } from "./lazy";
import { addressBlocked } from "./question";
import type { Translate } from "./translate";
import styles from "./bars.module.css";

const LeadForm = lazy(async () => (await import("./lead/lead")).LeadForm);

/** The agent takes no more messages for a while, in its own words. */
export function Limited() {
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

/** The agent answers nobody for now; it may still take how to reach somebody. */
export function Off() {
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
