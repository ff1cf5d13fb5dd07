// The provider of single sign-on that a company sets for its own people, and its domains.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { hooks, request } from "./client";
import type { components } from "./operator";

/** By the operator's word, a domain is proved without a record. */
export type SignInDomain = components["schemas"]["SignInDomain"];
export type SingleSignOn = components["schemas"]["SingleSignOn"];
export type Provider = components["schemas"]["SingleSignOnProvider"];
type Outcome = components["schemas"]["SingleSignOnOutcome"];

const queryKey = ["singleSignOn"];
const address = (rest = "") => `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/single-sign-on${rest}`;
const ofDomain = (domain: string, rest = "") => address(`/domains/${encodeURIComponent(domain)}${rest}`);

/** The provider and the domains of the company. */
export const useSingleSignOn = (isEnabled: boolean) =>
  useQuery({
    queryKey,
    queryFn: ({ signal }) => request<SingleSignOn>("GET", address(), undefined, signal),
    enabled: isEnabled,
  });

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  /** Left out, the stored one stays. */
  clientSecret?: string;
  name: string;
  joinRole: string;
}

/** What changes the provider and the domains. Each shows how they are then. */
export function useProviderChanges() {
  const client = useQueryClient();
  const change = async (method: string, path: string, body?: unknown) => {
    const changed = await request<SingleSignOn>(method, path, body);
    client.setQueryData(queryKey, changed);
    await client.invalidateQueries({ queryKey: ["session"] }); // whether people may have to sign in by it
  };
  return {
    set: (settings: ProviderSettings) => change("PUT", address(), settings),
    remove: () => change("DELETE", address()),
    addDomain: (domain: string) => change("POST", address("/domains"), { domain }),
    proveDomain: (domain: string) => change("POST", ofDomain(domain, "/proof")),
    removeDomain: (domain: string) => change("DELETE", ofDomain(domain)),
  };
}

/** Has the server ask the provider for its description and its keys. */
export const askProvider = () => request<Outcome>("POST", address("/test"));

/** Where an owner goes to sign in by the provider, after which it counts. */
export const trialAddress = () => `/console/api/v1/session/oidc?try=true&account=${encodeURIComponent(hooks.account ?? "")}`;
