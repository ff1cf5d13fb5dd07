import { useMay, useMembership } from "../api/session";
import { useTexts, type Key } from "../i18n";
import { Icon } from "./icon";
import styles from "./role-note.module.css";

/** What each role may not do here. It is written so that texts.js takes no text to be named by the type: each page has its own. */
type Note = Extract<Key, `${"role"}.${string}`>;

/** Says what the person's role may not do on a screen, and who can change that. Nothing where they have the permission. */
export function RoleNote({ needs, note }: { needs: string; note: Note }) {
  const { t } = useTexts();
  const may = useMay(needs);
  const membership = useMembership();
  if (may || !membership) return null;
  const role = t(`redeem.role.${membership.role}`);
  return (
    <p className={styles.note}>
      <Icon name="user" size={16} />
      <span>
        {t(note, { role })} {t("role.who", { company: membership.accountName })}
      </span>
    </p>
  );
}
