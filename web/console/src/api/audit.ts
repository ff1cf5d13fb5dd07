// What was done to a company, by whom and when.
import { useQuery } from "@tanstack/react-query";
import { hooks, request, requestFile } from "./client";
import { usePages } from "./pages";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type Act = Schemas["AuditAct"];
export type Actor = Schemas["AuditActor"];
export type Check = Schemas["AuditCheckResult"];

/** What narrows the list; days are those of the person's clock. */
export interface AuditFilter {
  actor: string;
  action: string;
  from: string;
  to: string;
}

const address = (rest = "") => `/v1/accounts/${encodeURIComponent(hooks.account ?? "")}/audit${rest}`;

// The moment at which a day begins where the person is; empty for what is no day.
function startOf(day: string, daysLater = 0): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const moment = new Date(year, month - 1, date + daysLater);
  return day && !Number.isNaN(moment.getTime()) ? moment.toISOString() : "";
}

function queryOf({ actor, action, from, to }: AuditFilter, more: Record<string, string>): string {
  const end = startOf(to, 1);
  const last = end && new Date(Date.parse(end) - 1).toISOString(); // the server includes the end
  const given = Object.entries({ actor, action, from: startOf(from), to: last, ...more }).filter(([, value]) => value);
  return `?${new URLSearchParams(given)}`;
}

export const useAudit = (filter: AuditFilter, isEnabled: boolean) =>
  usePages<Act>(["audit", filter], address(queryOf(filter, { limit: "50" })), isEnabled);

/** By whom and by what the list can be narrowed. */
export const useAuditChoices = (isEnabled: boolean) =>
  useQuery({
    queryKey: ["audit", "choices"],
    queryFn: ({ signal }) => request<Schemas["AuditChoices"]>("GET", address("/choices"), undefined, signal),
    enabled: isEnabled,
  });

/** Checks the chain step by step, tells each, and returns the last. A hash is looked for on the way. */
export async function verifyAudit(tell: (step: Check) => void, look = ""): Promise<Check> {
  let step: Check | undefined;
  do {
    const given = { after: step ? String(step.checked) : "", hash: step?.hash ?? "", look };
    const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value));
    step = await request<Check>("GET", address(`/verify${query.size > 0 ? `?${query}` : ""}`));
    tell(step);
  } while (!step.done);
  return step;
}

/** Reports whether an entry of the chain has the hash. */
export async function hasAuditHash(hash: string): Promise<boolean> {
  let isThere = false;
  await verifyAudit((step) => (isThere ||= step.found), hash);
  return isThere;
}

/** The acts that the filter leaves, as a file. The server asks who the person is. */
export const exportAudit = (filter: AuditFilter, format: "jsonl" | "csv") => requestFile(address(`/export${queryOf(filter, { format })}`));
