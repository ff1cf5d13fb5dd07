// Splits the catalogs of texts: the first page has the texts that its own modules name, and every page that is loaded
// later those that it names beyond these, in files beside its program. In src/locales each language is one file.
//
//	texts:core             what loads the texts of the first page, by language; English is there
//	texts:core.LOCALE      the texts of the first page in a language
//	texts:FILE             what loads the texts of a page, by language. The program may hold the name: it begins in this
//	                       folder, so that it is the same wherever the project lies
//	texts:FILE.LOCALE      the texts of a page in a language
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

const root = import.meta.dirname;
const folder = join(root, "src/locales");
const first = join(root, "src/main.tsx");
const locales = readdirSync(folder).map((name) => name.replace(".json", ""));
const prefix = "texts:";
const common = 9; // pages that name a text which the first page has in their place
const call = /lazyPage\(\s*(\(\) => import\("(\.[^"]+)"\))\s*\)/g;

/** A plugin of Vite that has lazyPage load the texts of a page together with it. */
export function texts() {
  let split = splitTexts();
  return {
    name: "texts",
    enforce: "pre",
    buildStart: () => void (split = splitTexts()), // what is built again may name others
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return null;
      for (const locale of locales) this.addWatchFile(join(folder, `${locale}.json`));
      const { file, locale } = readId(id.slice(prefix.length + 1));
      if (!locale) return writeLoaders(file);
      return `export default ${JSON.stringify(split.pick(file === "core" ? file : join(root, file), locale))};`;
    },
    transform(code, id) {
      if (!code.includes("lazyPage(") || !/\.tsx$/.test(id)) return null;
      const added = addTexts(code, id);
      if (/lazyPage\((?!.*, texts\d+\))/.test(added)) this.error("lazyPage needs () => import(FILE)");
      return { code: added, map: null };
    },
    generateBundle(_, bundle) {
      for (const lack of findLacks(bundle, split)) this.error(lack);
    },
  };
}

/** Adds the texts of its page to every lazyPage of a module. */
export function addTexts(code, id) {
  const imports = [];
  const changed = code.replaceAll(call, (_, load, path) => {
    imports.push(`import texts${imports.length} from "${prefix}${relative(root, find(id, path))}";`);
    return `lazyPage(${load}, texts${imports.length - 1})`;
  });
  return `${imports.join("")}${changed}`;
}

function readId(name) {
  const locale = locales.find((tag) => name.endsWith(`.${tag}`));
  return { locale, file: locale ? name.slice(0, -locale.length - 1) : name };
}

function writeLoaders(file) {
  const isCore = file === "core";
  const load = (tag) => `() => import("${prefix}${file}.${tag}")`;
  const loaders = locales.map((tag) => [tag, isCore && tag === "en" ? "async () => ({ default: en })" : load(tag)]);
  const lines = loaders.map(([tag, load]) => `  ${JSON.stringify(tag)}: ${load},`);
  const start = isCore ? `import en from "${prefix}core.en";\nexport { en as english };\n` : "";
  return `${start}export default {\n${lines.join("\n")}\n};`;
}

/** Names the file of a page's texts after the page. */
export function nameChunk({ facadeModuleId }) {
  if (!facadeModuleId?.startsWith(`\0${prefix}`)) return "assets/[name]-[hash].js";
  const { file, locale } = readId(facadeModuleId.slice(prefix.length + 1));
  return `assets/${basename(file.replace(/(\/index)?\.tsx$/, ""))}.${locale}-[hash].js`;
}

