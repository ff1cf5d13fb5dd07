// Builds the console again at every change, and serves it in front of a running server, with the headers that it has in
// the server itself. The page is read again by hand: a script that did it would break the policy.
//
//	node dev.js [http://localhost:8080]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, createServer, mergeConfig } from "vite";
import "./icons.js";
import { common } from "./vite.config.js";
import { serveBefore } from "./test/proxy.js";

const server = new URL(process.argv[2] ?? "http://localhost:8080").origin;
const outDir = mkdtempSync(join(tmpdir(), "parley-console-dev-"));
process.on("exit", () => rmSync(outDir, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit());

const config = mergeConfig(common, { logLevel: "info", build: { outDir, minify: false, sourcemap: true, emptyOutDir: true } });
const buildAll = () => build(config).catch((error) => console.error(error.message));
let last = buildAll();
await last;

// Each build is a whole one: the texts of pages are made of all catalogs and all sources.
let timer;
const buildSoon = () => {
  clearTimeout(timer);
  timer = setTimeout(() => (last = last.then(buildAll)), 100); // editors write a file in several steps
};
const { watcher } = await createServer({ configFile: false, server: { middlewareMode: true, ws: false }, logLevel: "silent" });
watcher.add(["src", "../shared"].map((folder) => join(import.meta.dirname, folder))).on("all", buildSoon);
const front = await serveBefore(outDir, server, Number(process.env.PORT ?? 5173));
console.log(`The console is at ${front.url}/ in front of ${server}; "parley serve" prints the link that signs up.`);
