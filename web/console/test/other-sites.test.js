// Pages of other sites, and of another port of this host, which to a browser is the same site: none of them can have a
// browser do anything in the console, although somebody has signed in there. Real cookies, the real program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, newPage, patience, skip } from "./browser.js";
import { startGateway, startStranger } from "./gateway.js";
import { serveBefore } from "./proxy.js";
import { signUp, startServer } from "./server.js";

const root = join(import.meta.dirname, "../../..");
const unknown = "00000000-0000-4000-8000-000000000000";

/** All operations of a document, as [method, path below /console/api]. */
function operations(file, version) {
  const { paths } = JSON.parse(readFileSync(join(root, file), "utf8"));
  const prefix = (path) => path.replace(/^(\/console)?\/api\/v\d|^/, "").replaceAll(/\{\w+\}/g, unknown);
  return Object.entries(paths).flatMap(([path, item]) =>
    ["get", "post", "put", "patch", "delete"]
      .filter((method) => item[method])
      .map((method) => [method.toUpperCase(), `/console/api/${version}${prefix(path)}`]),
  );
}

const all = [...operations("internal/console/openapi.json", "v1"), ...operations("internal/api/v2/openapi.json", "v2")];
const writing = all.filter(([method]) => method !== "GET");
const reading = all.filter(([method]) => method === "GET");

describe("other sites", { skip }, () => {
  let browser, gateway, server, stranger, session;
  before(async () => {
    [browser, gateway, stranger, server] = await Promise.all([launch(), startGateway(), startStranger(), startServer()]);
    gateway.passTo = server.ready.url;
    session = await signUp(server);
  });
  after(async () => {
    await browser?.close();
    gateway?.stop();
    stranger?.stop();
    await server?.stop();
  });

  const open = async (address, use) => {
    const context = await browser.newContext();
    context.setDefaultTimeout(patience);
    try {
      await context.addCookies([session.cookie]);
      const page = await context.newPage();
      await page.goto(address);
      gateway.seen.length = 0;
      await use(page);
    } finally {
      await context.close();
    }
  };

  for (const [name, host, hasSession] of [
    ["another site", "127.0.0.1", false],
    ["another port of the same host", "localhost", true],
  ]) {
    test(`from ${name} nothing is written`, async () => {
      assert.ok(writing.length > 80, `${writing.length} operations`);
      const before = await state();
      await open(stranger.at(host), async (page) => {
        const { refused } = await page.evaluate(writeAll, [gateway.at("localhost"), writing]);
        assert.equal(refused, writing.length); // what needs leave is not sent at all
        const sent = gateway.seen.filter((r) => r.method === "POST");
        assert.equal(sent.length, writing.length * 2);
        assert.deepEqual(sent.filter((r) => r.status < 400 || r.hasSession !== hasSession), []);
        assert.deepEqual(gateway.seen.filter((r) => r.method !== "POST" && r.method !== "OPTIONS"), []);
        assert.deepEqual(gateway.seen.filter((r) => r.method === "OPTIONS" && r.status < 400), []);
      });
      assert.deepEqual(await state(), before);
    });

    test(`from ${name} nothing is read, and no request of the person is used up`, async () => {
      await open(stranger.at(host), async (page) => {
        await page.evaluate(readAll, [gateway.at("localhost"), reading]);
        assert.equal(gateway.seen.length, reading.length);
        assert.deepEqual(gateway.seen.filter((r) => r.status !== 403 || r.hasSession !== hasSession), []);
      });
    });

    test(`a form from ${name} does nothing`, async () => {
      await open(stranger.at(host), async (page) => {
        for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
          const left = page.waitForNavigation();
          await page.evaluate(sendForm, [`${gateway.at("localhost")}/console/api/v2/agents`, type]);
          await left;
          await page.goto(stranger.at(host));
        }
        assert.deepEqual(gateway.seen.map((r) => [r.status, r.hasSession]), Array(3).fill([403, hasSession]));
      });
    });
  }

  // state is what would be another one after a change.
  async function state() {
    const paths = ["/v1/session", "/v1/members", "/v1/keys", "/v2/agents", "/v1/me/sessions", "/v1/me/passkeys"];
    const texts = await Promise.all(paths.map((path) => session.call("GET", path)));
    return JSON.stringify(texts).replaceAll(/"lastSeenAt":(null|"[^"]*")/g, "");
  }
});

describe("a connection that is not safe", { skip }, () => {
  const name = "console.test";
  let browser, front, server;
  before(async () => {
    server = await startServer();
    front = await serveBefore(process.env.PARLEY_CONSOLE_BUILD, server.ready.url);
    browser = await launch([`--host-resolver-rules=MAP ${name} 127.0.0.1`]);
  });
  after(async () => {
    await browser?.close();
    front?.stop();
    await server?.stop();
  });

  test("nobody is asked for a password, and the page names what to set", async () => {
    const origin = front.origin.replace("localhost", name);
    const page = await newPage(browser, origin, { locale: "en" });
    for (const path of ["/console/", "/console/setup#x", "/console/redeem#x"]) {
      await page.goto("about:blank");
      await page.goto(origin + path);
      await page.getByRole("heading", { name: "This connection is not safe" }).waitFor();
      await page.getByText("PARLEY_BASE_URL").waitFor();
      await page.getByText("PARLEY_TRUST_PROXY").waitFor();
      assert.equal(await page.getByRole("textbox").count(), 0);
      const help = await page.getByRole("link").getAttribute("href");
      assert.equal(help, "/docs/manual/signing-in#why-does-the-console-want-https");
    }
    // A browser ignores the opener policy where the page came over plain HTTP, and says so.
    assert.deepEqual(page.problems.filter((text) => !/Opener-Policy|Agent-Cluster/.test(text)), []);
    await page.context().close();
  });
});

// The functions below run in pages.

// writeAll tries each operation in two ways that need no leave, and with the console's own header, which does. The page
// gets none of the answers.
async function writeAll([site, list]) {
  let refused = 0;
  const one = async ([method, path]) => {
    const simple = { method: "POST", mode: "no-cors", credentials: "include" };
    for (const body of ["{}", new URLSearchParams({ name: "x" })]) await fetch(site + path, { ...simple, body }).catch(() => {});
    const headers = { "Parley-Console": "1", "Content-Type": "application/json" };
    await fetch(site + path, { method, credentials: "include", headers, body: "{}" }).catch(() => (refused += 1));
  };
  // a few at a time, as many as a browser sends
  for (let at = 0; at < list.length; at += 6) await Promise.all(list.slice(at, at + 6).map(one));
  return { refused };
}

async function readAll([site, list]) {
  await Promise.all(list.map(([, path]) => fetch(site + path, { mode: "no-cors", credentials: "include" }).catch(() => {})));
}

function sendForm([address, enctype]) {
  const form = Object.assign(document.createElement("form"), { method: "post", enctype, action: address });
  form.append(Object.assign(document.createElement("input"), { name: '{"name":"', value: '"}' }));
  document.body.append(form);
  form.submit();
}
