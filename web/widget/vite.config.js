import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { licenses } from "../voice/licenses.js";
import { withoutKeys } from "./catalogs.js";
import { lexerOnly } from "./marked.js";

const root = import.meta.dirname;

/** Where the server hands out the files. */
export const base = "/__cb/";

// The scripts that pages of others load, by the names of their files.
const loaders = {
  "embed.min.js": "loader/embed.ts",
  "center-stage-embed.min.js": "loader/stage.ts",
  "side-panel-embed.min.js": "loader/side-panel.ts",
  "search-embed.min.js": "loader/search.ts",
};

// The modules that they load when the chat is first used, and how their sources call them.
const moduleNames = { window: "__WINDOW_MODULE__", center: "__CENTER_MODULE__" };

// The pages of the server's own, by the names of their scripts.
const pages = { chat: "chat/main.tsx", help: "help/main.tsx" };

const common = { base, configFile: false, root, publicDir: false, logLevel: "warn" };

const banner = "/*! Parley's widget, Apache-2.0 */";

/** The builds of the loaders: a script each, for all browsers of the last years. `modules` has the names of those that they load. */
export function loaderBuilds(outDir, modules) {
  const define = Object.fromEntries(Object.keys(moduleNames).map((name) => [moduleNames[name], JSON.stringify(modules[`${name}.js`])]));
  return Object.entries(loaders).map(([fileName, entry]) => ({
    ...common,
    define,
    build: {
      outDir,
      emptyOutDir: false,
      target: "es2020",
      lib: { entry: join(root, entry), formats: ["iife"], name: "parley", fileName: () => fileName },
      rolldownOptions: { output: { postBanner: banner } },
    },
  }));
}

/** The builds of the modules that loaders load when the chat is first used. `onBuilt` is told their names. */
export function moduleBuilds(outDir, onBuilt) {
  return Object.keys(moduleNames).map((name) => ({
    ...common,
    plugins: [listFiles(name, onBuilt)],
    build: {
      outDir,
      emptyOutDir: false,
      assetsDir: "",
      target: "es2020",
      modulePreload: false,
      rolldownOptions: { input: { [name]: join(root, `loader/${name}.ts`) }, preserveEntrySignatures: "strict" },
    },
  }));
}

/**
 * The builds of the pages. Each is complete without the others. `extra` is what tests change, `onBuilt` is told the
 * name of a page and the files that it begins with.
 */
export function pageBuilds(outDir, onBuilt, extra = {}) {
  const found = Object.entries(pages).filter(([, entry]) => existsSync(join(root, entry)));
  return found.map(([name, entry]) => ({
    ...common,
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    css: { modules: { generateScopedName: (name, file) => `${basename(file, ".module.css")}_${name}` } },
    define: { __PSEUDO_LOCALES__: "false", ...extra.define },
    plugins: [
      withoutKeys(), lexerOnly(), listFiles(name, onBuilt), voiceLibrary(),
      ...(name === "chat" ? [licenses("widget.licenses.txt", root)] : []),
    ],
    build: {
      outDir,
      emptyOutDir: false,
      assetsDir: "",
      target: ["chrome111", "firefox114", "safari16.4"],
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: { [name]: join(root, entry) }, output: { codeSplitting: { groups: groupsOf(name) } } },
      ...extra.build,
    },
  }));
}

// groupsOf says what goes into one file: all that a page begins with, and small modules that are loaded together.
function groupsOf(page) {
  return [
    { name: page, tags: ["$initial"], priority: 1 },
    { name: "form", test: /\/chat\/form\// },
    { name: "files", test: /\/chat\/(part-icons|files\/(size|upload\.|files\.module))/ },
    { name: "person", test: /\/chat\/person\/person\./ },
  ];
}

// listFiles tells which script and which styles a page begins with.
function listFiles(name, onBuilt) {
  return {
    name: "list-files",
    writeBundle(_, bundle) {
      const entry = Object.values(bundle).find((file) => file.type === "chunk" && file.isEntry);
      const styles = [...entry.viteMetadata.importedCss];
      if (styles.length > 1) this.error(`${name} begins with several style sheets: ${styles.join(", ")}`);
      onBuilt({ [`${name}.js`]: entry.fileName, ...(styles[0] && { [`${name}.css`]: styles[0] }) });
    },
  };
}

// voiceLibrary makes a module of the voice library, which is built as a script: the pages' policy lets no script make
// an element of one.
function voiceLibrary() {
  const library = join(root, "../built/service-voice.js");
  return {
    name: "voice-library",
    transform: (code, id) => (id === library ? { code: `${code}\nexport default ServiceVoice;`, map: null } : undefined),
  };
}
