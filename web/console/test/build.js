// Builds the console for the tests: with the pseudo-locales, and with the page of all components.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, mergeConfig } from "vite";
import { common } from "../vite.config.js";

/** Builds into a new folder and returns its path. */
export async function buildForTests() {
  const outDir = mkdtempSync(join(tmpdir(), "parley-console-"));
  const input = [join(import.meta.dirname, "kit/index.html")];
  await build(
    mergeConfig(common, {
      define: { __PSEUDO_LOCALES__: "true" },
      build: { outDir, minify: false, rolldownOptions: { input } },
    }),
  );
  return outDir;
}
