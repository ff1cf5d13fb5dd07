// The OpenAPI document that the server serves, judged by the tools that people point at it. No network.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import SwaggerParser from "@apidevtools/swagger-parser";
import openapiTS, { astToString } from "openapi-typescript";
import { startServer } from "./server.js";

const here = new URL(".", import.meta.url).pathname;
let server, file, text;

before(async () => {
  server = await startServer();
  text = await (await fetch(`${server.url}/openapi.json`)).text();
  file = join(server.folder, "openapi.json");
  writeFileSync(file, text);
});
after(() => server?.stop());

/** Runs a tool of this package and returns what it prints; its status is the tool's verdict and not looked at. */
function run(tool, ...args) {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };
  const bin = join(here, "../node_modules/.bin", tool);
  return new Promise((resolve) => execFile(bin, args, { env, maxBuffer: 1 << 26 }, (_, stdout) => resolve(stdout)));
}

test("redocly finds nothing", async () => {
  const report = JSON.parse(await run("redocly", "lint", "--config", join(here, "redocly.yaml"), "--format", "json", file));
  assert.deepEqual(report.problems.map((p) => `${p.ruleId}: ${p.message} ${p.location[0]?.pointer}`), []);
});

test("spectral finds nothing", async () => {
  const report = JSON.parse(await run("spectral", "lint", "--quiet", "--ruleset", join(here, "spectral.yaml"), "--format", "json", file));
  assert.deepEqual(report.map((p) => `${p.code}: ${p.message} ${p.path.join(".")}`), []);
});

test("swagger-parser validates it", async () => {
  const api = await SwaggerParser.validate(JSON.parse(text));
  assert.equal(api.info.title, "Parley");
});

test("the types of this package are made from it", async () => {
  const made = astToString(await openapiTS(JSON.parse(text), { defaultNonNullable: false }));
  const kept = readFileSync(join(here, "../src/schema.ts"), "utf8");
  assert.ok(kept.endsWith(made), "src/schema.ts is not what the document says; run: npm run generate");
});
