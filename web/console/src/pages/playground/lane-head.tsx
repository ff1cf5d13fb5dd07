import type { Draft } from "../../api/playground";
import { useTexts } from "../../i18n";
import styles from "./playground.module.css";

/** Says which settings a column is asked with, and how they differ. */
export function LaneHead({ isDraft, draft }: { isDraft: boolean; draft: Draft | undefined }) {
  const { t, locale } = useTexts();
  const differences: string[] = [];
  if (isDraft && draft?.instructions !== undefined) differences.push(t("playground.otherInstructions"));
  if (isDraft && draft?.model !== undefined) differences.push(t("playground.otherModel", { model: draft.model }));
  if (isDraft && draft?.temp !== undefined) {
    differences.push(t("playground.otherTemp", { temp: new Intl.NumberFormat(locale).format(draft.temp) }));
  }
  if (isDraft && draft?.actions) differences.push(t("playground.otherActions", { count: draft.actions.length }));
  if (differences.length === 0) differences.push(t(isDraft ? "playground.noChanges" : "playground.asSaved"));
  return (
    <header className={styles.laneHead}>
      <strong>{t(isDraft ? "playground.draft" : "playground.saved")}</strong>
      <ul>
        {differences.map((difference) => (
          <li key={difference}>
            <bdi>{difference}</bdi>
          </li>
        ))}
      </ul>
    </header>
  );
}
