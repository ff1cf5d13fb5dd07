// The settings of an agent as the screen has them: one value for each field, by its place.
import type { Shape, Values } from "../../api/settings";
import { LineFault, type Said } from "../../components/fault";

type Part = Readonly<Record<string, unknown>>;

/** The groups of settings whose members are fields, with the value of each that was never set. */
const groups: Readonly<Record<string, Part>> = {
  widget: { dailyCredits: null, dailyCreditsPerVisitor: null, blockedRanges: [] },
  ipRateLimits: { limit: 20, timeframe: 240, message: "" },
};

function toValues(settings: Values): Values {
  const values: Record<string, unknown> = { allowedDomains: settings.allowedDomains ?? null };
  for (const [group, presets] of Object.entries(groups)) {
    const stored = (settings[group] ?? {}) as Part;
    for (const [field, preset] of Object.entries(presets)) values[`${group}.${field}`] = stored[field] ?? preset;
  }
  return values;
}

function toSettings(changes: Values): Values {
  const settings: Record<string, Record<string, unknown> | unknown> = {};
  for (const [name, value] of Object.entries(changes)) {
    const [group, field] = name.split(".") as [string, string | undefined];
    if (field === undefined) settings[name] = value;
    else settings[group] = { ...(settings[group] as Part | undefined), [field]: value };
  }
  return settings;
}

/** Whether the agent has its center stage; that it is off is what was never set. */
export const hasStage = ({ styles }: Values): boolean => {
  const stage = (styles as Part | undefined)?.centerStage as Part | null | undefined;
  return stage?.enabled === true;
};

export const shape: Shape = { name: "/embed", toValues, toSettings };

/** The faults that a refusal names, by the fields. That of one range is the fault of all, and says which it is. */
export function readFaults(details: Said, values: Values): Said {
  const found: Record<string, unknown> = {};
  for (const [path, reason] of Object.entries(details)) {
    const [, list, index] = /^settings\.(widget\.blockedRanges|allowedDomains)\.(\d+)$/.exec(path) ?? [];
    const line = list && (values[list] as readonly string[] | null)?.[Number(index)];
    const name = list ? `settings.${list}` : path;
    found[name] ??= line ? new LineFault(line, reason) : reason;
  }
  return found;
}
