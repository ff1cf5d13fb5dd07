// Since when a secret is stored, and who has given it. Its value is never shown.
import type { components } from "../api/operator";
import { formatDate, useTexts } from "../i18n";
import { showName } from "../names";

type Author = components["schemas"]["Author"];

/** Returns what tells it in a sentence. */
export function useSecretNote(): (at: string, by: Author | null) => string {
  const { t, locale } = useTexts();
  return (at, by) => {
    const when = formatDate(at, locale);
    const who = by?.name ? showName(by.name, t) : by?.kind === "operator" ? t("members.operator") : "";
    return who ? t("secret.setBy", { when, who }) : t("secret.set", { when });
  };
}
