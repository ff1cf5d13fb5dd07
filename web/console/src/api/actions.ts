// What an agent can do besides answering: its actions, and the procedures that run them step by step.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { APIError, request } from "./client";
import { useDraft, type Stored, type Values } from "./draft";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type ToolHead = Schemas["ToolHead"];
export type ToolList = Schemas["ToolList"];
export type Input = Schemas["ActionInput"];
export type Step = Schemas["ProcedureStep"];
export type Trial = Schemas["TrialOutcome"];
export type StepOutcome = Schemas["StepOutcome"];
export type ToolFailure = Schemas["ToolFailure"];
export type SecretNote = Schemas["SecretNote"];
type Details = Schemas["ActionDetails"] | Schemas["ProcedureDetails"];

export const kinds = ["http", "client", "collect-leads", "custom-button", "escalate", "web-search", "procedure"] as const;
export type Kind = (typeof kinds)[number];

/** A header or a parameter. */
export type Pair = readonly [name: string, value: string];

/** What is set of an action or a procedure, as its form has it. A stored secret is never among it. */
export interface ToolValues {
  name: string;
  description: string;
  triggers: string; // a line each
  inputs: readonly Input[];
  enabled: boolean;
  method: string;
  url: string;
  headers: readonly Pair[];
  query: readonly Pair[];
  body: string; // JSON
  response: string; // a line each
  timeout: string;
  message: string;
  label: string;
  sites: string; // a line each
  secrets: Readonly<Record<string, string>>; // new ones
  steps: readonly Step[];
}

export const emptyValues: ToolValues = {
  ...{ name: "", description: "", triggers: "", inputs: [], enabled: true, method: "GET", url: "", headers: [], query: [] },
  ...{ body: "", response: "", timeout: "", message: "", label: "", sites: "", secrets: {}, steps: [] },
};

export const toLines = (list: readonly string[] | undefined) => (list ?? []).join("\n");
export const ofLines = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);

interface Config {
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  response?: string[];
  timeout?: number;
  message?: string;
  label?: string;
  sites?: string[];
}

export function valuesOf(details: Details): ToolValues {
  const config = ("config" in details ? details.config : {}) as Config;
  return {
    ...emptyValues,
    name: details.name,
    description: details.description,
    triggers: toLines(details.triggers),
    inputs: details.inputs ?? [],
    enabled: details.enabled,
    method: config.method || "GET",
    url: config.url ?? "",
    headers: Object.entries(config.headers ?? {}),
    query: Object.entries(config.query ?? {}),
    body: config.body === undefined ? "" : JSON.stringify(config.body, null, 2),
    response: toLines(config.response),
    timeout: config.timeout ? String(config.timeout) : "",
    message: config.message ?? "",
    label: config.label ?? "",
    sites: toLines(config.sites),
    steps: "steps" in details ? details.steps : [],
  };
}

/** The names of the secrets that a request names as ${NAME}, each once. */
export const secretNames = ({ url, headers, query, body }: ToolValues): string[] => [
  ...new Set(
    [url, body, ...[...headers, ...query].map(([, value]) => value)].flatMap((text) =>
      [...text.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(([, name]) => name!),
    ),
  ),
];

const keyHeaders = ["authorization", "proxy-authorization", "x-api-key", "api-key", "x-auth-token"];

/** Reports whether a header has a key written out in it, as manifests are checked for. */
export function hasOpenKey([name, value]: Pair): boolean {
  const last = value.trim().split(/\s+/).at(-1) ?? "";
  return keyHeaders.includes(name.trim().toLowerCase()) && last.length >= 8 && !/[{}]/.test(value);
}

const invalid = (path: string, reason: string) => new APIError(400, "VALIDATION_INVALID_BODY", reason, null, { [path]: reason });

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("config.body", "must be JSON");
  }
}

// A value without a name, and one of two of a name, would be lost: both are refused. Headers differ by more than their case.
function ofPairs(field: "headers" | "query", pairs: readonly Pair[]) {
  const given = pairs.filter((pair) => pair.some(Boolean));
  const names = given.map(([name]) => (field === "headers" ? name.toLowerCase() : name));
  if (names.includes("")) throw invalid(`config.${field}`, "is required");
  if (new Set(names).size < names.length) throw invalid(`config.${field}`, "stands twice");
  return Object.fromEntries(given);
}

// Seconds, also with the decimal sign of other languages.
function readSeconds(text: string): number {
  const seconds = Number(text.replace(",", "."));
  if (!Number.isFinite(seconds)) throw invalid("config.timeout", "must be from 0 to 30 seconds");
  return seconds;
}

