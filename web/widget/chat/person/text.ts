// Who answers, in words.
import type { Translate } from "../translate";

export interface Person {
  /** Null where the company does not show names. */
  name: string | null;
  picture: string | null;
}

/** What has changed about who answers. */
export type PersonChange = "joined" | "left" | "ended" | "waiting" | "away";

/** Says who answers from here on. */
export function personText(t: Translate, change: PersonChange, person: Person | null): string {
  if (change === "away") return t("handover.away");
  const name = person?.name ?? "";
  return t(name ? `person.${change}Named` : `person.${change}`, { name });
}
