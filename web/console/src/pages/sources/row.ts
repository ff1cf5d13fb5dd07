import type { Key } from "../../i18n";

/** What can be done with a source. */
export type RowAction = "open" | "refetch" | "delete";

/** The name of a kind of source. */
export const typeKey = (type: string) => `sources.types.${type}` as Key;
