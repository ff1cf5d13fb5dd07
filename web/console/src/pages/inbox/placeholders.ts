// What stands in saved replies for names that are known once one is used.
import { withoutControls } from "../../../../shared/markdown/links";

export const placeholders = ["customer.name", "agent.name", "member.name"] as const;
export type Placeholder = (typeof placeholders)[number];

/** {{customer.name}}, or {{customer.name|there}}, which says what is written where there is no name. */
const pattern = /( ?)\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g;

const find = (name: string) => placeholders.find((one) => one === name.trim());

/** The text with names in place of placeholders. Where there is neither a name nor a word for that, the space before goes too. */
export const fillPlaceholders = (text: string, names: Readonly<Record<Placeholder, string>>): string =>
  text.replaceAll(pattern, (whole, space: string, name: string, otherwise = "") => {
    const found = find(name);
    if (!found) return whole;
    const word = withoutControls(names[found].replaceAll(/\s+/g, " ")).trim() || otherwise.trim();
    return word && space + word;
  });
