import { defineConfig } from "vite";
import { licenses } from "../voice/licenses.js";
import { loadEarly } from "./first-page.js";
import { locales, policy } from "./policy.js";
import { nameChunk, texts } from "./texts.js";

/** What the build of the console and that of its tests have in common. */
export const common = {
  base: "/console/",
  configFile: false,
  root: import.meta.dirname,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic" } },
  define: { __PSEUDO_LOCALES__: "false" },
  css: { modules: { generateScopedName: "[name]_[local]" } },
  build: {
    target: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    chunkSizeWarningLimit: 700, // kB before compression: the first page is one file
    rolldownOptions: {
      input: ["index.html", "src/early.ts"].map((file) => `${import.meta.dirname}/${file}`),
      output: { chunkFileNames: nameChunk },
      // Libraries mark files for a framework that renders on servers, which this is not.
      onLog: (level, log, report) => log.code !== "MODULE_LEVEL_DIRECTIVE" && report(level, log),
    },
  },
  plugins: [loadEarly(), policy(), texts(), locales(["en", "de", "fr", "es", "pt", "ja", "ar"])],
};

export default defineConfig({
  ...common,
  configFile: undefined,
  plugins: [...common.plugins, licenses("console.licenses.txt", import.meta.dirname)],
  build: { ...common.build, outDir: "../built/console" },
});
