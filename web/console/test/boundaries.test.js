// What keeps public pages of this server from the console, if a script ran in one: each way is tried in the real
// program with its real headers, where both have one host, and where each has its own.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, patience, skip } from "./browser.js";
import { emptyScript, openPage, startGateway, startStranger, twinPage } from "./gateway.js";
import { signUp, startServer } from "./server.js";

const publicPages = ["/demo/voice", "/docs", "/docs/manual", "/docs/manual/sources", "/docs/manual/nothing"];

for (const [name, publicHost] of [
  ["one host", "localhost"],
  ["two hosts", "127.0.0.1"],
]) {
  describe(`public pages and the console on ${name}`, { skip }, () => {
    let browser, gateway, server, stranger, session, publicSite, consoleSite;

    before(async () => {
      [browser, gateway, stranger] = await Promise.all([launch(), startGateway(), startStranger()]);
      [publicSite, consoleSite] = [gateway.at(publicHost), gateway.at("localhost")];
      const env = publicHost === "localhost" ? {} : { PARLEY_CONSOLE_URL: consoleSite };
      server = await startServer({ env });
      gateway.passTo = server.ready.url;
      session = await signUp({ ...server, url: `${consoleSite}/console` });
    });
    after(async () => {
      await browser?.close();
      gateway?.stop();
      stranger?.stop();
      await server?.stop();
    });

    // visit opens pages one after the other, in a browser in which somebody has signed in to the console.
    const visit = async (addresses, use) => {
      const context = await browser.newContext();
      context.setDefaultTimeout(patience);
      try {
        await context.addCookies([session.cookie]);
        const page = await context.newPage();
        for (const address of addresses) {
          await page.goto(address);
          gateway.seen.length = 0;
          await use(page, address);
        }
      } finally {
        await context.close();
      }
    };
    const allPublic = () => publicPages.map((path) => publicSite + path);
    const withoutPolicy = () => consoleSite + openPage;
    const arrived = (method) => gateway.seen.filter((r) => !method || r.method === method);

    test("requests do not arrive", async () => {
      await visit(allPublic(), async (page, address) => {
        const results = await page.evaluate(tryRequests, consoleSite);
        assert.deepEqual([...new Set(Object.values(results))], ["refused"], `${address}: ${JSON.stringify(results)}`);
        await page.goto(`${publicSite}/demo/voice.css`); // what was sent before has arrived
        assert.deepEqual(arrived(), [], address);
      });
    });

    test("without a policy they would", async () => {
      await visit([withoutPolicy()], async (page) => {
        const results = await page.evaluate(tryRequests, consoleSite);
        assert.equal(results.fetch, "200");
        assert.ok(arrived().every((r) => r.hasSession), JSON.stringify(arrived()));
        assert.ok(arrived("POST").length > 0);
      });
    });

    test("the console is in no frame", async () => {
      await visit([...allPublic(), withoutPolicy()], async (page, address) => {
        const isOpen = address === withoutPolicy();
        const violations = await page.evaluate(tryFrame, { site: consoleSite, isOpen });
        assert.deepEqual(violations, isOpen ? [] : ["frame-src"], address);
        assert.equal(arrived("GET").length > 0, isOpen, address);
        const titles = await Promise.all(page.frames().slice(1).map((f) => f.title().catch(() => "")));
        assert.ok(!titles.some((text) => text.includes("Parley")), `${address}: ${titles}`);
      });
    });

    test("whoever opens the console gets no hold of its window", async () => {
      await visit([...allPublic(), withoutPolicy()], async (page, address) => {
        assert.equal(await readOpened(page), "SecurityError", address);
      });
    });

    test("with the console's own opener policy a page of its origin would", async () => {
      await visit([consoleSite + twinPage], async (page) => assert.match(await readOpened(page), /Parley/));
    });

    // readOpened opens the console from a page, and returns what that reads of it.
    async function readOpened(page) {
      const opened = page.context().waitForEvent("page");
      await page.evaluate((address) => void (window.opened = window.open(address)), `${consoleSite}/console/`);
      const popup = await opened;
      await popup.getByRole("heading", { level: 1 }).waitFor();
      const read = await page.evaluate(() => {
        try {
          return window.opened.document.title;
        } catch (error) {
          return error.name;
        }
      });
      await popup.close();
      return read;
    }

    test("forms are not sent to it", async () => {
      await visit(allPublic(), async (page, address) => {
        assert.deepEqual(await page.evaluate(tryForm, consoleSite), ["form-action"], address);
        assert.deepEqual(arrived("POST"), [], address);
      });
      await visit([withoutPolicy()], async (page) => {
        const answer = page.waitForNavigation();
        await page.evaluate(tryForm, consoleSite).catch(() => {}); // it leaves the page
        await answer;
        assert.deepEqual(arrived("POST").map((r) => [r.status, r.hasSession]), [[403, true]]);
      });
    });

    // That no text is taken for the address of a script comes before worker-src, which every page has as well.
    test("no page has a service worker", async () => {
      await visit([...allPublic(), `${consoleSite}/console/`], async (page, address) => {
        assert.deepEqual(await page.evaluate(tryServiceWorker, emptyScript), ["TypeError", ["require-trusted-types-for"]], address);
      });
      await visit([withoutPolicy()], async (page) => {
        assert.deepEqual(await page.evaluate(tryServiceWorker, emptyScript), ["registered", []]);
      });
    });

    test("document.domain has no effect", { skip: publicHost !== "localhost" }, async () => {
      const site = gateway.at("x.a.localhost");
      await visit([...publicPages, "/console/"].map((path) => site + path), async (page, address) => {
        const found = await page.evaluate(() => {
          document.domain = "a.localhost";
          return [window.originAgentCluster, document.domain];
        });
        assert.deepEqual(found, [true, "x.a.localhost"], address);
      });
    });

    test("a frame in another site's page sends no cookie", async () => {
      await visit([stranger.at("127.0.0.1")], async (page) => {
        await page.evaluate(loadFrame, withoutPolicy());
        const [, frame] = page.frames();
        const status = await frame.evaluate(async () => {
          const answer = await fetch("/console/api/v1/me", { headers: { "Parley-Console": "1" }, credentials: "include" });
          return answer.status;
        });
        assert.equal(status, 401);
        assert.deepEqual(arrived().map((r) => r.hasSession), [false]);
      });
    });

    test("what is on which host", { skip: publicHost === "localhost" }, async () => {
      const status = async (address) => (await fetch(address, { redirect: "manual" })).status;
      for (const path of ["/console/", "/console/api/v1/session"]) assert.equal(await status(publicSite + path), 404, path);
      for (const path of ["/demo/voice", "/docs", "/openapi.json"]) assert.equal(await status(consoleSite + path), 404, path);
      assert.equal(await status(`${consoleSite}/docs/manual`), 200);
    });
  });
}

