import type { Texts } from "./i18n";

/** Returns a text of the catalog in the customer's language. */
export type Translate = Texts["t"];
