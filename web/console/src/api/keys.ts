// The API keys of a company.
import { useQuery } from "@tanstack/react-query";
import { hooks, request } from "./client";
import { usePages } from "./pages";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type Key = Schemas["Key"];
export type CreatedKey = Schemas["CreatedKey"];

/** What a key may be limited to. */
export const scopes = ["agents", "sources", "chatlogs", "helpdesk_tickets"].flatMap((subject) => {
  const acts = subject === "chatlogs" ? ["write", "export", "delete"] : ["read", "write", "delete"];
  return acts.map((act) => `${subject}:${act}`);
});

export const useKeys = (areRevoked: boolean, isEnabled: boolean) =>
  usePages<Key>(["keys", areRevoked], `/v1/keys?limit=50${areRevoked ? "&revoked=true" : ""}`, isEnabled);

export interface NewKey {
  name: string;
  /** Left out for all. */
  scopes?: string[];
  /** Left out for a key without an end. */
  expiresAt?: string;
}

/** Makes a key, which is told this once. The server asks who the person is. */
export const createKey = (key: NewKey) =>
  request<CreatedKey>("POST", `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/keys`, key);
export const revokeKey = (id: string) => request<unknown>("DELETE", `/v1/keys/${encodeURIComponent(id)}`);

export type Pairing = Schemas["Pairing"];

const pairingAddress = (code: string, rest = "") =>
  `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/pairings/${encodeURIComponent(code)}${rest}`;

/** The command line that waits with a code. */
export const usePairing = (code: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ["pairing", code],
    queryFn: ({ signal }) => request<Pairing>("GET", pairingAddress(code), undefined, signal),
    enabled: isEnabled,
    refetchOnWindowFocus: false,
  });

/** Lets the command line have a key. The server asks who the person is. */
export const approvePairing = (code: string, scopes: readonly string[]) =>
  request<unknown>("POST", pairingAddress(code, "/approval"), { scopes });
export const denyPairing = (code: string) => request<unknown>("POST", pairingAddress(code, "/denial"));
