import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { updateMe, type User } from "../api/session";
import { MailsNote } from "../components/mails-note";
import { Section } from "../components/page";
import { Failed } from "../components/states";
import { Toggle } from "../components/toggle";
import { useTexts } from "../i18n";
import { canNotify, playSound } from "../shell/notices";
import styles from "./me.module.css";

/** How the person is told of what happens while they look elsewhere. */
export function Notifications({ me }: { me: User }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const [permission, setPermission] = useState(() => (canNotify() ? Notification.permission : "denied"));
  const { desktop = false, sound = false, mailWaiting = true, mailAssigned = true } = me.notifications ?? {};
  const change = async (part: Record<string, boolean>) => {
    setPending(true);
    setError(null);
    try {
      await updateMe({ notifications: { ...me.notifications, ...part } });
      await Promise.all(["me", "session"].map((key) => client.refetchQueries({ queryKey: [key], exact: true })));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  const switchDesktop = async (isOn: boolean) => {
    const now = isOn ? await Notification.requestPermission() : permission;
    setPermission(now);
    if (!isOn || now === "granted") await change({ desktop: isOn });
  };
  const switchSound = (isOn: boolean) => {
    if (isOn) void playSound();
    void change({ sound: isOn });
  };
  return (
    <Section title={t("notice.settings")}>
      <p className={styles.detail}>{t("notice.settingsText")}</p>
      {error !== null && <Failed error={error} />}
      <Toggle isSelected={sound} isDisabled={isPending} onChange={switchSound}>
        {t("notice.sound")}
      </Toggle>
      <Toggle
        isSelected={desktop && permission === "granted"}
        isDisabled={isPending || !canNotify()}
        onChange={(isOn) => void switchDesktop(isOn)}
      >
        {t("notice.desktop")}
      </Toggle>
      {permission === "denied" && <p role="status" className={styles.detail}>{t("notice.denied")}</p>}
      <p className={styles.detail}>{t("mails.text")}</p>
      <MailsNote />
      <Toggle isSelected={mailWaiting} isDisabled={isPending} onChange={(isOn) => void change({ mailWaiting: isOn })}>
        {t("mails.waiting")}
      </Toggle>
      <Toggle isSelected={mailAssigned} isDisabled={isPending} onChange={(isOn) => void change({ mailAssigned: isOn })}>
        {t("mails.assigned")}
      </Toggle>
    </Section>
  );
}
