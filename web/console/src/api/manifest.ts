// Agents as one text, which says what they shall be.
import { useQuery } from "@tanstack/react-query";
import { hooks, request } from "./client";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type Applied = Schemas["ApplyResult"];
export type ManifestChange = Schemas["Change"];

/** An agent as a manifest, which may hold secrets that were written into it. */
export const useManifest = (agent: string, isWanted: boolean) =>
  useQuery({
    queryKey: ["agent", agent, "manifest"],
    queryFn: ({ signal }) =>
      request<Schemas["ExportedAgent"]>("GET", `/v1/agents/${encodeURIComponent(agent)}/manifest?text=true`, undefined, signal),
    enabled: isWanted,
    refetchOnWindowFocus: false, // each reading is in the audit log
    gcTime: 0,
  });

export interface ManifestText {
  text: string;
  /** What stands for ${NAME}, by name. */
  secrets: Readonly<Record<string, string>>;
  /** Whether what has a key and is not in the text is deleted. */
  prune: boolean;
}

/** Makes agents what a manifest says or, in a dry run, says what that would change. */
export const applyManifest = ({ text, secrets, prune }: ManifestText, dryRun: boolean) =>
  request<Schemas["ManifestResult"]>("POST", `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/manifest`, {
    documents: [],
    text,
    secrets,
    prune,
    dryRun,
  });
