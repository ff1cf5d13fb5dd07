import type { DraftOptions } from "../../api/playground";
import type { Dispute } from "../../api/settings";
import { ConflictDialog } from "../../components/conflict";
import { Failed } from "../../components/states";
import { UnsavedBar } from "../../components/unsaved";
import { useTexts, type Key } from "../../i18n";
import type { DraftState } from "./draft";
import { isNotConnected } from "./models";

const names: Readonly<Record<string, Key>> = {
  name: "settings.name",
  instructions: "playground.instructions",
  model: "agent.model",
  temp: "playground.creativity",
  visibility: "settings.visibility",
  channelInstructions: "settings.channels",
};

interface Props {
  draft: DraftState;
  options: DraftOptions | undefined;
  maySave: boolean;
}

/** The model that is to be saved, if nobody has connected it. */
export const unconnectedModel = ({ draft }: DraftState, options: DraftOptions | undefined): string | undefined =>
  draft?.model && isNotConnected(options, draft.model) ? draft.model : undefined;

/** Says what of the draft is not saved, and saves it. Where somebody else has saved meanwhile, it asks whose stays. */
export function SaveDraft({ draft, options, maySave }: Props) {
  const { t } = useTexts();
  const { changes } = draft;
  const model = unconnectedModel(draft, options);
  const show = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const difference = ({ name, mine, theirs }: Dispute) => ({
    name: names[name] ? t(names[name]) : name,
    mine: show(mine),
    theirs: show(theirs),
  });
  return (
    <>
      {changes.error !== null && <Failed error={changes.error} />}
      <UnsavedBar
        count={changes.count}
        warning={model && t("playground.builtInAnswers", { model })}
        isSaving={changes.isSaving}
        onDiscard={changes.discard}
        onSave={maySave ? changes.save : undefined}
      />
      <ConflictDialog
        differences={changes.disputes.map(difference)}
        onKeepMine={changes.keepMine}
        onTakeTheirs={changes.takeTheirs}
        onClose={changes.closeConflict}
      />
    </>
  );
}
