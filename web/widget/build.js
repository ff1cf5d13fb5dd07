// Builds what the server hands out, into ../built/widget, or into the folder that is named.
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";
import { loaderBuilds, moduleBuilds, pageBuilds } from "./vite.config.js";

/** Builds the loaders, and the pages with the list of the files that each begins with: manifest.json. */
export async function buildInto(folder, extra) {
  rmSync(folder, { recursive: true, force: true });
  const manifest = {};
  const modules = {};
  for (const config of moduleBuilds(folder, (files) => Object.assign(modules, files))) await build(config);
  for (const config of loaderBuilds(folder, modules)) await build(config);
  for (const config of pageBuilds(folder, (files) => Object.assign(manifest, files), extra)) await build(config);
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

const isCommand = process.argv[1] && resolve(process.argv[1]) === import.meta.filename;
if (isCommand) await buildInto(resolve(process.argv[2] ?? join(import.meta.dirname, "../built/widget")));
