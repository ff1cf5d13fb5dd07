// What settings and their values are called, in words.
import { useTexts } from "../../i18n";
import { writeLines } from "../agent-manifest/lines";
import { useChannelName } from "./channel-names";
import { groups, labels, type Channel } from "./fields";

/** A value as a person reads it. */
export function useValueText() {
  const { t } = useTexts();
  return (value: unknown): string => {
    if (value === "public" || value === "private") return t(`agent.${value}`);
    if (typeof value === "boolean") return t(value ? "settings.on" : "settings.off");
    if (value === null || value === undefined || value === "") return t("settings.nothing");
    if (typeof value === "string" || typeof value === "number") return String(value);
    const isPlain = Array.isArray(value) && value.every((one) => typeof one === "string");
    return isPlain ? value.join("\n") : writeLines(value) || t("settings.nothing");
  };
}

/** What a setting is called, by its path; the path itself where it has no name. */
export function useSettingName() {
  const { t } = useTexts();
  const channelName = useChannelName();
  return (path: string): string => {
    const [group = "", channel] = path.split(".");
    if (group === "channelInstructions" && channel) return channelName(channel as Channel);
    const key = labels[path] ?? groups[path];
    return key ? t(key) : path;
  };
}

/** A setting that differs between two versions. */
export interface Difference {
  path: string;
  before: unknown;
  after: unknown;
}

const isGroup = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** What differs between two values, by the paths of their parts. Instructions of a channel are one value. */
export function findDifferences(before: unknown, after: unknown, path = ""): Difference[] {
  const isWhole = /^channelInstructions\./.test(path);
  const [old, now] = [before ?? {}, after ?? {}];
  if ((isGroup(before) || isGroup(after)) && isGroup(old) && isGroup(now) && !isWhole) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name) => findDifferences(old[name], now[name], path ? `${path}.${name}` : name));
  }
  return JSON.stringify(before ?? null) === JSON.stringify(after ?? null) ? [] : [{ path, before, after }];
}
