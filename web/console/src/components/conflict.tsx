import { useTexts } from "../i18n";
import { Button } from "./button";
import { Actions, Dialog } from "./dialog";
import styles from "./conflict.module.css";

export interface Difference {
  name: string;
  mine: string;
  theirs: string;
}

interface Props {
  /** The fields that both have changed; the dialog is open if there are any. */
  differences: readonly Difference[];
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

/** Asks whose version stays, when somebody else has saved in the meantime. */
export function ConflictDialog({ differences, onKeepMine, onTakeTheirs, onClose }: Props) {
  const { t } = useTexts();
  return (
    <Dialog role="alertdialog" title={t("conflict.title")} isOpen={differences.length > 0} onClose={onClose}>
      <p>{t("conflict.text")}</p>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t("conflict.setting")}</th>
            <th scope="col">{t("conflict.mine")}</th>
            <th scope="col">{t("conflict.theirs")}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ name, mine, theirs }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td dir="auto">{mine}</td>
              <td dir="auto">{theirs}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Actions>
        <Button onPress={onTakeTheirs}>{t("conflict.take")}</Button>
        <Button kind="primary" onPress={onKeepMine}>
          {t("conflict.keep")}
        </Button>
      </Actions>
    </Dialog>
  );
}
