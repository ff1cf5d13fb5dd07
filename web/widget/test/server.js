// The real program with an agent that everybody may ask, behind a server that hands out what was built for the tests in
// place of what the program holds; and pages of another site.
import { existsSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { extname, join } from "node:path";
import { signUp, startServer } from "../../console/test/server.js";
import { emptyPath } from "./browser.js";

/** The folder of what was built for the tests. */
export const built = process.env.PARLEY_WIDGET_BUILD;

const types = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2" };

/** The file that was built for the tests for an address; undefined if there is none. */
export function builtFile(path) {
  const [, name] = /^\/(?:__cb\/)?([^/]+)$/.exec(path) ?? [];
  if (!name || path.startsWith("/__cb/") === name.endsWith("embed.min.js") || !existsSync(join(built, name))) return undefined;
  return { type: types[extname(name)] ?? "text/plain; charset=utf-8", text: readFileSync(join(built, name)) };
}

// withBuiltNames has a page of the program begin with the files that were built for the tests: those that the program
// was built with differ in the hash of their content, and a script under two names would run twice.
function withBuiltNames(html) {
  const manifest = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8"));
  const nameOf = (whole, name) => (manifest[name] ? `/__cb/${manifest[name]}` : whole);
  return html.replaceAll(/\/__cb\/(chat|help)-[\w-]{8}\.(js|css)/g, (whole, page, kind) => nameOf(whole, `${page}.${kind}`));
}

/**
 * Starts the program with an agent, and the server in front of it. `at(host)` is its origin under a name of loopback,
 * `agentId` the agent, `call` calls the console's API as the owner, `handle(request, reply)` may answer itself.
 */
export async function startWidgetServer({ agent = {}, options = [], env = {} } = {}) {
  const program = await startServer({ options, env });
  const { call } = await signUp(program);
  const created = await call("POST", "/v2/agents", { name: "Shop help", visibility: "public", ...agent });
  const agentId = created.data?.id ?? created.id;
  if (!agentId) throw new Error(`creating an agent: ${JSON.stringify(created)}`);
  const front = await startFront(() => program.ready.url);
  const stopFront = front.stop;
  const stop = async () => {
    stopFront();
    await program.stop();
  };
  return Object.assign(front, { program, agentId, call, stop });
}

/** Starts the server in front of a program. `handle(request, reply)` may answer itself, and then returns true. */
export async function startFront(originOf) {
  const front = await startSite((asked, reply) => front.handle?.(asked, reply) || answer(originOf(), asked, reply));
  return front;
}

function answer(origin, asked, reply) {
  const file = asked.method === "GET" && builtFile(new URL(asked.url, "http://x").pathname);
  if (!file) return pass(origin, asked, reply);
  reply.writeHead(200, { "Content-Type": file.type, "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" });
  reply.end(file.text);
}

function pass(origin, asked, reply) {
  const { hostname, port } = new URL(origin);
  const { method, url: path } = asked;
  const { "accept-encoding": _, ...headers } = asked.headers;
  const call = request({ hostname, port, method, path, headers }, (response) => {
    if (/^text\/html/.test(response.headers["content-type"])) return void passPage(response, reply);
    reply.writeHead(response.statusCode, response.headers);
    response.pipe(reply);
    response.on("close", () => response.complete || reply.destroy());
  });
  call.on("error", () => reply.destroy());
  reply.on("close", () => call.destroy());
  asked.pipe(call);
}

async function passPage(response, reply) {
  let html = "";
  for await (const chunk of response.setEncoding("utf8")) html += chunk;
  const { "content-length": _, ...headers } = response.headers;
  reply.writeHead(response.statusCode, headers).end(withBuiltNames(html));
}

/** Starts a server. 127.0.0.1 and localhost are two sites: `at` returns the origin under either, `host` without the scheme. */
export async function startSite(handle) {
  const server = createServer(handle);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  const at = (name) => `http://${name}:${port}`;
  return { at, host: (name) => `${name}:${port}`, stop: () => (server.close(), server.closeAllConnections()) };
}

/** Starts a site with pages of its own: `pages` maps paths to what the body holds, or to {head, body, headers}. */
export async function startHostSite(pages = {}) {
  const site = await startSite((asked, reply) => {
    const path = new URL(asked.url, "http://x").pathname;
    const found = site.pages[path] ?? (path === emptyPath ? "" : undefined);
    if (found === undefined) return reply.writeHead(404).end();
    const { head = "", body = "", headers = {} } = typeof found === "string" ? { body: found } : found;
    reply.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...headers });
    const start = '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
    reply.end(`${start}<link rel="icon" href="data:,"><title>A shop</title>${head}</head><body>${body}</body></html>`);
  });
  return Object.assign(site, { pages });
}
