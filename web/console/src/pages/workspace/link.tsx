import type { SignInLink } from "../../api/members";
import { Button } from "../../components/button";
import { Code } from "../../components/code";
import { Actions } from "../../components/dialog";
import { formatDate, useTexts } from "../../i18n";

/** Says that a link was mailed, or shows it, this once. */
export function LinkShown({ link, onClose }: { link: SignInLink; onClose: () => void }) {
  const { t, locale } = useTexts();
  const when = formatDate(link.expiresAt, locale);
  return (
    <>
      <p role="status">{t(link.mailed ? "members.mailed" : "members.linkShown", { email: link.email, when })}</p>
      {!link.mailed && <Code label={t("members.linkLabel")} text={link.link} />}
      <Actions>
        <Button kind="primary" onPress={onClose} autoFocus>
          {t("dialog.done")}
        </Button>
      </Actions>
    </>
  );
}
