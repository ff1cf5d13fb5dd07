import type { Draft, DraftOptions } from "../../api/playground";
import { useAgentSettings, useSettingsDraft, type Values } from "../../api/settings";

/** The settings as they are on the screen. */
export interface Settings {
  instructions: string;
  model: string;
  temp: number;
}

const readSettings = (values: Values): Settings => ({
  instructions: String(values.instructions ?? ""),
  model: String(values.model ?? ""),
  temp: Number(values.temp ?? 0),
});

/** What has been changed of an agent's settings and not saved. Saved changes of others show through the rest. */
export function useDraft(agent: string, options: DraftOptions | undefined, without: readonly string[]) {
  const saved = useAgentSettings(agent);
  const changes = useSettingsDraft(agent, saved.data);
  const settings = readSettings(changes.values);
  const before = readSettings(saved.data?.settings ?? {});
  const draft: Draft = {};
  if (settings.instructions !== before.instructions) draft.instructions = settings.instructions;
  if (settings.model !== before.model) draft.model = settings.model;
  if (settings.temp !== before.temp) draft.temp = settings.temp;
  const names = options?.actions.map(({ name }) => name) ?? [];
  if (names.some((name) => without.includes(name))) draft.actions = names.filter((name) => !without.includes(name));
  return { saved, changes, settings, draft: Object.keys(draft).length > 0 ? draft : undefined };
}

export type DraftState = ReturnType<typeof useDraft>;
