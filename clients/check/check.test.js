// Generates clients with the tools for TypeScript, compiles them and talks to a server through them. No network.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startServer } from "../ts/test/server.js";

const here = new URL(".", import.meta.url).pathname;
let server, folder;

/** Runs a program in the folder of the generated clients; when it fails, what it printed is the failure. */
async function run(program, args, env = {}) {
  const options = { cwd: folder, env: { ...process.env, DO_NOT_TRACK: "1", NO_COLOR: "1", ...env } };
  await promisify(execFile)(program, args, options).catch((e) => assert.fail(`${program} ${args.join(" ")}\n${e.stdout}${e.stderr}`));
}

const tool = (name, args, env) => run(join(here, "node_modules/.bin", name), args, env);

const generators = {
  "openapi-typescript": (document, to) => tool("openapi-typescript", [document, "--output", `${to}/openapi-typescript.d.ts`]),
  "hey-api": (document, to) => tool("openapi-ts", ["--input", document, "--output", `${to}/hey-api`, "--client", "@hey-api/client-fetch"]),
  orval: (document, to) => tool("orval", ["--config", "orval.config.mjs"], { DOCUMENT: document, TARGET: `${to}/orval.ts` }),
};

before(async () => {
  server = await startServer();
  folder = mkdtempSync(join(here, "generated-")); // within reach of node_modules
  for (const name of ["tsconfig.json", "orval.config.mjs", "talk"]) cpSync(join(here, name), join(folder, name), { recursive: true });
  for (const [version, address] of [["v2", "/openapi.json"], ["v1", "/openapi-v1.json"]]) {
    writeFileSync(join(folder, `${version}.json`), await (await fetch(server.url + address)).text());
    for (const generate of Object.values(generators)) await generate(`./${version}.json`, version);
  }
  await tool("tsc", ["--project", "."]);
});
after(async () => {
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

for (const name of Object.keys(generators)) {
  test(`the client of ${name} compiles and talks to the server`, () => run(process.execPath, [`built/talk/${name}.js`, server.url, server.apiKey]));
}
