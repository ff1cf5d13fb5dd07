import { useSession } from "../api/session";
import { useTexts } from "../i18n";
import { Notice } from "./notice";

/** Says that no mails are sent, where the server has no mail server. */
export function MailsNote() {
  const { t } = useTexts();
  const features = useSession().data?.features;
  return features?.mail === false ? <Notice>{t("mails.none", { name: "PARLEY_SMTP_URL" })}</Notice> : null;
}