// What is done, by kind. It throws for what cannot be sent as it was typed.
function configOf(kind: Kind, v: ToolValues): Config {
  switch (kind) {
    case "http":
      return {
        method: v.method,
        url: v.url,
        ...(v.query.length > 0 && { query: ofPairs("query", v.query) }),
        ...(v.headers.length > 0 && { headers: ofPairs("headers", v.headers) }),
        ...(v.method !== "GET" && v.body.trim() && { body: readBody(v.body) }),
        ...(v.response.trim() && { response: ofLines(v.response) }),
        ...(v.timeout.trim() && { timeout: readSeconds(v.timeout) }),
      };
    case "custom-button":
      return { label: v.label, url: v.url };
    case "web-search":
      return v.sites.trim() ? { sites: ofLines(v.sites) } : {};
    case "collect-leads":
    case "escalate":
      return v.message.trim() ? { message: v.message } : {};
    default:
      return {};
  }
}

const secretsOf = (v: ToolValues) => {
  const named = secretNames(v);
  return Object.fromEntries(Object.entries(v.secrets).filter(([name, value]) => value && named.includes(name)));
};

function bodyOf(kind: Kind, v: ToolValues): Values {
  const head = { name: v.name, description: v.description, triggers: ofLines(v.triggers), inputs: v.inputs };
  if (kind === "procedure") return { ...head, steps: v.steps };
  return { ...head, kind, config: configOf(kind, v), ...(kind === "http" && { secrets: secretsOf(v) }) };
}

const configFields = "method url headers query body response timeout message label sites".split(" ");

// Only what was changed is sent; what an action does is sent as a whole.
function changeOf(kind: Kind, base: ToolValues, changes: Values): Values {
  const whole = bodyOf(kind, { ...base, ...changes });
  const isSent = (name: string) => name in changes || (name === "config" && configFields.some((field) => field in changes));
  const body = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== "kind" && isSent(name)));
  return "enabled" in changes ? { ...body, enabled: changes.enabled } : body;
}

const address = (agent: string, kind: Kind | "action", rest = "") =>
  `/v1/agents/${encodeURIComponent(agent)}/${kind === "procedure" ? "procedures" : "actions"}${rest}`;
const addressOf = (agent: string, kind: Kind | "action", key: string) => address(agent, kind, `/${encodeURIComponent(key)}`);

const listKey = (agent: string) => ["actions", agent];

export const useTools = (agent: string) =>
  useQuery({
    queryKey: listKey(agent),
    queryFn: ({ signal }) => request<ToolList>("GET", address(agent, "action"), undefined, signal),
  });

/** An action or a procedure in full, for whoever may change it. */
export const useTool = (agent: string, kind: "action" | "procedure", key: string, isEnabled: boolean) =>
  useQuery({
    queryKey: [...listKey(agent), kind, key],
    queryFn: ({ signal }) => request<Details>("GET", addressOf(agent, kind, key), undefined, signal),
    enabled: isEnabled,
  });

export const addTool = (agent: string, kind: Kind, values: ToolValues) =>
  request<ToolHead>("POST", address(agent, kind), { ...bodyOf(kind, values), enabled: values.enabled });

export const switchTool = (agent: string, { kind, key }: ToolHead, enabled: boolean) =>
  request<ToolHead>("PATCH", addressOf(agent, kind as Kind, key), { enabled });

export const removeTool = (agent: string, kind: Kind, key: string) => request<unknown>("DELETE", addressOf(agent, kind, key));

/** Runs an action once. Of a stored one the secrets are used that are not given. */
export const tryAction = (agent: string, kind: Kind, values: ToolValues, input: Values, key?: string) =>
  request<Trial>("POST", address(agent, kind, "/try"), { ...bodyOf(kind, values), input, ...(key && { key }) });

/** Makes one step of a procedure, with what the steps before have returned. */
export const tryStep = (agent: string, values: ToolValues, step: number, input: Values, results: unknown, key?: string) =>
  request<StepOutcome>("POST", address(agent, "procedure", "/try"), {
    ...bodyOf("procedure", values),
    ...{ step, input, results },
    ...(key && { key }),
  });

const toStored = (details: Details): Stored<string> => ({ version: details.updatedAt, settings: { ...valuesOf(details) } });

/** An action or a procedure that is being changed. */
export function useToolDraft(agent: string, kind: Kind, details: Details) {
  const client = useQueryClient();
  const stored = useMemo(() => toStored(details), [details]);
  const key = [...listKey(agent), kind === "procedure" ? "procedure" : "action", details.key];
  const readAgain = () => client.invalidateQueries({ queryKey: listKey(agent) });
  return useDraft(key.join(" "), stored, {
    save: async ({ version, settings }, changes) => {
      const body = { ...changeOf(kind, settings as unknown as ToolValues, changes), baseUpdatedAt: version };
      const now = await request<Details>("PATCH", addressOf(agent, kind, details.key), body);
      client.setQueryData(key, now);
      void readAgain();
      return toStored(now);
    },
    readPresent: async (refusal) => {
      if (!(refusal instanceof APIError) || refusal.code !== "AGENT_CHANGED") return null;
      const present = await request<Details>("GET", addressOf(agent, kind, details.key));
      client.setQueryData(key, present);
      return toStored(present);
    },
    readAgain,
  });
}
