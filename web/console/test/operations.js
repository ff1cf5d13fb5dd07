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

const operations = documents.flatMap(([file, version]) => {
  const document = JSON.parse(readFileSync(join(internal, file), "utf8"));
  const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return rows.map(({ method, path, operation }) => ({
    pattern: new RegExp(`^${method} ${version}${patternOf(path)}$`),
    document,
    schema: resolve(document, operation.requestBody)?.content?.["application/json"]?.schema,
  }));
});

function resolve(document, node) {
  for (; node?.$ref; ) node = node.$ref.split("/").slice(1).reduce((at, name) => at[name], document);
  return node;
}

const find = (method, path) => operations.find(({ pattern }) => pattern.test(`${method} ${path}`));

/** Reports whether the server has an operation with this method at a path below /console/api. */
export const isOperation = (method, path) => others.includes(`${method} ${path}`) || find(method, path) !== undefined;

/** The names of what a body lacks that the server needs. */
export function lacksOf(method, path, body) {
  const found = find(method, path);
  return found?.schema && body !== undefined ? lacks(found.document, found.schema, body, "") : [];
}

function lacks(document, node, value, at) {
  const schema = resolve(document, node);
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms) return forms.map((one) => lacks(document, one, value, at)).sort((a, b) => a.length - b.length)[0];
  if (Array.isArray(value)) return value.flatMap((one, i) => (schema.items ? lacks(document, schema.items, one, `${at}${i}.`) : []));
  if (value === null || typeof value !== "object") return [];
  const missing = (schema.required ?? []).filter((name) => !(name in value)).map((name) => at + name);
  const inside = Object.entries(schema.properties ?? {}).filter(([name]) => name in value);
  return [...missing, ...inside.flatMap(([name, one]) => lacks(document, one, value[name], `${at}${name}.`))];
}
