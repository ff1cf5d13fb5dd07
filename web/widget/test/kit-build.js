// Builds the page with the parts of the chat by themselves.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { pageBuilds } from "../vite.config.js";

/** Builds it into a folder, with the names of the files that it begins with: manifest.json. */
export async function buildKit(folder) {
  let files = {};
  const input = { chat: join(import.meta.dirname, "kit/main.tsx") };
  const extra = { define: { __PSEUDO_LOCALES__: "true" }, build: { minify: false, rolldownOptions: { input } } };
  const [config] = pageBuilds(folder, (found) => (files = found), extra);
  await build({ ...config, plugins: config.plugins.filter((plugin) => plugin.name !== "licenses") });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(files));
}
