import type { Draft } from "../../api/playground";
import { useTexts } from "../../i18n";
import type { Exchange, Lane } from "./conversation";
import styles from "./playground.module.css";

interface Props {
  isDraft: boolean;
  /** Where the draft is not as what is saved, for the next question. */
  differences: Draft | undefined;
  /** The version of the settings that are saved. */
  version: number;
  /** Both columns, as what is saved and as the draft. */
  lanes: readonly Lane[];
}

/** Says with which settings the last answer of a column came about, and with which the next one will if they differ. */
export function LaneHead({ isDraft, differences, version, lanes }: Props) {
  const { t, locale } = useTexts();
  const describe = useDescription();
  const next = isDraft ? describe(differences) : [t("playground.asSaved")];
  const [saved, last] = [lanes[0]?.exchanges.at(-1), lanes[isDraft ? 1 : 0]?.exchanges.at(-1)];
  let [shown, isOther] = [next, false];
  if (last && isDraft && last.isStored) {
    [shown, isOther] = [[t("playground.draftThen")], true]; // what was tried of the settings is not stored
  } else if (last && isDraft) {
    const asked = findDifferences(saved?.draft, last.draft);
    [shown, isOther] = [describe(asked), JSON.stringify(asked) !== JSON.stringify(differences)];
  } else if (last && !isOfVersion(last, version)) {
    [shown, isOther] = [[t("playground.asSavedThen")], true];
  }
  const list = new Intl.ListFormat(locale, { type: "unit", style: "short" });
  return (
    <header className={styles.laneHead}>
      <strong>{t(isDraft ? "playground.draft" : "playground.saved")}</strong>
      <ul>
        {shown.map((difference) => (
          <li key={difference}>
            <bdi>{difference}</bdi>
          </li>
        ))}
      </ul>
      {isOther && <p>{t("playground.nextQuestion", { settings: list.format(next) })}</p>}
    </header>
  );
}

/** Where a draft that was asked differs from what was asked beside it. */
function findDifferences(saved: Draft | undefined, draft: Draft | undefined): Draft | undefined {
  const { instructions, ...others } = draft ?? {};
  const found = { ...(instructions !== undefined && instructions !== saved?.instructions && { instructions }), ...others };
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Reports whether an answer came about with the version; one that is still written has no other. */
function isOfVersion({ answer, isStored }: Exchange, version: number): boolean {
  const asked = answer.metadata?.explain?.configVersion;
  return asked === undefined ? !isStored : asked === version;
}

function useDescription(): (draft: Draft | undefined) => string[] {
  const { t, locale } = useTexts();
  return (draft) => {
    const all: string[] = [];
    if (draft?.instructions !== undefined) all.push(t("playground.otherInstructions"));
    if (draft?.model !== undefined) all.push(t("playground.otherModel", { model: draft.model }));
    if (draft?.temp !== undefined) {
      all.push(t("playground.otherTemp", { temp: new Intl.NumberFormat(locale).format(draft.temp) }));
    }
    if (draft?.actions) all.push(t("playground.otherActions", { count: draft.actions.length }));
    return all.length > 0 ? all : [t("playground.noChanges")];
  };
}
