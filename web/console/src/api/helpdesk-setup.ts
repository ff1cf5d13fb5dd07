// What a helpdesk is set up by: statuses, teams with shifts, routing rules, and SLA targets.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { request } from "./client";
import type { Category, Team, TicketStatus } from "./tickets";
import type { components } from "./operator";

type Schemas = components["schemas"];
export type Rule = Schemas["Rule"];
export type Condition = Schemas["Condition"];
export type RouteResult = Schemas["RouteResult"];
export type RuleResult = Schemas["RuleResult"];
export type Shift = Schemas["WorkingHours"];

export const strategies = ["round_robin", "balanced", "manual"] as const;
export type Strategy = (typeof strategies)[number];
export const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export const conditionFields = ["subject", "body", "email", "domain", "channel", "priority"] as const;
export const operators = ["is", "is_not", "contains", "not_contains", "starts_with", "ends_with"] as const;

const encode = encodeURIComponent;
const address = (agentId: string, rest: string) => `/v1/agents/${encode(agentId)}${rest}`;

export interface StatusValues {
  label: string;
  /** Empty is the label. */
  externalLabel: string;
  /** Empty for none. */
  color: string;
}

export const addStatus = (agentId: string, category: Category, values: StatusValues) =>
  request<TicketStatus>("POST", address(agentId, "/statuses"), { category, default: false, ...values });
export const changeStatus = (agentId: string, id: string, values: StatusValues) =>
  request<TicketStatus>("PATCH", address(agentId, `/statuses/${encode(id)}`), values);
export const makeStatusDefault = (agentId: string, id: string) =>
  request<TicketStatus>("POST", address(agentId, `/statuses/${encode(id)}/default`));
export const archiveStatus = (agentId: string, id: string) =>
  request<TicketStatus>("POST", address(agentId, `/statuses/${encode(id)}/archive`));

export interface TeamValues {
  name: string;
  strategy: string;
  /** Null is no limit. */
  maxOpen: number | null;
  /** None is always. */
  hours: readonly Shift[];
}

export const addTeam = (agentId: string, { maxOpen, ...values }: TeamValues) =>
  request<Team>("POST", address(agentId, "/teams"), { default: false, ...values, ...(maxOpen !== null && { maxOpen }) });
/** Changes a team. Where it is not made the default, the default stays where it is. */
export const changeTeam = (agentId: string, id: string, values: Partial<TeamValues> & { default?: boolean }) =>
  request<Team>("PATCH", address(agentId, `/teams/${encode(id)}`), { default: false, ...values });
export const removeTeam = (agentId: string, id: string) => request<unknown>("DELETE", address(agentId, `/teams/${encode(id)}`));

const ofMember = (agentId: string, team: string, email: string) => address(agentId, `/teams/${encode(team)}/members/${encode(email)}`);
export const joinTeam = (agentId: string, team: string, email: string, values: { away?: boolean } = {}) =>
  request<Team>("PUT", ofMember(agentId, team, email), values);
export const leaveTeam = (agentId: string, team: string, email: string) => request<Team>("DELETE", ofMember(agentId, team, email));

export const useRules = (agentId: string) =>
  useQuery({
    queryKey: ["rules", agentId],
    queryFn: ({ signal }) => request<Rule[]>("GET", address(agentId, "/rules"), undefined, signal),
  });

export interface NewRule {
  name: string;
  all: readonly Condition[];
  any: readonly Condition[];
  /** The id of a team; left out where the rule names a member alone. */
  team?: string;
  /** An e-mail address. */
  assignee?: string;
}

const ofRule = (agentId: string, key: string, rest = "") => address(agentId, `/rules/${encode(key)}${rest}`);
export const addRule = (agentId: string, rule: NewRule) => request<Rule[]>("POST", address(agentId, "/rules"), { disabled: false, ...rule });
/** Changes all of a rule but its place and whether it is in force. */
export const replaceRule = (agentId: string, key: string, rule: NewRule) => request<Rule[]>("PUT", ofRule(agentId, key), rule);
export const removeRule = (agentId: string, key: string) => request<Rule[]>("DELETE", ofRule(agentId, key));
export const switchRule = (agentId: string, key: string, on: boolean) => request<Rule[]>("PUT", ofRule(agentId, key, "/enabled"), { on });
/** Moves a rule to another place, which counts from 1. */
export const moveRule = (agentId: string, key: string, to: number) => request<Rule[]>("POST", ofRule(agentId, key, "/move"), { to });

export type Target = Schemas["SLATarget"];

export const useTargets = (agentId: string) =>
  useQuery({
    queryKey: ["targets", agentId],
    queryFn: ({ signal }) => request<Target[]>("GET", address(agentId, "/sla-targets"), undefined, signal),
  });
/** Replaces all targets of an agent. */
export const replaceTargets = (agentId: string, targets: readonly Target[]) =>
  request<Target[]>("PUT", address(agentId, "/sla-targets"), { targets });

export interface TriedTicket {
  subject: string;
  description: string;
  email: string;
  channel?: string;
  priority?: string;
}

/** Says where a ticket would go, and why. No ticket is opened. */
export const tryRoute = (agentId: string, ticket: TriedTicket) => request<RouteResult>("POST", address(agentId, "/route"), ticket);

/** Returns what has the parts of the set-up read again that were changed here. */
export function useSetupChange(agentId: string) {
  const client = useQueryClient();
  return () => Promise.all(["statuses", "teams", "rules", "targets"].map((word) => client.invalidateQueries({ queryKey: [word, agentId] })));
}
