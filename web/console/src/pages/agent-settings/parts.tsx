// The sections that are fields alone: limits, mails, privacy.
import { Link } from "react-aria-components";
import { useAgent } from "../../api/agents";
import { MailsNote } from "../../components/mails-note";
import { Section } from "../../components/page";
import { useTexts } from "../../i18n";
import { RetentionPreview } from "./retention";
import { NumberRow, SwitchRow, useValue, WordsRow } from "./rows";
import styles from "./agent-settings.module.css";

export function Limits({ id }: { id: string }) {
  const { t } = useTexts();
  const used = useAgent(id).data?.creditsUsed;
  return (
    <Section title={t("settings.limits")}>
      <NumberRow name="creditLimit" hintKey="settings.creditLimitHint" isWhole />
      {used !== undefined && <p className={styles.hint}>{t("settings.creditsUsed", { count: used })}</p>}
      <p>
        {t("settings.limitsElsewhere")} <Link href={`/agents/${id}/embed`}>{t("embed.title")}</Link>
      </p>
    </Section>
  );
}

const mails = ["dailyConversations", "dailyLeadsCollected"] as const;

export function Notifications() {
  const { t } = useTexts();
  return (
    <Section title={t("settings.notifications")}>
      <p>{t("settings.notificationsText")}</p>
      <MailsNote />
      {mails.map((mail) => (
        <Mail key={mail} name={`notificationsSettings.${mail}`} />
      ))}
    </Section>
  );
}

function Mail({ name }: { name: string }) {
  const [isOn] = useValue<boolean>(`${name}.active`);
  const [emails] = useValue<string[]>(`${name}.emails`);
  return (
    <>
      <SwitchRow name={`${name}.active`} />
      {(isOn || emails.length > 0) && <WordsRow name={`${name}.emails`} hintKey="settings.emailsHint" />}
    </>
  );
}

export function Privacy({ id }: { id: string }) {
  const { t } = useTexts();
  const [days] = useValue<number | null>("retentionDays");
  return (
    <Section title={t("settings.privacy")}>
      <SwitchRow name="redactConversations" />
      <p className={styles.hint}>{t("settings.redactHint")}</p>
      <NumberRow name="retentionDays" hintKey="settings.retentionHint" isWhole />
      <NumberRow name="fileRetentionDays" hintKey="retention.fileDaysHint" isWhole />
      <NumberRow name="visitorRetentionDays" hintKey="retention.visitorDaysHint" isWhole />
      {(days === null || (days >= 1 && days <= 36500)) && <RetentionPreview id={id} days={days} />}
    </Section>
  );
}
