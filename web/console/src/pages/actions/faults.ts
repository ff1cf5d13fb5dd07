import { APIError } from "../../api/client";
import { explainFault } from "../../faults";
import type { Key } from "../../i18n";
import type { Params } from "../../../../shared/i18n";

const ownFields = /^(inputs|steps)\./; // what is in them has fields of its own

/** What the server has said is wrong, by the path of the value and, where it has no field, by that of what it is in. */
export function inFields(error: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  if (!(error instanceof APIError)) return found;
  for (const [path, reason] of Object.entries(error.details as Record<string, string>)) {
    found[path] ??= reason;
    if (ownFields.test(path)) continue;
    for (let at = path; at; at = at.replace(/\.?[^.]*$/, "")) found[at] ??= reason;
  }
  return found;
}

/** Why the server refuses what is about no field alone: a procedure would not work any more. */
export function explainRefusal(error: unknown, t: (key: Key, params?: Params) => string, locale: string): string {
  const { usedBy } = error instanceof APIError ? error.details : {};
  return usedBy ? explainFault(usedBy, t, locale) : "";
}
