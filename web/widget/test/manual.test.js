// What the manual tells people to put into their pages, taken out of it and done with the real program.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { sendQuestion } from "./question.js";
import { startHostSite, startWidgetServer } from "./server.js";

const chapter = (name) => readFileSync(join(import.meta.dirname, `../../../docs/manual/${name}.md`), "utf8");
const manual = chapter("widget");

/** The text of the answer to a question of a chapter. */
function answerTo(question, text = manual) {
  const [, rest] = text.split(`## ${question}\n`);
  assert.ok(rest, question);
  return rest.split("\n## ")[0];
}

const block = (question, text) => /```\w*\n([\s\S]*?)```/.exec(answerTo(question, text))[1];
const codeOf = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);

/** The first code of an answer that begins with a word. */
const inline = (question, start) => codeOf(answerTo(question)).find((code) => code.startsWith(start));

describe("the manual", { skip }, () => {
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

  const own = (code) => code.replaceAll("https://agents.example.com", base).replaceAll("AGENT_ID", server.agentId);
  const open = async (body, use, { head = "", expected } = {}) => {
    site.pages["/"] = { head, body };
    const page = await newPage(browser, [server.host("127.0.0.1"), site.host("localhost")], { locale: "en" });
    try {
      await page.goto(`${site.at("localhost")}/`);
      await use(page);
      assert.deepEqual(page.problems.filter((text) => !expected?.test(text)), []);
    } finally {
      await page.context().close();
    }
  };
  const isUp = (page) => page.waitForFunction(() => window.chatbase?.("getState") === "initialized");
  const snippet = () => own(block("How do I put an agent's chat on my website?"));

  test("every way of loading shows the chat", async () => {
    const shortest = own(inline("What is the shortest way to embed the chat?", "<script"));
    for (const body of [snippet(), shortest]) {
      await open(body, async (page) => {
        await isUp(page);
        await page.locator("#chatbase-bubble-button").click();
        await page.frameLocator("#chatbase-bubble-window").getByRole("textbox").waitFor();
      });
    }
    await open(own(inline("How do I show the chat inside my page?", "<iframe")), async (page) => {
      await page.frameLocator("iframe").getByRole("textbox").waitFor();
    });
  });

  test("every command is known, and every event of a message comes", async () => {
    const rows = answerTo("Which commands does a page have for the chat?").split("\n").filter((line) => line.startsWith("| `"));
    const commands = rows.flatMap((row) => codeOf(row.split("|")[1])).map((code) => code.split("(")[0]);
    const events = codeOf(answerTo("Which events does the chat tell the page?")).filter((code) => /^[a-z]+(-[a-z]+)*$/.test(code));
    const functions = block("How does an agent use functions of my page?") + block("How does my page describe a form?");
    assert.ok(commands.length > 15 && events.includes("handover"), `${commands} ${events}`);
    await open(snippet(), async (page) => {
      await isUp(page);
      await page.evaluate((names) => {
        window.heard = [];
        for (const name of names) {
          chatbase.addEventListener(name, (event) => heard.push(event.type));
          addEventListener(`chatbase:${name}`, () => heard.push(`window ${name}`));
        }
      }, events);
      await page.evaluate(`const cart = { items: [] }; ${functions}; 0`); // what commands return may wait for the chat
      await page.evaluate(() => chatbase.open({ message: "Hello" }));
      await page.waitForFunction(() => heard.includes("assistant-message") && heard.includes("window assistant-message"));
      const heard = await page.evaluate(() => window.heard);
      for (const name of ["open", "user-message", "conversation-started"]) {
        assert.ok(heard.includes(name) && heard.includes(`window ${name}`), name);
      }
      const given = { setInitialMessages: ["Hi"], setOptions: {}, setLocale: "de", identify: { user_metadata: {} } };
      for (const name of commands.filter((one) => one !== "destroy")) {
        await page.evaluate(([command, value]) => void chatbase(command, value), [name, given[name]]);
      }
      await page.evaluate(() => chatbase.destroy());
      assert.equal(await page.locator("#chatbase-bubble-button").count(), 0);
    });
  });

  test("a hash as the manual has it names the user, and another is refused", async () => {
    const words = answerTo("Can I identify users by a hash?", chapter("widget-identity"));
    assert.match(words, /hexadecimal HMAC-SHA256 of the user's id/);
    const { secret } = await server.call("GET", `/v1/agents/${server.agentId}/identity-secret`);
    const hash = createHmac("sha256", secret).update("anna").digest("hex");
    await open(snippet(), async (page) => {
      await isUp(page);
      await page.evaluate(([user_id, user_hash]) => {
        window.faults = [];
        chatbase.addEventListener("error", ({ data }) => faults.push(data));
        chatbase.addEventListener("assistant-message", () => (window.isAnswered = true));
        chatbase.identify({ user_id, user_hash });
        void chatbase.open();
      }, ["anna", hash]);
      await sendQuestion(page.frameLocator("#chatbase-bubble-window"), "It is me");
      await page.waitForFunction(() => window.isAnswered);
      assert.deepEqual(await page.evaluate(() => window.faults), []);
      const { data } = await server.call("GET", `/v2/agents/${server.agentId}/conversations/export`);
      assert.ok(data.some(({ userId }) => userId === "anna"), JSON.stringify(data));
      await page.evaluate((wrong) => chatbase.identify({ user_id: "bert", user_hash: wrong }), hash);
      await page.waitForFunction(() => window.faults.length > 0);
    }, { expected: /status of 403|identity was refused/ });
  });
});
