import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

// Writes the licences of all that the script build holds into one file beside it. Libraries bring their own dependencies already
// built in, so that the list follows the packages, not the files.
export function licenses(fileName, folder = import.meta.dirname) {
  return {
    name: "licenses",
    generateBundle() {
      const found = new Map();
      gather(join(folder, "package.json"), found);
      this.emitFile({ type: "asset", fileName, source: [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text).join("\n") });
    },
  };
}

// gather adds what a package depends on, and what that depends on.
function gather(file, found) {
  for (const name of Object.keys(read(file).dependencies ?? {})) {
    const own = manifest(name, file);
    const { version, license } = read(own);
    if (found.has(name) || name.startsWith("@types/")) continue;
    const folder = dirname(own);
    const text = readdirSync(folder).filter((f) => /^(licen[cs]e|notice|copying)(-[\w]+)?(\.|$)/i.test(f)).sort().map((f) => readFileSync(join(folder, f), "utf8").replaceAll("\r\n", "\n").trim());
    found.set(name, `${"=".repeat(80)}\n${name} ${version} (${license ?? "see below"})\n\n${text.join("\n\n")}\n`);
    gather(own, found);
  }
}

// manifest finds a package as the one that asks for it would: in the nearest node_modules upwards.
function manifest(name, from) {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const file = join(folder, "node_modules", name, "package.json");
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) throw new Error(`${name} is not installed`);
  }
}

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
