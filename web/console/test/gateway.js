// A server in front of the real program that writes down what arrives for the console, and pages without any policy.
import { createServer, request } from "node:http";

/** A page of the program's own origin as it would be without a policy: what tests compare with. */
export const openPage = "/without-policy";
/** The same with the opener policy of the console. */
export const twinPage = "/with-the-opener-policy-of-the-console";
/** A script that does nothing. */
export const emptyScript = "/empty.js";

/**
 * Starts the server. `seen` lists what has arrived below /console: method, path, status, and whether it had a session.
 * `passTo` is where the program is.
 */
export async function startGateway() {
  const gateway = { seen: [], passTo: "" };
  const server = createServer((asked, reply) => {
    const path = asked.url.split("?")[0];
    if (path === emptyScript) return reply.writeHead(200, { "Content-Type": "text/javascript" }).end();
    if (path === openPage || path === twinPage) {
      const headers = path === twinPage ? { "Cross-Origin-Opener-Policy": "same-origin", "Origin-Agent-Cluster": "?1" } : {};
      return reply.writeHead(200, { "Content-Type": "text/html", ...headers }).end("<!doctype html><title>Open</title>");
    }
    pass(gateway, asked, reply);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  const stop = () => (server.close(), server.closeAllConnections());
  return Object.assign(gateway, { port, at: (host) => `http://${host}:${port}`, stop });
}

function pass(gateway, asked, reply) {
  const { hostname, port } = new URL(gateway.passTo);
  const { method, url: path, headers } = asked;
  const note = (status) => {
    if (path.startsWith("/console")) gateway.seen.push({ method, path, status, hasSession: /parley=/.test(headers.cookie ?? "") });
  };
  const call = request({ hostname, port, method, path, headers }, (answer) => {
    note(answer.statusCode);
    reply.writeHead(answer.statusCode, answer.headers);
    answer.pipe(reply);
  });
  call.on("error", () => reply.destroy());
  reply.on("close", () => call.destroy());
  asked.pipe(call);
}

/** Starts a server of strangers, with one page that forbids nothing. */
export async function startStranger() {
  const server = createServer((_, reply) => {
    reply.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Stranger</title>");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  return { at: (host) => `http://${host}:${port}`, stop: () => (server.close(), server.closeAllConnections()) };
}
