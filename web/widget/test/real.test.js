// The real chat of the real program, on pages of another site: in the bubble, in a frame of the page's own, and over the
// middle of the page.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { snippet } from "./pages.js";
import { sendQuestion } from "./question.js";
import { startHostSite, startWidgetServer } from "./server.js";

describe("the chat on other sites", { skip }, () => {
  let browser, server, site, base;

  before(async () => {
    [browser, server, site] = await Promise.all([launch(), startWidgetServer(), startHostSite()]);
    base = server.at("127.0.0.1");
  });
  after(async () => {
    await browser?.close();
    site?.stop();
    await server?.stop();
  });

  const open = async (content, use) => {
    site.pages["/"] = content;
    const page = await newPage(browser, [server.host("127.0.0.1"), site.host("localhost")], { locale: "en" });
    try {
      await page.goto(`${site.at("localhost")}/`);
      await use(page);
      assert.deepEqual(page.problems, []);
    } finally {
      await page.context().close();
    }
  };
  const answers = (page, count) =>
    page.waitForFunction((n) => window.heard.filter((e) => e.type === "assistant-message").length >= n, count);
  const hearing = (name = "chatbase") => `
    window.heard = [];
    for (const type of ["user-message", "assistant-message", "conversation-started"]) {
      ${name}.addEventListener(type, (e) => heard.push(e));
    }`;

  test("a question is answered, a reload goes on with it, and a new chat begins", async () => {
    await open(snippet(base, server.agentId, hearing()), async (page) => {
      const chat = page.frameLocator("#chatbase-bubble-window");
      await page.locator("#chatbase-bubble-button").click();
      await sendQuestion(chat, "Hello");
      await answers(page, 1);
      const heard = await page.evaluate(() => window.heard);
      assert.deepEqual(heard.filter((e) => e.type === "user-message").map((e) => e.content), ["Hello"]);
      assert.ok(heard.some((e) => e.type === "conversation-started" && e.data.conversationId));
      const answer = heard.find((e) => e.type === "assistant-message").content;
      await page.reload();
      await chat.getByText("Hello", { exact: true }).waitFor();
      await chat.getByText(answer.slice(0, 30)).first().waitFor();
      await page.evaluate(() => window.chatbase.resetChat());
      await chat.getByText("Hello", { exact: true }).waitFor({ state: "detached" });
    });
  });

  test("the page sets texts, sends messages, and closes the window from inside", async () => {
    const options = { displayName: "Ask Ann", messagePlaceholder: "Your words", initialMessages: ["Welcome to the shop"] };
    const calls = `chatbase.setOptions(${JSON.stringify(options)});`;
    await open(snippet(base, server.agentId, hearing() + calls), async (page) => {
      const chat = page.frameLocator("#chatbase-bubble-window");
      await page.waitForFunction(() => window.chatbase("getState") === "initialized");
      await page.evaluate(() => window.chatbase.open({ message: "From the page" }));
      await answers(page, 1);
      await chat.getByText("Welcome to the shop").waitFor();
      await chat.getByRole("heading", { level: 1, name: "Ask Ann" }).waitFor();
      await chat.getByPlaceholder("Your words").press("Escape");
      await page.waitForFunction(() => !window.chatbase.isOpen());
      assert.equal(await page.locator("#chatbase-bubble-button").getAttribute("aria-label"), "Ask Ann");
    });
  });

  test("a frame of the page's own is told messages in every shape, and tells its own", async () => {
    const address = `${base}/chatbot-iframe/${server.agentId}`;
    const body = `<iframe id="own" src="${address}" allow="microphone" style="width:100%;height:700px"></iframe><script>
      window.heard = [];
      addEventListener("message", (e) => e.source === own.contentWindow && heard.push(e.data));</script>`;
    await open(body, async (page) => {
      await page.waitForFunction(() => window.heard.some((m) => m.type === "iframeReady"));
      const post = ([message, to]) => document.getElementById("own").contentWindow.postMessage(message, to);
      const tell = (message) => page.evaluate(post, [message, base]);
      const chat = page.frameLocator("#own");
      await tell({ type: "setInitialMessages", payload: ["By payload"] });
      await chat.getByText("By payload").waitFor();
      await tell({ type: "setInitialMessages", messages: ["By member"] });
      await chat.getByText("By member", { exact: true }).waitFor();
      await tell({ type: "setInitialMessages", nothing: true });
      await tell({ type: "setOptions", displayName: "By members" });
      await chat.getByRole("heading", { level: 1, name: "By members" }).waitFor();
      await tell({ type: "send", data: { message: "By data" } });
      await page.waitForFunction(() => window.heard.some((m) => m.type === "assistant-message" && m.data.content));
      assert.equal(await chat.getByText("By member", { exact: true }).count(), 1);
      assert.equal(await chat.getByRole("button", { name: "Close" }).count(), 0);
      await tell({ type: "open", data: { message: "By open" } });
      await chat.locator("article", { hasText: "By open" }).first().waitFor();
      await chat.locator("textarea:focus").waitFor();
    });
  });

  test("what ends the chat before the frame knows of it ends it", async () => {
    for (const type of ["resetChat", "logout"]) {
      await open("", async (page) => {
        await page.goto(`${base}/chatbot-iframe/${server.agentId}`);
        await sendQuestion(page, "Hello");
        await page.getByRole("log").getByText("Hello", { exact: true }).waitFor();
        await page.locator("article[data-state=complete]").nth(1).waitFor();
        await page.addInitScript((type) => addEventListener("DOMContentLoaded", () => window.postMessage({ type }, location.origin)), type);
        await page.reload();
        await sendQuestion(page, "Once more");
        await page.getByRole("log").getByText("Once more", { exact: true }).waitFor();
        await page.locator("article[data-state=complete]").nth(1).waitFor();
        assert.equal(await page.getByRole("log").getByText("Hello", { exact: true }).count(), 0);
      });
    }
  });

  test("a web view is told the same, in the ways of all three", async () => {
    const bridge = () => {
      const told = (window.told = { native: [], webkit: [], flutter: [] });
      window.ReactNativeWebView = { postMessage: (text) => told.native.push(JSON.parse(text).type) };
      const parley = { postMessage: ({ type }) => told.webkit.push(type) };
      Object.defineProperty(window, "webkit", { value: { messageHandlers: { parley } } });
      window.flutter_inappwebview = { callHandler: (name, { type }) => told.flutter.push(name === "parley" && type) };
    };
    await open("", async (page) => {
      await page.addInitScript(bridge);
      await page.goto(`${base}/chatbot-iframe/${server.agentId}`);
      await page.waitForFunction(() => window.told.native.includes("iframeReady"));
      await page.evaluate(() => window.postMessage({ type: "send", data: { message: "From the app" } }, location.origin));
      await page.waitForFunction(() => window.told.native.includes("assistant-message"));
      const { native, webkit, flutter } = await page.evaluate(() => window.told);
      assert.deepEqual([webkit, flutter], [native, native]);
    });
  });

  test("a frame hears the page that shows it, and no frame beside it", async () => {
    const address = `${base}/chatbot-iframe/${server.agentId}`;
    const body = `<iframe id="own" src="${address}" style="width:100%;height:700px"></iframe><iframe id="other" src="about:blank"></iframe>
      <script>window.heard = [];
      addEventListener("message", (e) => e.source === own.contentWindow && heard.push(e.data));</script>`;
    await open(body, async (page) => {
      await page.waitForFunction(() => window.heard.some((m) => m.type === "iframeReady"));
      const post = (isOther, name) => {
        const message = { type: "setOptions", data: { displayName: name } };
        const { contentWindow } = document.getElementById("own");
        if (!isOther) return contentWindow.postMessage(message, "*");
        const script = document.createElement("script");
        script.textContent = `parent.document.getElementById("own").contentWindow.postMessage(${JSON.stringify(message)}, "*")`;
        document.getElementById("other").contentDocument.body.append(script);
      };
      const heading = (name) => page.frameLocator("#own").getByRole("heading", { level: 1, name });
      await page.evaluate(`(${post})(false, "By the page")`);
      await heading("By the page").waitFor();
      await page.evaluate(`(${post})(true, "By another")`);
      await page.evaluate(`(${post})(false, "Once more")`);
      await heading("Once more").waitFor();
      assert.equal(await heading("By another").count(), 0);
    });
  });

  test("center stage opens and sends", async () => {
    await server.call("PUT", `/v2/agents/${server.agentId}/styles`, { styles: { centerStage: { enabled: true } } });
    const script = { name: "chatbaseCenterStage", file: "center-stage-embed.min.js" };
    const calls = `${hearing("chatbaseCenterStage")} chatbaseCenterStage.sendMessage("On stage", {});`;
    await open(snippet(base, server.agentId, calls, script), async (page) => {
      await answers(page, 1);
      const chat = page.frameLocator("#chatbase-center-stage-iframe");
      assert.equal(await chat.getByRole("dialog").getAttribute("aria-modal"), "true");
      await chat.getByText("On stage", { exact: true }).waitFor();
    });
  });
});
