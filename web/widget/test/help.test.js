// The help page below the host of a customer, who leads four paths to the server and nothing else.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { look } from "./kit.js";
import { sendQuestion } from "./question.js";
import { startSite, startWidgetServer } from "./server.js";

describe("the help page behind a proxy of four paths", { skip }, () => {
  let server, proxy, browser, refused;

  before(async () => {
    [server, browser] = await Promise.all([startWidgetServer(), launch()]);
    const upstream = new URL(server.at("127.0.0.1"));
    refused = [];
    proxy = await startSite((asked, reply) => {
      const path = rewrite(asked.url);
      if (!path) {
        refused.push(asked.url);
        return reply.writeHead(404).end();
      }
      const headers = { ...asked.headers, host: upstream.host, "x-forwarded-host": asked.headers.host };
      const call = request({ host: upstream.hostname, port: upstream.port, method: asked.method, path, headers }, (response) => {
        reply.writeHead(response.statusCode, response.headers);
        response.pipe(reply);
      });
      call.on("error", () => reply.destroy());
      reply.on("close", () => call.destroy());
      asked.pipe(call);
    });
  });
  after(async () => {
    await browser?.close();
    proxy?.stop();
    await server?.stop();
  });

  // rewrite is what the customer has set up: /help, /help/*, /__cb/* and /api/chat/<agentId>/*.
  const rewrite = (path) => {
    const help = /^\/help(\/[^?]*)?(\?.*)?$/.exec(path);
    if (help) return `/${server.agentId}/help${help[1] ?? ""}${help[2] ?? ""}`;
    return path.startsWith("/__cb/") || path.startsWith(`/api/chat/${server.agentId}/`) ? path : "";
  };
  const open = async (path = "/help", options = {}) => {
    const page = await newPage(browser, [proxy.host("localhost")], options);
    await page.goto(`${proxy.at("localhost")}${path}`);
    await page.getByRole("heading", { level: 1, name: "Shop help" }).waitFor();
    return page;
  };
  const ask = async (page, text) => {
    await sendQuestion(page, text);
    await page.locator("article[data-state=complete]").nth(1).waitFor(); // the question, and its answer
  };

  test("it greets, answers, and is the same after a reload, with requests to the customer's host alone", async () => {
    const page = await open("/help");
    assert.equal(await page.title(), "Shop help – Help");
    await page.getByRole("heading", { name: "How can we help?" }).waitFor();
    await page.getByText("Hi! What can I help you with?").waitFor();
    assert.equal(await page.getByRole("navigation").count(), 0);
    await look(page, "help-empty");
    await ask(page, "What is the airspeed of a swallow?");
    const said = await page.locator("[role=log]").innerText();
    assert.match(said, /What is the airspeed of a swallow\?/);
    await page.reload();
    await page.getByText("What is the airspeed of a swallow?").first().waitFor();
    assert.equal(await page.evaluate(() => location.pathname), "/help");
    await look(page, "help");
    assert.deepEqual(refused, []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test("deeper addresses show the page as well", async () => {
    const page = await open("/help/returns/abroad?x=1");
    await page.locator("textarea").waitFor();
    assert.deepEqual(refused, []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test("earlier conversations stand beside the chat where there is room, and can be opened", async () => {
    const page = await open();
    await ask(page, "First question");
    await page.getByRole("navigation", { name: "Earlier chats" }).getByRole("button", { name: "New chat" }).click();
    await page.getByRole("heading", { name: "How can we help?" }).waitFor();
    await ask(page, "Second question");
    const entries = page.getByRole("navigation").locator("li button");
    await page.waitForFunction(() => document.querySelectorAll("nav li button").length === 2);
    await look(page, "help-history");
    await entries.nth(1).click();
    await page.locator("article", { hasText: "First question" }).first().waitFor();
    assert.equal(await page.locator("article", { hasText: "Second question" }).count(), 0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("navigation").waitFor({ state: "detached" });
    await look(page, "help-phone");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Earlier chats" }).click();
    await page.getByRole("region", { name: "Earlier chats" }).locator("li").first().waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test("earlier conversations are searched for what was written in them", async () => {
    const page = await open();
    await ask(page, "First question, about a parcel");
    await page.getByRole("navigation", { name: "Earlier chats" }).getByRole("button", { name: "New chat" }).click();
    await page.getByRole("heading", { name: "How can we help?" }).waitFor();
    await ask(page, "Second question");
    const side = page.getByRole("navigation");
    await page.waitForFunction(() => document.querySelectorAll("nav li button").length === 2);
    await side.getByRole("searchbox", { name: "Search your chats" }).fill("PARCÉL");
    await side.getByRole("status").filter({ hasText: "Chats found: 1" }).waitFor();
    await look(page, "help-search");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator("article", { hasText: "about a parcel" }).first().waitFor();
    await side.getByRole("searchbox").fill("nothing of the kind");
    await side.getByRole("status").filter({ hasText: "No chat has these words." }).waitFor();
    assert.deepEqual(refused, []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test("to look at the page makes no visitor", async () => {
    const page = await newPage(browser, [proxy.host("localhost")]);
    const asked = [];
    page.on("request", (r) => asked.push(new URL(r.url()).pathname));
    await page.clock.install();
    await page.goto(`${proxy.at("localhost")}/help`);
    await page.locator("textarea").waitFor();
    await page.clock.runFor(60_000);
    assert.deepEqual(
      asked.filter((path) => path.startsWith("/api/")),
      [],
    );
    await page.context().close();
  });
});
