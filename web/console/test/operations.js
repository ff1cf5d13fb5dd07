// What can be asked of the server, out of its documents: a stand-in for it answers nothing else.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const internal = join(import.meta.dirname, "../../../internal");
const documents = [
  ["console/openapi.json", "/v1"],
  ["api/v2/openapi.json", "/v2"],
];
/** What no document has: the stream of a page, who looks at what, and the way to a provider of single sign-on. */
const others = ["GET /v1/events", "POST /v1/presence", "GET /v1/session/oidc"];

// An account is left out of the path while nobody has signed in.
const patternOf = (path) => path.replace(/[.]/g, "\\.").replace("{accountId}", "[^/]*").replace(/\{\w+\}/g, "[^/]+");

const patterns = documents.flatMap(([file, version]) => {
  const { paths } = JSON.parse(readFileSync(join(internal, file), "utf8"));
  const rows = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => [method, path]));
  return rows.map(([method, path]) => new RegExp(`^${method.toUpperCase()} ${version}${patternOf(path)}$`));
});

/** Reports whether the server has an operation with this method at a path below /console/api. */
export const isOperation = (method, path) =>
  others.includes(`${method} ${path}`) || patterns.some((pattern) => pattern.test(`${method} ${path}`));
