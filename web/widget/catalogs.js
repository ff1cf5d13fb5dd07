// Catalogs of texts as they are loaded: without the keys, which English has, in the order of English.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "locales");
const keys = Object.keys(JSON.parse(readFileSync(join(folder, "en.json"), "utf8")));

/** The texts of a catalog, in the order of English; null where one is missing. */
export const textsOf = (catalog) => keys.map((key) => catalog[key] ?? null);

/** A plugin of Vite. */
export function withoutKeys() {
  return {
    name: "without-keys",
    enforce: "pre",
    transform(code, id) {
      if (!id.startsWith(folder) || id.endsWith("/en.json")) return null;
      return { code: JSON.stringify(textsOf(JSON.parse(code))), map: null };
    },
  };
}
