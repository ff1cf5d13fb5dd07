// The API keys of a company.
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