/** The keys of texts that a program names: as a whole, or by their beginning. */
export function keysOf(code, keys) {
  const words = new Set([...code.matchAll(/(["'`])([\w.-]+)(?=\1)/g)].map(([, , word]) => word));
  const starts = [...code.matchAll(/`([\w.]+\.)\$\{/g)].map(([, start]) => start);
  return keys.filter((key) => words.has(key) || starts.some((start) => key.startsWith(start)));
}

/** Reads the catalogs and which of their texts each page needs: "core" is the first one. */
export function splitTexts() {
  const catalogs = new Map(locales.map((locale) => [locale, JSON.parse(read(join(folder, `${locale}.json`)))]));
  const all = Object.keys(catalogs.get("en"));
  const named = (file) => keysOf(followImports(file).map(read).join("\n"), all);
  const pages = findPages();
  const core = addCommon(new Set(named(first)), pages.map(named));
  const found = new Map([["core", [...core]]]);
  const keys = (file) => {
    if (!found.has(file)) found.set(file, named(file).filter((key) => !core.has(key)));
    return found.get(file);
  };
  const pick = (file, locale) => Object.fromEntries(keys(file).map((key) => [key, catalogs.get(locale)[key]]));
  return { all, pages, keys, pick };
}

/** The pages that a file can load, and what these can load. */
function findPages(file = first, found = new Set()) {
  for (const one of followImports(file)) {
    for (const [, , path] of read(one).matchAll(call)) {
      const page = find(one, path);
      if (!found.has(page)) findPages(page, found.add(page));
    }
  }
  return [...found];
}

/** Adds what so many pages name that it would be loaded again and again. */
function addCommon(core, lists) {
  const counts = new Map();
  for (const key of lists.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const [key, count] of counts) if (count >= common) core.add(key);
  return core;
}

/**
 * What each page names in the program that was built, and does not have. It is that program that counts: which files
 * are loaded together is what the build says, not what splitTexts found in the sources.
 */
export function* findLacks(bundle, { all, keys }) {
  const chunks = Object.values(bundle).filter(({ type }) => type === "chunk");
  const named = new Map(chunks.map((chunk) => [chunk, keysOf(chunk.code, all)]));
  const loadedBy = (chunk, found = new Set()) => {
    if (!chunk || found.has(chunk)) return found;
    found.add(chunk);
    chunk.imports.forEach((name) => loadedBy(bundle[name], found));
    return found;
  };
  const lackOf = (loaded, had) => {
    const has = new Set(had);
    return [...loaded].flatMap((chunk) => named.get(chunk)).filter((key) => !has.has(key));
  };
  const start = loadedBy(chunks.find(({ facadeModuleId }) => facadeModuleId === join(root, "index.html")));
  const lacks = [["the first page", lackOf(start, keys("core"))]];
  const pages = chunks.filter((chunk) => chunk.isDynamicEntry && chunk.facadeModuleId?.endsWith(".tsx"));
  for (const page of pages) {
    const loaded = [...loadedBy(page)].filter((chunk) => !start.has(chunk));
    const here = pages.filter((other) => loaded.includes(other)); // itself, and the page that it is a part of
    lacks.push([page.fileName, lackOf(loaded, [...keys("core"), ...here.flatMap((one) => keys(one.facadeModuleId))])]);
  }
  for (const [name, lack] of lacks) if (lack.length > 0) yield `${name} has no ${[...new Set(lack)].join(", ")}`;
}

/** A file and all of the project's that are loaded together with it. */
export function followImports(file, found = new Set()) {
  if (found.has(file)) return [];
  found.add(file);
  for (const [, what = "", path] of read(file).matchAll(/^(?:import|export) ([^"';]*from )?"(\.[^"]+)";$/gm)) {
    const target = isOfTypes(what) ? undefined : find(file, path);
    if (target) followImports(target, found);
  }
  return [...found];
}

/** Reports whether an import is of types alone, and leaves nothing in the program. */
function isOfTypes(what) {
  const names = /^\{([^}]*)\} from $/.exec(what)?.[1].split(",").map((name) => name.trim());
  return what.startsWith("type ") || (names?.every((name) => !name || name.startsWith("type ")) ?? false);
}

function find(from, path) {
  const base = resolve(dirname(from), path);
  const names = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"].map((end) => base + end);
  return names.find((name) => /\.tsx?$/.test(name) && existsSync(name) && statSync(name).isFile());
}

function read(file) {
  return readFileSync(file, "utf8");
}
