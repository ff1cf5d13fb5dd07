// The servers of models of a company: those that answer, turn texts into vectors and order passages for its agents.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { APIError, hooks, request } from "./client";
import { useDraft, type Stored, type Values } from "./draft";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type ModelServer = Schemas["ModelServer"];
export type ModelServers = Schemas["ModelServers"];
export type ModelName = Schemas["ModelName"];
export type Kind = ModelServer["kind"];
export type ModelList = Schemas["ModelList"];
export type Outcome = Schemas["ModelServerOutcome"];

export const kinds: readonly Kind[] = ["chat", "embedding", "reranking"];

const queryKey = ["modelServers"];
const address = (rest = "") => `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/model-servers${rest}`;
const addressOf = (id: string, rest = "") => address(`/${encodeURIComponent(id)}${rest}`);

const lockedInterval = 15_000; // milliseconds: no event tells how the operator's servers do

/** All servers. Each event about one of them has them read again. */
export const useModelServers = (isEnabled: boolean) =>
  useQuery({
    queryKey,
    queryFn: ({ signal }) => request<ModelServers>("GET", address(), undefined, signal),
    enabled: isEnabled,
    refetchInterval: ({ state }) => (state.data?.servers.some(({ setBy }) => setBy) ? lockedInterval : false),
  });

/** What is set of a server, as its form has it. A stored key is never among it. */
export interface Settings {
  name: string;
  format: string;
  url: string;
  key: string;
  model: string;
  modelNames: string[];
  contextTokens: string;
  dimensions: string;
  /** Whether the stored key goes. */
  dropsKey: boolean;
}

const toText = (number: number) => (number > 0 ? String(number) : "");

export const settingsOf = (m: ModelServer): Settings => ({
  name: m.name,
  format: m.format,
  url: m.url,
  key: "",
  model: m.model,
  modelNames: m.modelNames,
  contextTokens: toText(m.contextTokens),
  dimensions: toText(m.dimensions),
  dropsKey: false,
});

// What is no number is sent as it was typed, and the server says what is wrong with it. Digits may be in groups.
function readNumber(text: string): number | string {
  const number = Number(text.replace(/\s/g, ""));
  return Number.isFinite(number) ? number : text;
}

/** What is sent of settings. */
export function bodyOf({ dropsKey, key, contextTokens, dimensions, ...rest }: Partial<Settings>): Values {
  return {
    ...rest,
    ...(dropsKey ? { key: "" } : key && { key }),
    ...(contextTokens !== undefined && { contextTokens: readNumber(contextTokens) }),
    ...(dimensions !== undefined && { dimensions: readNumber(dimensions) }),
  };
}

// bodyOfNew leaves out what servers of the kind do not have.
function bodyOfNew(kind: Kind, settings: Settings): Values {
  const { format, modelNames, contextTokens, dimensions, ...rest } = settings;
  const own = { chat: { format, modelNames, contextTokens }, embedding: { dimensions }, reranking: {} };
  return { kind, ...bodyOf({ ...rest, ...own[kind] }) };
}

/** Connects a server. The server asks who the person is. */
export const createModelServer = (kind: Kind, settings: Settings) =>
  request<ModelServer>("POST", address(), bodyOfNew(kind, settings));

/** Asks a server that is not stored; for a stored one that is being changed its key is used, if none is given. */
export const tryModelServer = (kind: Kind, settings: Settings, storedId?: string) =>
  request<Outcome>("POST", address("/test"), { ...bodyOfNew(kind, settings), ...(storedId && { modelServerId: storedId }) });

/** Asks a server for the names of its models, with the key of a stored one if none is given. */
export const listModels = (kind: Kind, { format, url, key, dropsKey }: Settings, storedId?: string) =>
  request<ModelList>("POST", address("/models"), {
    ...{ kind, url, ...(kind === "chat" && { format }), ...(key && { key }) },
    ...(storedId && !dropsKey && { modelServerId: storedId }),
  });

/** Asks a stored server, and keeps whether it works. */
export const tryStoredModelServer = (id: string) => request<Outcome>("POST", addressOf(id, "/test"));

/** Disconnects a server. One that answers for agents is refused, unless that is meant. */
export const removeModelServer = (id: string, evenIfUsed: boolean) =>
  request<unknown>("DELETE", addressOf(id, evenIfUsed ? "?evenIfUsed=true" : ""));

/** What the server says against removing one that answers for agents; null of other refusals. */
export const isUsed = (error: unknown) => error instanceof APIError && "evenIfUsed" in error.details;

const toStored = (m: ModelServer): Stored<string> => ({ version: m.updatedAt ?? "", settings: { ...settingsOf(m) } });

/** A stored server that is being changed. */
export function useModelServerDraft(id: string, server: ModelServer | undefined) {
  const client = useQueryClient();
  const stored = useMemo(() => server && toStored(server), [server]);
  const show = (now: ModelServer) =>
    client.setQueryData<ModelServers>(queryKey, (all) => {
      return all && { ...all, servers: all.servers.map((one) => (one.modelServerId === id ? now : one)) };
    });
  return useDraft(`model server ${id}`, stored, {
    save: async ({ version }, changes) => {
      const now = await request<ModelServer>("PATCH", addressOf(id), { ...bodyOf(changes), baseUpdatedAt: version });
      show(now);
      return toStored(now);
    },
    readPresent: async (refusal) => {
      if (!(refusal instanceof APIError) || refusal.code !== "MODEL_SERVER_CHANGED") return null;
      const present = await request<ModelServer>("GET", addressOf(id));
      show(present);
      return toStored(present);
    },
    readAgain: () => client.invalidateQueries({ queryKey }),
  });
}
