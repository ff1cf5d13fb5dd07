import { useSession } from "../api/session";
import { useTexts } from "../i18n";
import { Notice } from "./notice";

/** Says that no mail comes, where the server has nothing to send it by. */
export function MailsNote() {
  const { t } = useTexts();
  const features = useSession().data?.features;
  return features?.mail === false ? <Notice>{t("mails.none", { name: "PARLEY_SMTP_URL" })}</Notice> : null;
}
