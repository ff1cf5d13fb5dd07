// A page with the parts of the chat by themselves, under the policy of the chat frame.
import { readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { newPage } from "./browser.js";
import { startSite } from "./server.js";

/** The folder of the page that was built for the tests. */
const folder = process.env.PARLEY_WIDGET_KIT;

const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; media-src 'self' blob:",
  "worker-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
].join("; ");
const types = { ".js": "text/javascript", ".css": "text/css" };

/** Serves the page of the parts. `handle(request, reply)` may answer itself. */
export async function startKit() {
  const files = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const site = await startSite((asked, reply) => {
    if (site.handle?.(asked, reply)) return;
    const { pathname } = new URL(asked.url, "http://x");
    const name = pathname.replace("/__cb/", "");
    if (pathname === "/")
      return reply.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": policy }).end(html(files));
    if (!readdirSync(folder).includes(name)) return reply.writeHead(404).end();
    reply.writeHead(200, { "Content-Type": types[extname(name)] ?? "text/plain" }).end(readFileSync(join(folder, name)));
  });
  return site;
}

function html(files) {
  const meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">';
  const head = `${meta}<link rel="icon" href="data:,"><title>Parts</title>`;
  const links = `<link rel="stylesheet" href="/__cb/${files["chat.css"]}"><script type="module" src="/__cb/${files["chat.js"]}"></script>`;
  return `<!doctype html><html lang="en" dir="ltr"><head>${head}${links}</head><body><div id="root"></div></body></html>`;
}

/** Opens the page of the parts. `problems` must stay empty. */
export async function openKit(browser, site, options = {}) {
  const page = await newPage(browser, [site.host("127.0.0.1")], { viewport: { width: 448, height: 704 }, ...options });
  await page.goto(site.at("127.0.0.1"));
  await page.waitForFunction(() => window.kit);
  const logged = (name) =>
    page.evaluate((n) => kit.log.filter(([first]) => first === n).map(([, ...rest]) => (rest.length > 1 ? rest : rest[0])), name);
  return Object.assign(page, { logged });
}

/** Looks at a part: a picture in the folder of PARLEY_PICTURES, if that is set. */
export async function look(page, name) {
  if (process.env.PARLEY_PICTURES) await page.screenshot({ path: join(process.env.PARLEY_PICTURES, `${name}.png`) });
}
