// Serves the pages of the chat with the headers of the server, and answers of the chat API that a test sets: JSON, or
// the chunks of a stream, which may stay open. Nothing else of the program runs.
import { builtFile, built, startSite } from "./server.js";
import { emptyPath } from "./browser.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const escapeScript = (config) => JSON.stringify(config).replaceAll("<", "\\u003c");

/** The headers of a page of the chat. */
const headersOf = (origin) => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src ${origin}/api/chat/ ${origin}/__cb/ data:`,
    "font-src 'self'", `connect-src ${origin}/api/chat/ ${origin}/__cb/`, "media-src 'self' blob:", "frame-src 'none'",
    "worker-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors *",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
});

/** Starts it. `config` and `answer` may be set at any time; `answer` gets what is asked and returns [status, body, headers?]. */
export async function serveFrames() {
  const site = await startSite((asked, reply) => {
    const url = new URL(asked.url, "http://x");
    const file = builtFile(url.pathname);
    if (file) return sendFile(file, reply);
    const boot = /^\/__cb\/boot\/([^/]+)\.js$/.exec(url.pathname);
    if (boot) return sendBoot(boot[1], site.config, reply);
    if (url.pathname.startsWith("/api/chat/")) return void answerAPI(site, url, asked, reply);
    if (url.pathname === "/shop") return sendShop(site, url, reply);
    if (url.pathname === emptyPath) return sendEmpty(reply);
    const mode = /\/help$/.test(url.pathname) ? "help" : (url.searchParams.get("mode") ?? "iframe");
    reply.writeHead(200, headersOf(`http://${asked.headers.host}`));
    reply.end(pageOf(site.config, mode));
  });
  return Object.assign(site, { config: {}, answer: () => [404, notFound], asked: [] });
}

export const notFound = { error: { code: "RESOURCE_NOT_FOUND", message: "There is nothing at this address." } };

function sendFile({ type, text }, reply) {
  reply.writeHead(200, { "Content-Type": type, "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" });
  reply.end(text);
}

function sendBoot(agentId, config, reply) {
  reply.writeHead(200, { "Content-Type": "text/javascript; charset=utf-8", "Access-Control-Allow-Origin": "*" });
  reply.end(`window[Symbol.for("parley")]?.get(${JSON.stringify(agentId)})?.boot(${escapeScript(config)})`);
}

function sendEmpty(reply) {
  reply.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
  reply.end('<!doctype html><html lang="en"><head><link rel="icon" href="data:,"><title>Nothing</title></head></html>');
}

/** A page of a site with the widget: that of the other site of the two, with what `head` of the query says before it. */
function sendShop(site, url, reply) {
  const script = `${site.at("127.0.0.1")}/${url.searchParams.get("file") ?? "embed.min.js"}`;
  const before = url.searchParams.get("config") ?? "{}";
  const rows = Array.from({ length: 40 }, (_, i) => `<p>Row ${i + 1} of what there is to buy.</p>`).join("");
  reply.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
  reply.end(`<!doctype html><html lang="${url.searchParams.get("lang") ?? "en"}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>A shop</title></head>
<body><main><h1>A shop</h1><label>Search <input id="search"></label>${rows}</main>
<script>window.chatbaseConfig = ${before};</script><script src="${script}" id="${site.config.agentId}" defer></script></body></html>`);
}

function pageOf(config, mode) {
  const manifest = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8"));
  const page = mode === "help" && manifest["help.js"] ? "help" : "chat";
  const styles = manifest[`${page}.css`] ? `<link rel="stylesheet" href="/__cb/${manifest[`${page}.css`]}">` : "";
  return `<!doctype html><html lang="en" dir="ltr"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<link rel="icon" href="data:,"><title>Chat</title>${styles}
<script type="application/json" id="config">${escapeScript(config)}</script>
<script type="module" src="/__cb/${manifest[`${page}.js`]}"></script>
</head><body data-mode="${mode}"><div id="root"></div></body></html>`;
}

async function answerAPI(site, url, request, reply) {
  const pieces = [];
  for await (const chunk of request) pieces.push(chunk);
  const text = Buffer.concat(pieces).toString();
  const asked = {
    method: request.method,
    path: url.pathname.replace(/^\/api\/chat\/[^/]+/, ""),
    query: url.searchParams,
    headers: request.headers,
    body: text && request.headers["content-type"] === "application/json" ? JSON.parse(text) : text,
  };
  site.asked.push(asked);
  const [status, body, extra] = await site.answer(asked);
  reply.writeHead(status, { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", ...extra });
  if (!Array.isArray(body?.chunks)) return reply.end(body === undefined ? undefined : Buffer.isBuffer(body) ? body : JSON.stringify(body));
  for (const chunk of body.chunks) reply.write(chunk);
  if (!body.isOpen) reply.end();
}
