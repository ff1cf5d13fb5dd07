// The console as it is built for tests, in front of the real program, which answers all the rest.
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { extname, join } from "node:path";
import { headers } from "./serve.js";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** Starts the server: the console from `folder`, and what is not of it from `origin`. */
export async function serveBefore(folder, origin, port = 0) {
  const server = createServer((asked, response) => {
    const path = new URL(asked.url, "http://x").pathname;
    if (!path.startsWith("/console/") || path.startsWith("/console/api/")) return pass(origin, asked, response);
    const name = extname(path) ? path.replace(/^\/console\//, "") : "index.html";
    let content;
    try {
      content = readFileSync(join(folder, name));
    } catch {
      response.writeHead(404).end();
      return;
    }
    const type = types[extname(name)] ?? "text/plain";
    response.writeHead(200, { ...headers, "Content-Type": `${type}; charset=utf-8`, "Cache-Control": "no-cache" });
    response.end(content);
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const own = `http://localhost:${server.address().port}`;
  return { origin: own, url: `${own}/console`, stop: () => (server.close(), server.closeAllConnections()) };
}

function pass(origin, asked, response) {
  const { hostname, port } = new URL(origin);
  const { method, url, headers } = asked;
  const call = request({ hostname, port, method, path: url, headers }, (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    reply.pipe(response);
  });
  call.on("error", () => response.destroy());
  response.on("close", () => call.destroy());
  asked.pipe(call);
}
