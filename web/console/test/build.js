// Builds the console for the tests: with the pseudo-locales, with the page of all components, and with one in which the
// console is shown again and again.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, mergeConfig } from "vite";
import { nameChunk } from "../texts.js";
import { common } from "../vite.config.js";

// The name of a file does not change with its content, so that what loads it stays as it was, and tests that load neither
// need not run again.
const unhashed = (name) => name.replace("[hash]", "unhashed");
const output = {
  entryFileNames: unhashed("assets/[name]-[hash].js"),
  chunkFileNames: (chunk) => unhashed(nameChunk(chunk)),
  assetFileNames: unhashed("assets/[name]-[hash][extname]"),
};

/** Builds into a new folder and returns its path. */
export async function buildForTests() {
  const outDir = mkdtempSync(join(tmpdir(), "parley-console-"));
  const input = ["kit/index.html", "kit/console.html"].map((name) => join(import.meta.dirname, name));
  await build(
    mergeConfig(common, {
      define: { __PSEUDO_LOCALES__: "true" },
      build: { outDir, minify: false, rolldownOptions: { input, output } },
    }),
  );
  return outDir;
}
