import type { Draft, DraftOptions } from "../../api/playground";
import { useAgentSettings, useSettingsDraft, type Values } from "../../api/settings";
import { addText, textOf, type ByChannel } from "./channel-text";

/** The settings as they are on the screen. */
export interface Settings {
  instructions: string;
  model: string;
  temp: number;
  channelInstructions: ByChannel | null;
}

const readSettings = (values: Values): Settings => ({
  instructions: String(values.instructions ?? ""),
  model: String(values.model ?? ""),
  temp: Number(values.temp ?? 0),
  channelInstructions: (values.channelInstructions ?? null) as ByChannel | null,
});

/** What is asked: the instructions with those of the channel that is tried. */
const instructionsOf = ({ instructions, channelInstructions }: Settings, channel: string) =>
  addText(instructions, textOf(channelInstructions, channel));

const orNone = (draft: Draft) => (Object.keys(draft).length > 0 ? draft : undefined);

/**
 * What has been changed of an agent's settings and not saved. Saved changes of others show through the rest. `draft` is
 * what is asked, `present` what is asked beside it as saved, and `differences` where the two differ.
 */
export function useDraft(agent: string, options: DraftOptions | undefined, without: readonly string[], channel: string) {
  const saved = useAgentSettings(agent);
  const changes = useSettingsDraft(agent, saved.data);
  const settings = readSettings(changes.values);
  const before = readSettings(saved.data?.settings ?? {});
  const [asked, saidBefore] = [instructionsOf(settings, channel), instructionsOf(before, channel)];
  const draft: Draft = {};
  if (settings.model !== before.model) draft.model = settings.model;
  if (settings.temp !== before.temp) draft.temp = settings.temp;
  const names = options?.actions.map(({ name }) => name) ?? [];
  if (names.some((name) => without.includes(name))) draft.actions = names.filter((name) => !without.includes(name));
  const ask = (instructions: string, other: string): Draft => (instructions === other ? {} : { instructions });
  return {
    ...{ saved, changes, settings },
    draft: orNone({ ...ask(asked, before.instructions), ...draft }),
    present: orNone(ask(saidBefore, before.instructions)),
    differences: orNone({ ...ask(asked, saidBefore), ...draft }),
  };
}

export type DraftState = ReturnType<typeof useDraft>;
