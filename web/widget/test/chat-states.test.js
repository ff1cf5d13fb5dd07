// What the chat says and does when a message is not answered as usual, and when the page's tools are called.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, leavePage, newPage, skip } from "./browser.js";
import * as A from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";
import { until } from "./setup.js";

describe("the chat", { skip }, () => {
  let server, browser;
  let free; // a page that no test has at present
  before(async () => {
    [server, browser] = await Promise.all([serveFrames(), launch()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  const open = async (routes, use, config = {}) => {
    server.config = A.config(config);
    server.answer = A.answers(routes);
    server.asked.length = 0;
    const page = free ?? (await newPage(browser, [server.host("127.0.0.1")], { viewport: { width: 448, height: 704 }, locale: "en" }));
    if (!free) await page.clock.install();
    free = undefined;
    try {
      await page.goto(`${server.at("127.0.0.1")}/chatbot-iframe/${A.agentId}`);
      const field = page.locator("textarea");
      await field.waitFor();
      const ask = async (text) => (await field.fill(text), await field.press("Enter"));
      await use(page, ask, field);
      await leavePage(page, server.at("127.0.0.1"));
      free = page;
    } finally {
      if (!free) await page.context().close();
    }
  };

  test("too many messages: the agent's own words, a countdown, and the message can be sent again", async () => {
    let count = 0;
    const limited = A.refusal(429, "RATE_LIMIT_TOO_MANY_REQUESTS", "One at a time, please.", { "Retry-After": "50" },
      { reason: "own_words" });
    const routes = { "POST /messages": () => (count++ === 0 ? limited : A.stream(A.answerEvents())) };
    await open(routes, async (page, ask) => {
      await ask("How do I return shoes?");
      await page.getByText(/One at a time, please\. You can write again in \d/).waitFor();
      assert.match(await page.getByRole("timer").textContent(), /^You can write again in \d/); // which nobody hears each second
      assert.equal(await page.getByText("RATE_LIMIT").count(), 0);
      await page.clock.fastForward(51_000);
      await page.getByText("One at a time, please.").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("log").getByText("The label is in the parcel.").waitFor();
      assert.equal(await page.locator("article[data-state=unsent]").count(), 0);
    });
  });

  test("how long one has to wait is said in minutes and hours where it is long", async () => {
    for (const [seconds, text] of [["300", "in 5 minutes"], ["40000", "in 12 hours"]]) {
      const limited = A.refusal(429, "RATE_LIMIT_TOO_MANY_REQUESTS", "Enough for today.", { "Retry-After": seconds });
      await open({ "POST /messages": limited }, async (page, ask) => {
        await ask("How do I return shoes?");
        await page.getByRole("timer").getByText(`You can write again ${text}.`).waitFor();
        await page.getByText("That was a lot at once. Please wait a moment.").waitFor(); // words of the visitor's language
        assert.equal(await page.getByText("Enough for today.").count(), 0);
      });
    }
  });

  test("no credits left: a calm sentence, and nothing more is sent", async () => {
    const routes = { "POST /messages": A.refusal(402, "CHAT_CREDITS_EXHAUSTED", "The account has no message credits left.") };
    await open(routes, async (page, ask) => {
      await ask("How do I return shoes?");
      await page.getByText("The chat cannot answer right now.").waitFor();
      assert.equal(await page.locator("textarea").count(), 0);
      assert.equal(await page.getByText("message credits").count(), 0);
    });
  });

  test("an address from which nobody gets the chat: the sentence, and no form that would not be taken", async () => {
    const leads = { toolName: "collect-leads", title: "", fields: ["email"] };
    await open({ "POST /messages": A.refusal(403, "AUTH_ADDRESS_BLOCKED", "Not for you.") }, async (page, ask) => {
      await ask("How do I return shoes?");
      await page.getByText("The chat cannot answer right now.").waitFor();
      assert.equal(await page.locator("textarea, input").count(), 0);
    }, { leads });
  });

  test("an answer that has failed: nobody hears any more that it is written", async () => {
    const events = A.answerEvents({ error: "It broke." });
    const none = [200, { data: A.history([A.user("How do I return shoes?")]) }];
    await open({ "POST /messages": () => A.stream(events), "GET /conversation/{id}": none }, async (page, ask) => {
      await ask("How do I return shoes?");
      await page.getByRole("alert").filter({ hasText: "could not be written" }).waitFor();
      await until(async () => (await page.getByRole("status").filter({ hasText: "is writing" }).count()) === 0);
    });
  });

  test("a conversation that still answers: the message waits and is sent once, with one key", async () => {
    let count = 0;
    const busy = A.refusal(409, "CHAT_CONVERSATION_BUSY", "Still answering.", { "Retry-After": "50" });
    const routes = { "POST /messages": () => (count++ < 2 ? busy : A.stream(A.answerEvents())) };
    await open(routes, async (page, ask) => {
      await ask("How do I return shoes?");
      await page.getByText("Your message goes next.").waitFor();
      const answer = page.getByRole("log").getByText("The label is in the parcel.");
      await until(async () => (await page.clock.fastForward(51_000), await answer.isVisible()));
      const sent = server.asked.filter(({ path }) => path === "/messages");
      assert.equal(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size, 1);
      assert.equal(new Set(sent.map(({ body }) => JSON.stringify(body))).size, 1);
    });
  });

  test("a tool of the page that is not there has an error as its result at once, and the agent goes on", async () => {
    let count = 0;
    const called = [
      ...A.beginning(A.answerEvents({ metadata: { turnId: "t" } }), 2),
      { type: "tool-input-available", toolCallId: "call_1", toolName: "order_status", input: { number: 4711 } },
      { type: "finish", finishReason: "tool-calls", messageMetadata: { messageId: "msg_a", finishReason: "tool-calls", citations: [] } },
    ];
    const routes = {
      "POST /messages": () => A.stream(count++ === 0 ? called : A.answerEvents()),
      "POST /tool-result": [200, { data: { success: true } }],
    };
    await open(routes, async (page, ask) => {
      await ask("Where is my order?");
      await until(() => server.asked.filter(({ path }) => path === "/messages").length === 2);
      const result = server.asked.find(({ path }) => path === "/tool-result");
      assert.deepEqual([result.body.toolCallId, result.body.output.status], ["call_1", "error"]);
      const last = server.asked.filter(({ path }) => path === "/messages").at(-1);
      assert.equal(last.body.message, undefined);
    });
  });

  test("an agent that calls the page without an end is stopped after ten rounds", async () => {
    let count = 0;
    const call = () => [
      ...A.beginning(A.answerEvents({ metadata: { turnId: `t${count}` } }), 2),
      { type: "tool-input-available", toolCallId: `call_${++count}`, toolName: "order_status", input: {} },
      { type: "finish", finishReason: "tool-calls",
        messageMetadata: { messageId: `msg_a${count}`, finishReason: "tool-calls", citations: [] } },
    ];
    await open({ "POST /messages": () => A.stream(call()) }, async (page, ask) => {
      await page.evaluate(() => {
        window.told = [];
        window.ReactNativeWebView = { postMessage: (text) => window.told.push(JSON.parse(text)) };
      });
      await ask("Where is my order?");
      await page.waitForFunction(() => window.told.some(({ type, data }) => type === "error" && data.code === "TOO_MANY_ROUNDS"));
      assert.equal(server.asked.filter(({ path }) => path === "/messages").length, 11); // the question, and ten rounds
      await page.getByRole("alert").filter({ hasText: "could not be written" }).waitFor();
    });
  });

  test("a long word, a script and a link of an answer are text and a link that tells nothing", async () => {
    const links = "[see](https://shop.example/a) ![pic](https://evil.example/p.png) [bad](javascript:alert(1))";
    const answer = `<img src=x onerror=alert(1)> ${links}`;
    await open({ "POST /messages": () => A.stream(A.answerEvents({ answer, size: 1 })) }, async (page, ask) => {
      await ask("Show me");
      await page.getByRole("link", { name: "see" }).waitFor();
      assert.equal(await page.locator("[role=log] img").count(), 0);
      const link = page.getByRole("link", { name: "see" });
      assert.equal(await link.getAttribute("rel"), "noopener noreferrer nofollow ugc");
      assert.equal(await page.getByRole("link", { name: "bad" }).count(), 0);
      assert.deepEqual(page.problems, []);
    });
  });

  test("a call says where it begins, as a message does", async () => {
    const { styles, features } = A.config({}, { showVoiceMode: true });
    const routes = { "POST /voice/sessions": A.refusal(403, "VOICE_NOT_AVAILABLE", "The agent does not speak.") };
    await open(routes, async (page) => {
      await page.evaluate(() => postMessage({ type: "page", data: { url: "https://shop.example/cart" } }, location.origin));
      await page.getByRole("button", { name: "Talk to the assistant" }).click();
      await page.getByText("Calls are not available right now.").waitFor();
      const { body } = server.asked.find(({ path }) => path === "/voice/sessions");
      assert.deepEqual([body.mode, body.page], ["iframe", "https://shop.example/cart"]);
    }, { styles, features: { ...features, voice: true } });
  });

  test("a call that is beyond a limit does not begin, and a calm sentence says so", async () => {
    const { styles, features } = A.config({}, { showVoiceMode: true });
    const tooMany = (wait) => A.refusal(429, "RATE_LIMIT_TOO_MANY_REQUESTS", "Enough.", { "Retry-After": wait });
    for (const [refusal, sentence] of [
      [A.refusal(403, "AGENT_CREDITS_LIMIT_REACHED", "No credits."), "Calls are not available right now."],
      [tooMany("40000"), "Calls are not available right now."],
      [tooMany("40"), "All lines are busy. Please try again in a moment."],
    ]) {
      await open({ "POST /voice/sessions": refusal }, async (page) => {
        await page.getByRole("button", { name: "Talk to the assistant" }).click();
        await page.getByText(sentence).waitFor();
      }, { styles, features: { ...features, voice: true } });
    }
  });

  test("the arrows open the menu at its first and at its last entry, also before it is loaded", async () => {
    for (const [key, entry] of [["ArrowDown", "New chat"], ["ArrowUp", "Language"]]) {
      await open({}, async (page) => {
        await page.getByRole("button", { name: "More", exact: true }).focus();
        await page.keyboard.press(key);
        await page.locator("[role=menuitem]:focus", { hasText: entry }).waitFor();
      });
    }
  });

  test("Shift-Enter begins a line, and a word that is being composed is not sent", async () => {
    await open({}, async (page, ask, field) => {
      await field.fill("one");
      await field.press("Shift+Enter");
      await field.pressSequentially("two");
      assert.equal(await field.inputValue(), "one\ntwo");
      await field.dispatchEvent("keydown", { key: "Enter", isComposing: true });
      assert.equal(server.asked.filter(({ path }) => path === "/messages").length, 0);
      await field.press("Enter");
      await page.getByRole("log").getByText("The label is in the parcel.").waitFor();
      assert.equal(server.asked.find(({ path }) => path === "/messages").body.message, "one\ntwo");
    });
  });
});
