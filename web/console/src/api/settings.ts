// The settings of an agent, and saving them while others do.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { APIError, request } from "./client";
import { useDraft, type Stored, type Values } from "./draft";
import type { components } from "./operator";

export { findDisputes, type Dispute, type Values } from "./draft";

export type AgentSettings = Stored<number>;

const address = (id: string) => `/v1/agents/${encodeURIComponent(id)}/settings`;

export const useAgentSettings = (id: string) =>
  useQuery({
    queryKey: ["settings", id],
    queryFn: ({ signal }) => request<AgentSettings>("GET", address(id), undefined, signal),
  });

/** Changes settings, unless somebody has changed the agent since the version: then it fails with AGENT_CHANGED. */
export const saveAgentSettings = (id: string, baseVersion: number, settings: Values) =>
  request<AgentSettings>("PATCH", address(id), { baseVersion, settings });

export type AgentVersion = components["schemas"]["AgentVersion"];

/** The versions of the settings that are kept, the newest first. */
export const useHistory = (id: string) =>
  useQuery({
    queryKey: ["settings", id, "history"],
    queryFn: ({ signal }) =>
      request<components["schemas"]["AgentHistory"]>("GET", `/v1/agents/${encodeURIComponent(id)}/history`, undefined, signal),
  });

const versionAddress = (id: string, version: number) => `/v1/agents/${encodeURIComponent(id)}/history/${version}`;

export const useAgentVersion = (id: string, version: number) =>
  useQuery({
    queryKey: ["settings", id, "version", version],
    queryFn: ({ signal }) => request<AgentSettings>("GET", versionAddress(id, version), undefined, signal),
  });

/** Restores the settings of a version, unless somebody has changed it since the base version. */
export const restoreVersion = (id: string, version: number, baseVersion: number) =>
  request<AgentSettings>("POST", `${versionAddress(id, version)}/restore`, { baseVersion });

/** Returns the settings that a refusal tells, if it is because somebody else has changed the agent. */
export function readConflict(error: unknown): AgentSettings | null {
  if (!(error instanceof APIError) || error.code !== "AGENT_CHANGED") return null;
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(error.details as Record<string, string>)) {
    if (name.startsWith("settings.")) settings[name.slice("settings.".length)] = JSON.parse(value);
  }
  return { version: Number(error.details.version), settings };
}

/** Which values a screen shows of the settings, by names of its own, and the settings that they are. */
export interface Shape {
  /** Of the drafts of its screen. */
  name: string;
  toValues: (settings: Values) => Values;
  /** `stored` are the values that the changes rest on: of some settings the server replaces all parts at once. */
  toSettings: (changes: Values, stored: Values) => Values;
}

const whole: Shape = { name: "", toValues: (settings) => settings, toSettings: (changes) => changes };

const reshape = ({ version, settings }: AgentSettings, shape: Shape): AgentSettings => ({ version, settings: shape.toValues(settings) });

/** Settings that are being changed. */
export function useSettingsDraft(id: string, stored: AgentSettings | undefined, shape: Shape = whole) {
  const client = useQueryClient();
  const saved = useMemo(() => stored && reshape(stored, shape), [stored, shape]);
  const queryKey = ["settings", id];
  return useDraft(id + shape.name, saved, {
    save: async ({ version, settings }, changes) => {
      const now = await saveAgentSettings(id, version, shape.toSettings(changes, settings));
      client.setQueryData(queryKey, now);
      return reshape(now, shape);
    },
    readPresent: async (refusal) => {
      const present = readConflict(refusal);
      return present && reshape(present, shape);
    },
    readAgain: () => client.invalidateQueries({ queryKey }),
  });
}
