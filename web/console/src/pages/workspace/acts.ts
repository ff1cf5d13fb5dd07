// What was done to a company, as sentences. The server names each act by a code and says what it was done to.
import type { Act } from "../../api/audit";
import type { Texts } from "../../i18n";
import { groups, labels } from "../agent-settings/fields";

type Details = Readonly<Record<string, unknown>>;

const text = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : "");
const firstOf = (...values: unknown[]) => values.map(text).find(Boolean) ?? "";

/** The act as a sentence in the language of the page; its code where there is no sentence for it. */
export function sayAct(act: Act, { t, has, locale }: Texts): string {
  const key = `act.${act.action}`;
  if (!has(key)) return act.action;
  const details = (act.details ?? {}) as Details;
  const params = readParams(act, details, { t, has, locale });
  const what = act.action === "agent.change" ? namesOfSettings(details["settings"], t) : [];
  if (what.length === 0) return t(key, params);
  if (firstOf(...(details["settings"] as unknown[])) === "instructions" && what.length === 1) return t("audit.changedInstructions", params);
  return t("audit.changedWhat", { ...params, what: new Intl.ListFormat(locale, { type: "conjunction" }).format(what) });
}

/** What an act is called where nothing says what it was done to. */
export function nameOfAction(action: string, { t, has }: Texts): string {
  const key = `act.${action}`;
  const gap = "…";
  return has(key) ? t(key, { name: gap, agent: gap, number: gap, role: gap, version: gap }) : action;
}

/** What fills the gaps of a sentence: names as they were then, or as they are now, and ids of what has none any more. */
function readParams(act: Act, details: Details, { t, has }: Texts) {
  const role = `members.role.${text(details["role"])}`;
  const { name, label, email, key, endpoint, ticketNumber, version } = details;
  const agent = firstOf(act.agentName, details["agent"], act.subject) || t("audit.noName");
  return {
    name: firstOf(name, label, act.subjectName, email, endpoint, key, act.subject) || t("audit.noName"),
    agent,
    number: firstOf(ticketNumber, act.subject),
    role: has(role) ? t(role) : text(details["role"]),
    version: text(version),
  };
}

/** The names of settings of an agent, each once. */
function namesOfSettings(settings: unknown, t: Texts["t"]): string[] {
  if (!Array.isArray(settings)) return [];
  const names = settings.map(text).map((name) => {
    const key = labels[name] ?? groups[name];
    return key ? t(key) : name;
  });
  return [...new Set(names)].filter(Boolean);
}
