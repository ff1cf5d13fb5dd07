// Pictures of the chat in its states. With --update it makes what the tests compare with, or that of the states alone
// whose names follow. With a folder it writes pictures of all states in a look, to be looked at:
//
//	node test/pictures.js --update [STATE…]
//	node test/pictures.js FOLDER [light|dark|rtl|phone] [STATE…]
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildInto } from "../build.js";

const [out, ...rest] = process.argv.slice(2);
if (!out) throw new Error("--update, or a folder for pictures");
if (!process.env.PARLEY_WIDGET_BUILD) {
  const folder = mkdtempSync(join(tmpdir(), "parley-widget-"));
  await buildInto(folder, { define: { __PSEUDO_LOCALES__: "true" } });
  process.env.PARLEY_WIDGET_BUILD = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}
const { launch } = await import("./browser.js");
const { serveFrames } = await import("./frame-server.js");
const { openState } = await import("./frames.js");
const { beginUpdate, sizeOfPictures, writeGoldens } = await import("./goldens.js");
const { everyGolden, looks, states } = await import("./states.js");

const [browser, server] = [await launch(), await serveFrames()];
const failed = [];
const take = (name, state, look, use) => openState(browser, server, state, look, use).catch((error) =>
  failed.push(`${name}: ${error.message}`));
if (out === "--update") {
  if (rest.length === 0) beginUpdate(browser);
  for (const { name, state, look, hasTree } of everyGolden()) {
    if (rest.length > 0 && !rest.some((word) => name.startsWith(word))) continue;
    await take(name, state, look, (page, chat) => writeGoldens(page, chat, name, hasTree));
  }
  console.log(`${(sizeOfPictures() / 1_000_000).toFixed(2)} MB of pictures`);
} else {
  mkdirSync(out, { recursive: true });
  const [look = "light", ...names] = rest;
  for (const name of names.length > 0 ? names : Object.keys(states)) {
    await take(name, states[name], looks[look], (page) => page.screenshot({ path: join(out, `${name}-${look}.png`) }));
  }
}
for (const failure of failed) console.error(failure);
process.exit(failed.length > 0 ? 1 : 0);