// The functions below run in pages.

// tryRequests returns for each kind of request whether it was refused, or else its result.
async function tryRequests(site) {
  const me = `${site}/console/api/v1/me`;
  const own = { "Parley-Console": "1" };
  const blocked = [];
  document.addEventListener("securitypolicyviolation", (e) => blocked.push(e.blockedURI));
  const refusedIf = (isRefused, otherwise) => (isRefused ? "refused" : otherwise);
  const viaXHR = () =>
    new Promise((resolve) => {
      const call = new XMLHttpRequest();
      call.open("GET", me);
      call.onload = () => resolve(String(call.status));
      call.onerror = () => resolve("refused");
      call.send();
    });
  const viaEvents = () =>
    new Promise((resolve) => {
      const source = new EventSource(`${site}/console/api/v1/events`);
      const end = (result) => (source.close(), resolve(result));
      source.onopen = () => end("open");
      source.onerror = () => end("refused");
    });
  const viaSocket = () =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${site.replace("http", "ws")}/console/api/v1/x`);
      socket.onopen = () => resolve("open");
      socket.onerror = () => resolve("refused");
    });
  const via = (path, init) =>
    fetch(site + path, { credentials: "include", ...init }).then((r) => String(r.status), () => "refused");
  const results = {
    fetch: await via("/console/api/v1/me", { headers: own }),
    rest: await via("/console/api/v2/agents", { headers: own }),
    dots: await via("/demo/voice/../../console/api/v1/me", { headers: own }),
    noCors: await via("/console/api/v1/session", { mode: "no-cors", method: "POST", body: "{}" }),
    delete: await via("/console/api/v1/me/sessions/none", { method: "DELETE", headers: own }),
    xhr: await viaXHR(),
    events: await viaEvents(),
    socket: await viaSocket(),
  };
  navigator.sendBeacon(`${site}/console/api/v1/session`, "{}");
  await new Promise((done) => setTimeout(done)); // the report of the beacon is behind this
  results.beacon = refusedIf(blocked.some((address) => address.endsWith("/console/api/v1/session")), "sent");
  return results;
}

// What is refused is reported before or after the frame says that it has loaded.
async function tryFrame({ site, isOpen }) {
  const violations = [];
  const reported = new Promise((done) => document.addEventListener("securitypolicyviolation", (e) => done(violations.push(e.effectiveDirective))));
  const frame = document.createElement("iframe");
  frame.src = `${site}/console/`;
  const loaded = new Promise((done) => frame.addEventListener("load", done));
  document.body.append(frame);
  await Promise.all([loaded, isOpen || reported]);
  return violations;
}

async function tryForm(site) {
  const violations = [];
  const reported = new Promise((done) => document.addEventListener("securitypolicyviolation", (e) => done(violations.push(e.effectiveDirective))));
  const form = Object.assign(document.createElement("form"), { method: "post", enctype: "text/plain" });
  form.action = `${site}/console/api/v1/session`;
  const field = Object.assign(document.createElement("input"), { name: '{"a":"', value: '"}' });
  form.append(field);
  document.body.append(form);
  form.submit();
  await reported;
  return violations;
}

async function tryServiceWorker(script) {
  const violations = [];
  document.addEventListener("securitypolicyviolation", (e) => violations.push(e.effectiveDirective));
  try {
    await navigator.serviceWorker.register(script);
    return ["registered", violations];
  } catch (error) {
    await new Promise((done) => setTimeout(done)); // the report is a task of its own
    return [error.name, violations];
  }
}

async function loadFrame(address) {
  const frame = document.createElement("iframe");
  frame.src = address;
  const loaded = new Promise((done) => frame.addEventListener("load", done));
  document.body.append(frame);
  await loaded;
}
