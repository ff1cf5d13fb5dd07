// Serves a folder of built files with the headers of the console, and answers of the API that a test sets: JSON, or the chunks of a stream, which may stay open.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { isOperation, lacksOf } from "./operations.js";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** The headers of every page of the console, as the server has them: its own test writes the file. */
const headersFile = join(import.meta.dirname, "../../../internal/console/testdata/headers.json");
export const headers = JSON.parse(readFileSync(headersFile, "utf8"));

/**
 * Starts the server. `answer` gets what the API is asked for and returns [status, body, headers?]. `page` is the file that
 * every address of the console has.
 */
export async function serve(folder, answer = () => [404, notFound], page = "index.html") {
  const state = { answer };
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    if (path.startsWith("/console/api/")) return answerAPI(state, path, request, response);
    if (path.startsWith("/chatbot-iframe/")) return answerFrame(path, response);
    const name = extname(path) ? path.replace(/^\/console\//, "") : page;
    let text;
    try {
      text = readFileSync(join(folder, name));
    } catch {
      response.writeHead(404).end();
      return;
    }
    const type = types[extname(name)] ?? "text/plain";
    const kept = name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache"; // as the server has it
    response.writeHead(200, { ...headers, "Content-Type": `${type}; charset=utf-8`, "Cache-Control": kept });
    response.end(text);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://localhost:${server.address().port}`;
  const drop = () => server.closeAllConnections();
  return Object.assign(state, { origin, url: `${origin}/console`, drop, stop: () => server.close() });
}

export const notFound = { error: { code: "RESOURCE_NOT_FOUND", message: "There is nothing at this address." } };

// answerFrame stands for the chat frame: it writes down what it is told and what it can reach. Its policy is the chat's.
function answerFrame(path, response) {
  const isScript = path.endsWith(".js");
  const policy = "default-src 'none'; script-src 'self'; frame-ancestors 'self'";
  response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html", "Content-Security-Policy": policy });
  response.end(isScript ? `(${frameOfTests})()` : '<!doctype html><html lang="en"><title>Chat</title><p id="told"></p><p id="reached"></p><script src="/chatbot-iframe/frame.js"></script>');
}

function frameOfTests() {
  const show = (id, text) => (document.getElementById(id).textContent = text);
  const reach = (what) => {
    try {
      return String(what() ?? "nothing");
    } catch (error) {
      return error.name;
    }
  };
  show("reached", JSON.stringify([reach(() => parent.document.title), reach(() => localStorage.length), reach(() => document.cookie)]));
  addEventListener("message", ({ data }) => data?.type === "preview" && show("told", JSON.stringify(data.data)));
  parent.postMessage({ type: "iframeReady", data: { v: 1 } }, "*");
}

async function answerAPI(state, path, request, response) {
  let text = "";
  for await (const chunk of request) text += chunk;
  const asked = {
    method: request.method,
    path: path.replace("/console/api", ""),
    headers: request.headers,
    query: new URL(request.url, "http://x").searchParams,
    body: text && request.headers["content-type"] === "application/json" ? JSON.parse(text) : undefined,
  };
  // A failure of the server that no test has asked for fails the test.
  if (!isOperation(asked.method, asked.path)) return response.writeHead(501, "No operation of the server").end();
  const lacks = lacksOf(asked.method, asked.path, asked.body);
  if (lacks.length > 0) return response.writeHead(501, `A body without ${lacks.join(" ")}`).end();
  const [status, body, extra] = await state.answer(asked);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "X-Request-Id": "0192f3c1-0000-7000-8000-000000000001",
    "Cache-Control": "no-store",
    "X-Wanted-By-Test": "1",
    ...extra,
  });
  if (typeof body?.open === "function") return body.open(response);
  if (Array.isArray(body?.chunks)) {
    for (const chunk of body.chunks) response.write(chunk);
    if (body.isOpen) return;
    return response.end();
  }
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
