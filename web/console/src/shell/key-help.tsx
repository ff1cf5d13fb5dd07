import { Dialog } from "../components/dialog";
import { useTexts, type Key } from "../i18n";
import { showKey } from "./keys";
import styles from "./key-help.module.css";

const keys: readonly (readonly [string, Key])[] = [
  ["mod+k", "keys.commands"],
  ["mod+s", "keys.save"],
  ["?", "keys.help"],
  ["g i", "inbox.key"],
  ["g t", "tickets.key"],
  ["g a", "keys.agents"],
  ["g h", "keys.home"],
  ["g p", "keys.playground"],
  ["g s", "sources.key"],
  ["g m", "keys.me"],
  ["/", "keys.search"],
  ["j", "keys.next"],
  ["k", "keys.previous"],
  ["t", "inbox.takeOver"],
  ["i", "inbox.assign"],
  ["z", "inbox.snooze"],
  ["x", "inbox.chooseRow"],
  ["r", "inbox.reply"],
  ["n", "inbox.note"],
  ["a", "inbox.changeTicket"],
  ["e", "inbox.end"],
];

/** The list of keys. */
export function KeyHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <Dialog title={t("keys.title")} isOpen={isOpen} onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>{t(text)}</dt>
            <dd>
              <kbd dir="ltr">{showKey(key)}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>{t("keys.note")}</p>
    </Dialog>
  );
}
