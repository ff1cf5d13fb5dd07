// The playground, as a person uses it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { assertSoon, skip } from "./browser.js";
import { eventsOf, explain, metadata, streamOf } from "./playground-answers.js";
import { sendQuestion } from "./screen-states.js";
import { useSamePages } from "./setup.js";
import { runnerImport } from "vite";

const [{ id }] = agents;
const path = `/agents/${id}/playground`;
const withSettings = agents.map((agent) => ({ ...agent, instructions: "You are the help desk.", temp: 0.2, suggestedMessages: null }));

describe("playground", { skip }, () => {
  const open = useSamePages();
  const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
  const bodies = (answer, route) => answer.state.asked.filter((a) => `${a.method} ${a.path}` === route).map(({ body }) => body);
  const spoken = (page, text) => page.locator("[data-testid=spoken]", { hasText: text }).waitFor({ state: "attached" });
  const describedBy = async (place, text) => {
    const ids = (await place.getAttribute("aria-describedby")).split(" ");
    const texts = ids.map((id) => place.page().locator(`[id="${id}"]`).textContent());
    assert.equal((await Promise.all(texts)).join(" "), text);
  };
  const withStream = (base, streamed) =>
    Object.assign((asked) => (/\/playground$/.test(asked.path) && asked.method === "POST" ? (base(asked), streamed(asked)) : base(asked)), { state: base.state });

  test("a question is asked with the draft, and its answer is explained", async () => {
    const answer = answers({ list: withSettings });
    await open(answer, path, async (page) => {
      await page.getByLabel("Instructions").fill("Be brief.");
      await page.getByText("track_order").click();
      await page.getByText("1 change", { exact: true }).waitFor();
      await press(page, "How do I return shoes?");
      await spoken(page, "The label is in the parcel.");
      const draft = { instructions: "Be brief.", actions: [] };
      assert.deepEqual(bodies(answer, `POST /v1/agents/${id}/playground`), [{ message: "How do I return shoes?", draft }]);
      await page.getByText("It answered from 2 passages of Returns policy and Shipping FAQ; the best is number 1 of 3.").waitFor();
      await page.getByText("It is 92% sure. From 48% on").waitFor();
      await sendQuestion(page, "And without the receipt?");
      await page.getByRole("button", { name: "Good answer" }).nth(1).waitFor();
      const [, second] = bodies(answer, `POST /v1/agents/${id}/playground`);
      assert.equal(second.conversationId, "conv");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      await page.getByRole("region", { name: "Changes that are not saved" }).waitFor({ state: "detached" });
      assert.deepEqual(bodies(answer, `PATCH /v1/agents/${id}/settings`), [{ baseVersion: 7, settings: { instructions: "Be brief." } }]);
    });
  });

  test("a mark shows the passage, and marks the sentences that rest on it", async () => {
    await open(answers({ list: withSettings }), path, async (page) => {
      await sendQuestion(page, "Shoes?");
      const mark = page.getByRole("button", { name: "Source 1: Returns policy" });
      await mark.hover();
      await page.locator("blockquote mark", { hasText: "within 30 days" }).waitFor();
      await page.mouse.move(0, 0);
      await mark.click();
      const card = page.getByRole("dialog", { name: "Returns policy" });
      await card.getByText("The source still says this.").waitFor();
      assert.equal(await card.getByRole("link").getAttribute("href"), "https://shop.example/returns");
      assert.match(await card.getByRole("link").getAttribute("rel"), /noopener noreferrer nofollow/);
      await page.keyboard.press("Escape");
      const why = page.getByRole("region", { name: "Why" });
      await assertSoon(() => why.getByRole("button", { pressed: true }).count(), 1);
      const marked = page.locator("li p mark");
      await assertSoon(() => marked.allTextContents(), ["You can send them back within ", "30 days", "."]);
      const shipping = why.getByRole("button", { name: "2 Shipping FAQ Returns", exact: true });
      assert.equal(await shipping.getByRole("meter").count(), 0);
      await describedBy(shipping, "Cited Each parcel holds a label for returns.");
      await describedBy(why.getByRole("button", { name: "3 Gift cards Returns", exact: true }), "Gift cards do not expire.");
      await why.getByText("In the order in which the model was given them.").waitFor();
      const shares = () => why.getByRole("meter").evaluateAll((all) => all.map(({ value }) => value.toFixed(2)));
      await assertSoon(shares, ["1.00", "0.67", "0.33"]); // of their points: their scores are others
      await shipping.click();
      await assertSoon(() => marked.allTextContents(), ["The label is in the parcel."]);
    });
  });

  test("two columns are asked at once", async () => {
    const answer = answers({ list: withSettings });
    await open(answer, path, async (page) => {
      await page.getByLabel("Instructions").fill("Be brief.");
      await page.getByText("Compare with saved").click();
      await page.getByText("other instructions").waitFor();
      await sendQuestion(page, "Shoes?");
      await spoken(page, "Within 30 days.");
      await assertSoon(() => page.getByText("The label is in the parcel.").count(), 1);
      const lanes = [{}, { draft: { instructions: "Be brief." } }];
      assert.deepEqual(bodies(answer, `POST /v1/agents/${id}/compare`), [{ message: "Shoes?", lanes }]);
    });
  });

  test("what a channel adds is tried with the question, changed and saved", async () => {
    const answer = answers({ list: withSettings });
    const saved = "Begin with a greeting, and sign as the shop.";
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "No channel Channel" }).click();
      await page.getByRole("option", { name: "E-mail", exact: true }).click();
      const added = page.getByLabel("Added in: E-mail");
      assert.equal(await added.inputValue(), saved);
      assert.equal(new URL(page.url()).searchParams.get("channel"), "email");
      await page.getByText("Compare with saved").click();
      assert.equal(await page.getByText("other instructions").count(), 0); // both are asked as in that channel
      await added.fill("Sign as the shop.");
      await page.getByText("other instructions").waitFor();
      await sendQuestion(page, "Shoes?");
      await spoken(page, "Within 30 days.");
      const asked = (text) => ({ draft: { instructions: `Be kind and short.\n\n${text}` } });
      const lanes = [asked(saved), asked("Sign as the shop.")];
      assert.deepEqual(bodies(answer, `POST /v1/agents/${id}/compare`), [{ message: "Shoes?", lanes }]);
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      const channelInstructions = { email: "Sign as the shop.", phone: { chat: "", voice: "Say numbers one by one." } };
      assert.deepEqual(bodies(answer, `PATCH /v1/agents/${id}/settings`), [{ baseVersion: 7, settings: { channelInstructions } }]);
    });
  });

  test("the text of a channel is one for all ways to talk, or that for writing", async () => {
    const { module } = await runnerImport(join(import.meta.dirname, "../src/pages/playground/channel-text.ts"), { configFile: false });
    const { addText, textOf, withText } = module;
    const all = { email: "Sign.", phone: { chat: "Briefly.", voice: "Slowly." } };
    assert.deepEqual(["email", "phone", "api"].map((channel) => textOf(all, channel)), ["Sign.", "Briefly.", ""]);
    assert.equal(textOf(null, "api"), "");
    assert.deepEqual(withText(all, "email", ""), { phone: all.phone });
    assert.deepEqual(withText(all, "phone", ""), { email: "Sign.", phone: { voice: "Slowly." } });
    assert.deepEqual(withText(null, "api", "Hi."), { api: "Hi." });
    assert.equal(withText({ api: "Hi." }, "api", ""), null);
    assert.deepEqual([addText("Be kind. ", " Sign."), addText("", "Sign."), addText("Be kind. ", " ")],
      ["Be kind.\n\nSign.", "Sign.", "Be kind. "]);
  });

  test("a question runs in its own direction, whatever the language of the console", async () => {
    const directions = [["How do I return shoes?", "ltr"], ["كيف أعيد الحذاء؟", "rtl"]];
    for (const locale of ["en", "ar"]) {
      await open(answers({ list: withSettings }), path, async (page) => {
        for (const [question, direction] of directions) {
          await page.getByRole("textbox").last().fill(question);
          await page.keyboard.press("Enter");
          const shown = page.locator("li > p", { hasText: question });
          await assertSoon(() => shown.evaluate((one) => getComputedStyle(one).direction), direction, `${locale}: ${question}`);
          await spoken(page, "The label");
        }
      }, { locale });
    }
  });

  test("answers are rated, asked for again and improved", async () => {
    const answer = answers({ list: withSettings });
    await open(answer, path, async (page) => {
      await sendQuestion(page, "Shoes?");
      await press(page, "Good answer");
      await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
      const message = `/v1/agents/${id}/conversations/conv/messages/msg_a`;
      assert.deepEqual(bodies(answer, `PUT ${message}/feedback`), [{ feedback: "positive" }]);
      await press(page, "Answer again");
      await spoken(page, "The label");
      assert.deepEqual(bodies(answer, `POST /v1/agents/${id}/playground`)[1], { retry: "msg_u", conversationId: "conv" });
      await press(page, "Improve answer");
      await page.getByLabel("What it should answer").fill("Within 60 days.");
      await press(page, "Save and ask again");
      await page.getByRole("dialog").getByText("Now", { exact: true }).waitFor();
      assert.deepEqual(bodies(answer, `POST ${message}/improve`), [{ question: "Shoes?", answer: "Within 60 days." }]);
      await page.getByRole("dialog").getByText("Within 60 days.").waitFor();
    });
  });

  test("refusals, doubts and failures are told apart", async () => {
    const base = answers({ list: withSettings });
    const kinds = {
      refused: { metadata: { ...metadata, answerState: "refused", citations: [], explain: { ...explain, refused: true, passages: [] } } },
      unsure: { metadata: { ...metadata, answerState: "unsure", explain: { ...explain, unsure: true } } },
      failed: { error: "The model did not answer.", metadata: { ...metadata, explain: null } },
    };
    await open(withStream(base, ({ body }) => streamOf(eventsOf({ ...kinds[body.message], answer: `It is ${body.message}.` }))), path, async (page) => {
      await sendQuestion(page, "refused");
      await page.getByText("It says that it does not know.", { exact: true }).waitFor();
      await page.getByText("nothing was found in the sources").waitFor();
      await sendQuestion(page, "unsure");
      await page.getByText("It says that it is not sure.", { exact: true }).first().waitFor();
      await sendQuestion(page, "failed");
      await page.getByRole("alert").getByText("The model did not answer.").waitFor();
      assert.equal(await page.locator("[data-testid=spoken]").textContent(), "");
    });
  });

  test("what decided is said, and the bounds only where they did", async () => {
    const base = answers({ list: withSettings });
    const off = { refused: true, score: 0.347, bounds: { sure: 0.43, unsure: 0.09 } };
    const noneCited = explain.passages.map((passage) => ({ ...passage, cited: false }));
    const kinds = {
      topic: { ...off, reason: "off-topic", passages: noneCited },
      score: { ...off, score: 0.05, reason: "score", passages: noneCited },
      nothing: { refused: true, score: 0, bounds: undefined, reason: "nothing-found", passages: noneCited },
      quote: { unsure: true, score: 0.9, reason: "not-firm" },
      contact: { score: 0.9, bounds: undefined, reason: "contact", passages: [explain.passages[0], { ...explain.passages[1], rank: 0, score: 0 }].map((one, i) => ({ ...one, cited: i === 1 })) },
      before: { ...off, passages: noneCited }, // as earlier versions stored it
      second: { passages: [{ ...explain.passages[2], score: 0.99 }, explain.passages[1]] },
    };
    const said = {
      topic: ["nothing that was found answers the question", "It is 35% sure, which is enough to answer with doubt. But the passages hold too little"],
      score: ["nothing that was found answers the question", "It is 5% sure. From 43% on"],
      nothing: ["nothing that was found answers the question", "No passage holds anything to quote on what was asked."],
      quote: ["It says that it is not sure.", "But what it quotes says too little of what was asked"],
      contact: ["It answered from 1 passage of Shipping FAQ: number 2 of 2.", "It is 90% sure: it quotes a line that holds a phone number"],
      before: ["the best scored 0.81, which is not enough", "It is 35% sure. From 43% on"],
      second: ["It answered from 1 passage of Shipping FAQ: number 2 of 2.", "It is 92% sure. From 48% on"],
    };
    const streamed = ({ body }) => streamOf(eventsOf({ metadata: { ...metadata, messageId: `msg_${body.message}`, explain: { ...explain, messageId: `msg_${body.message}`, ...kinds[body.message] } } }));
    await open(withStream(base, streamed), path, async (page) => {
      const why = page.getByRole("region", { name: "Why" });
      for (const [kind, texts] of Object.entries(said)) {
        await sendQuestion(page, kind);
        for (const text of texts) await why.getByText(text).waitFor();
        const isBounded = texts.some((text) => text.includes("From"));
        await assertSoon(() => why.getByText(/ From \d+% on it answers/).count(), isBounded ? 1 : 0, kind);
      }
    });
  });

  test("a model that nobody has connected is marked, before it is chosen, when it is saved and where the built-in one answered", async () => {
    const base = answers({ list: withSettings });
    const by = (model, backEnd) => ({ metadata: { ...metadata, explain: { ...explain, model, backEnd } } });
    const streamed = ({ body: { draft } }) => streamOf(eventsOf(draft?.model === "gpt-5" ? by("gpt-5", "builtin") : by("auto", "gpt-6")));
    await open(withStream(base, streamed), path, async (page) => {
      const hint = page.getByText("The built-in model does not read instructions.");
      const note = page.getByText("gpt-5 is not connected: the built-in model answered.");
      await sendQuestion(page, "Shoes?");
      await spoken(page, "The label");
      assert.equal((await hint.count()) + (await note.count()), 0);
      await page.getByRole("button", { name: /Model$/ }).click();
      await assertSoon(() => page.getByRole("option").allTextContents(), ["auto", "gpt-6", "gpt-5 (not connected)"]);
      await page.getByRole("option", { name: "gpt-5 (not connected)" }).click();
      await hint.waitFor();
      const bar = page.getByRole("region", { name: "Changes that are not saved" });
      await bar.getByText("gpt-5 is not connected: customers are answered by the built-in model.").waitFor();
      await sendQuestion(page, "Shoes?");
      await note.waitFor();
    });
  });

  test("a refused question is shown with a way to try again", async () => {
    const base = answers({ list: withSettings });
    let tries = 0;
    const refusal = [402, { error: { code: "CHAT_CREDITS_EXHAUSTED", message: "There are no credits left." } }];
    await open(withStream(base, () => (++tries === 1 ? refusal : streamOf(eventsOf({})))), path, async (page) => {
      await sendQuestion(page, "Shoes?");
      await page.getByText("No credits are left this month.").waitFor();
      await press(page, "Try again");
      await spoken(page, "The label");
    });
  });

  test("on a phone the panes are tabs", async () => {
    const options = { viewport: { width: 390, height: 844 } };
    await open(answers({ list: withSettings }), path, async (page) => {
      await sendQuestion(page, "Shoes?");
      await spoken(page, "The label");
      assert.equal(await page.getByRole("button", { name: "Why", exact: true }).getAttribute("aria-pressed"), null);
      await page.getByRole("tab", { name: "Why" }).click();
      await page.getByText("It answered from 2 passages").waitFor();
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByLabel("Instructions").waitFor();
      await page.getByRole("tab", { name: "Chat" }).click();
      await page.getByRole("button", { name: "Source 2: Shipping FAQ" }).waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls sideways");
    }, options);
  });
});
