// What of the playground survives: a reload, a way back, an unsaved draft, another editor, a stream that is cut.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers, broken } from "./answers.js";
import { assertSoon, skip } from "./browser.js";
import { eventsOf, metadata, record, streamOf } from "./playground-answers.js";
import { sendQuestion } from "./screen-states.js";
import { useSamePages } from "./setup.js";

const [{ id }] = agents;
const path = `/agents/${id}/playground`;
const own = `/v1/agents/${id}`;
const conversations = `${own}/playground/conversations`;

/** Answers of the API, of which some are other ones: by method and path. */
function withAnswers(other, options) {
  const base = answers(options);
  const answer = (asked) => {
    const found = other[`${asked.method} ${asked.path}`];
    const reply = found?.(asked);
    if (!reply) return base(asked);
    base.state.asked.push(asked);
    return reply;
  };
  return Object.assign(answer, { state: base.state });
}

const bodies = (answer, route) =>
  answer.state.asked.filter((asked) => `${asked.method} ${asked.path}` === route).map(({ body }) => body);
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const spoken = (page, text) => page.locator("[data-testid=spoken]", { hasText: text }).waitFor({ state: "attached" });
const query = (page) => new URL(page.url()).searchParams;
const hasQuery = (page, name, value) => page.waitForURL((url) => url.searchParams.get(name) === value);

describe("the playground's address", { skip }, () => {
  const open = useSamePages();

  test("a reload shows the conversation, the answer and what is compared again", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await sendQuestion(page, "Shoes?");
      await spoken(page, "The label is in the parcel.");
      await hasQuery(page, "conversation", "conv");
      await press(page, "Why");
      await hasQuery(page, "answer", "msg_a");
      await page.reload();
      await page.getByText("The label is in the parcel.").first().waitFor();
      await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor(); // as it was rated
      await page.getByText("It answered from 2 passages").waitFor();
      await page.getByRole("button", { name: "Source 1: Returns policy" }).waitFor();
      await sendQuestion(page, "And without the receipt?");
      await page.getByRole("button", { name: "Good answer" }).nth(1).waitFor();
      assert.equal(bodies(answer, `POST ${own}/playground`).at(-1).conversationId, "conv");
      await page.getByText("Compare with saved").click();
      await sendQuestion(page, "Shoes?");
      await spoken(page, "Within 30 days.");
      await page.waitForURL((url) => url.searchParams.getAll("conversation").length === 2);
      const both = query(page).getAll("conversation");
      await page.reload();
      await page.getByText("As customers are answered").waitFor();
      const lanes = page.locator("ol p", { hasText: "The label is in the parcel." });
      await assertSoon(() => lanes.count(), 2);
      assert.deepEqual(query(page).getAll("conversation"), both);
    });
  });

  test("the head of a column says how its answer was asked, whatever the draft is now", async () => {
    const with7 = (of) => ({ ...of, explain: { ...of.explain, configVersion: 7 } });
    const base = eventsOf({ lane: "a", metadata: with7(metadata) });
    const draft = eventsOf({ lane: "b", metadata: { ...with7(metadata), messageId: "msg_b", conversationId: "conv_b" } });
    const answer = withAnswers({ [`POST ${own}/compare`]: () => streamOf([...base, ...draft]) });
    await open(answer, `${path}?compare=on`, async (page) => {
      const head = (name) => page.locator("header", { has: page.getByText(name, { exact: true }) });
      const says = (name, text) => assertSoon(() => head(name).innerText().then((all) => all.split(/\n+/).slice(1).join("; ")), text);
      await sendQuestion(page, "Shoes?");
      await page.getByRole("button", { name: "Good answer" }).nth(1).waitFor();
      await says("Draft", "No changes");
      await page.getByLabel("Instructions").fill("Be brief.");
      await says("Draft", "No changes; The next question: other instructions");
      await sendQuestion(page, "Shoes?");
      await page.getByRole("button", { name: "Good answer" }).nth(3).waitFor();
      await says("Draft", "other instructions");
      await says("Saved", "As customers are answered");
      await page.keyboard.press("Control+s");
      await says("Draft", "other instructions; The next question: No changes");
      await says("Saved", "As customers were answered then; The next question: As customers are answered");
      await page.reload();
      await says("Draft", "The draft of that time; The next question: No changes");
    });
  });

  test("earlier conversations are opened again, and the way back leads to the one before", async () => {
    await open(answers(), path, async (page) => {
      await press(page, "Earlier conversations");
      await page.getByRole("dialog").getByRole("button", { name: /Do you ship to Norway/ }).click();
      await page.getByText("The label is in the parcel.").first().waitFor();
      await hasQuery(page, "conversation", "conv_2");
      await press(page, "New conversation");
      await page.getByRole("heading", { name: "Ask Help desk" }).waitFor();
      await page.goBack();
      await page.getByText("The label is in the parcel.").first().waitFor();
      await hasQuery(page, "conversation", "conv_2");
    });
  });

  test("a page that is loaded in mid-answer shows what has been stored as soon as it is", async () => {
    let looks = 0;
    const [exchange] = record("conv").exchanges;
    const waiting = { ...exchange, state: "failed", parts: [], answer: null };
    const stopped = { ...exchange, state: "interrupted", parts: [{ type: "text", text: "You can send" }] };
    const answer = withAnswers({
      [`GET ${conversations}/conv`]: () => {
        looks += 1;
        return [200, record("conv", looks < 3 ? { answering: true, exchanges: [waiting] } : { exchanges: [stopped] })];
      },
    });
    await open(answer, `${path}?conversation=conv`, async (page) => {
      await page.getByText("Stopped.").waitFor();
      await page.getByText("You can send").first().waitFor();
      assert.equal(looks, 3);
    });
  });

  test("a conversation that cannot be read is said to be so, and read again", async () => {
    let tries = 0;
    const answer = withAnswers({ [`GET ${conversations}/conv`]: () => (++tries < 2 ? broken : undefined) });
    await open(answer, `${path}?conversation=conv`, async (page) => {
      await page.getByText("0192f3c1-0000-7000-8000-000000000001").waitFor();
      assert.equal(await page.getByRole("button", { name: "Send" }).isDisabled(), true);
      await press(page, "Try again");
      await page.getByText("The label is in the parcel.").first().waitFor();
    });
  });
});

describe("the playground's draft", { skip }, () => {
  const open = useSamePages();
  const question = (page) => page.getByRole("alertdialog", { name: "Changes are not saved" });

  test("leaving asks while something is not saved; asking and comparing do not", async () => {
    await open(answers(), path, async (page) => {
      await page.getByLabel("Instructions").fill("Be brief.");
      await sendQuestion(page, "Shoes?");
      await spoken(page, "The label");
      await press(page, "New conversation");
      await page.getByText("Compare with saved").click();
      assert.equal(await question(page).count(), 0);
      await page.getByRole("link", { name: "Sources", exact: true }).click();
      await question(page).getByRole("button", { name: "Stay" }).click();
      assert.equal(await page.getByLabel("Instructions").inputValue(), "Be brief.");
      await page.getByRole("link", { name: "Sources", exact: true }).click();
      await question(page).getByRole("button", { name: "Leave" }).click();
      await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor();
    });
  });

  test("two editors: who saves second chooses, setting by setting", async () => {
    let version = 7;
    const details = () => ({ version: String(version), "settings.instructions": JSON.stringify("Theirs.") });
    const changed = () => [409, { error: { code: "AGENT_CHANGED", message: "The agent was changed.", details: details() } }];
    const answer = withAnswers({ [`PATCH ${own}/settings`]: ({ body }) => (body.baseVersion < version ? changed() : undefined) });
    await open(answer, path, async (page) => {
      await page.getByLabel("Instructions").fill("Mine.");
      version = 8;
      await press(page, "Save");
      const dialog = page.getByRole("alertdialog", { name: "Someone else has saved changes" });
      await dialog.getByRole("row", { name: "Instructions Mine. Theirs." }).waitFor();
      await dialog.getByRole("button", { name: "Save mine" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      const sent = bodies(answer, `PATCH ${own}/settings`);
      assert.deepEqual(sent.map(({ baseVersion }) => baseVersion), [7, 8]);
      assert.deepEqual(sent.at(-1).settings, { instructions: "Mine." });
    });
  });

  test("what is typed while something is being saved stays, and is saved next", async () => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    const before = { name: "Help desk", model: "auto", temp: 0.2, visibility: "private" };
    const answer = withAnswers({
      [`PATCH ${own}/settings`]: async ({ body: { baseVersion, settings } }) => {
        if (baseVersion === 7) await held;
        return [200, { version: baseVersion + 1, settings: { ...before, ...settings } }];
      },
    });
    await open(answer, path, async (page) => {
      const instructions = page.getByLabel("Instructions");
      await instructions.fill("Be brief.");
      await page.keyboard.press("Control+s");
      await instructions.fill("Be brief and kind.");
      release();
      await press(page, "Save");
      await page.getByText("Saved", { exact: true }).waitFor();
      assert.equal(await instructions.inputValue(), "Be brief and kind.");
      assert.deepEqual(bodies(answer, `PATCH ${own}/settings`), [
        { baseVersion: 7, settings: { instructions: "Be brief." } },
        { baseVersion: 8, settings: { instructions: "Be brief and kind." } },
      ]);
    });
  });

  test("support agents draft and discard; saving is not offered to them", async () => {
    const memberships = [{ accountId: "acc_1", accountName: "Shop", role: "agent" }];
    const permissions = ["agents:read", "sources:read", "insights:read", "playground:use", "answers:improve"];
    await open(answers({ session: { memberships, permissions } }), path, async (page) => {
      await page.getByLabel("Instructions").fill("Be brief.");
      const bar = page.getByRole("region", { name: "Changes that are not saved" });
      await bar.waitFor();
      assert.equal(await bar.getByRole("button", { name: "Save" }).count(), 0);
      await bar.getByRole("button", { name: "Discard" }).click();
      await assertSoon(() => page.getByLabel("Instructions").inputValue(), "Be kind and short.");
    });
  });

  test("a better answer is not lost by closing its dialog", async () => {
    await open(answers(), `${path}?conversation=conv`, async (page) => {
      await press(page, "Improve answer");
      await page.getByLabel("What it should answer").fill("Within 60 days.");
      await page.keyboard.press("Escape");
      await question(page).getByRole("button", { name: "Stay" }).click();
      assert.equal(await page.getByLabel("What it should answer").inputValue(), "Within 60 days.");
      await press(page, "Cancel");
      await question(page).getByRole("button", { name: "Discard" }).click();
      await page.getByLabel("What it should answer").waitFor({ state: "detached" });
    });
  });
});

describe("the playground's streams", { skip }, () => {
  const open = useSamePages();

  test("cut behind any event, an answer keeps what has come and can be asked for again", async () => {
    const events = eventsOf({ size: 12, tools: [{ toolCallId: "c1", name: "track_order", input: { id: 1 }, output: { status: "success" } }] });
    let cut = 0;
    const answer = withAnswers({
      [`POST ${own}/playground`]: () => {
        const text = events.slice(0, cut).map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
        return [200, { chunks: [text || "\n"] }, { "Content-Type": "text/event-stream" }];
      },
    });
    await open(answer, path, async (page) => {
      for (cut = 0; cut < events.length - 1; cut++) {
        await sendQuestion(page, `Shoes, ${cut}?`);
        const alert = page.getByRole("alert");
        await alert.getByRole("button", { name: "Try again" }).waitFor();
        const shown = await page.getByRole("listitem").filter({ hasText: `Shoes, ${cut}?` }).last().textContent();
        const written = events.slice(0, cut).flatMap(({ delta }) => delta ?? []).join("").replaceAll("*", "").trim();
        assert.ok(shown.replaceAll("*", "").includes(written), `cut at ${cut}: ${shown}`);
        if (cut === 0) continue; // there is no conversation yet
        await press(page, "New conversation");
        await page.getByRole("heading", { name: "Ask Help desk" }).waitFor();
      }
    });
  });

  test("in compare mode each lane grows by itself, and one that fails leaves the other", async () => {
    const failing = { ...metadata, messageId: "msg_b", citations: [], explain: null };
    const [a, b] = [eventsOf({ lane: "a" }), eventsOf({ lane: "b", answer: "Within", error: "no", metadata: failing })];
    const answer = withAnswers({ [`POST ${own}/compare`]: () => streamOf([...b, ...a], 7) });
    await open(answer, `${path}?compare=on`, async (page) => {
      await sendQuestion(page, "Shoes?");
      await page.getByText("The model did not answer.").waitFor();
      await page.getByText("The label is in the parcel.").waitFor();
      await assertSoon(() => page.locator("p", { hasText: /Shoes\?$/ }).count(), 2);
      await assertSoon(() => page.getByRole("button", { name: "Source 1: Returns policy" }).count(), 1);
    });
  });
});

describe("the playground without what it needs", { skip }, () => {
  const open = useSamePages();

  for (const [name, failing] of [["agent", `GET /v2/agents/${id}`], ["settings", `GET ${own}/settings`]]) {
    test(`failing ${name}: said, with a way to try again`, async () => {
      await open(answers({ fail: { [failing]: broken } }), path, async (page) => {
        await page.getByText("0192f3c1-0000-7000-8000-000000000001").first().waitFor();
        await page.getByRole("button", { name: "Try again" }).first().waitFor();
        assert.equal(await page.getByRole("textbox", { name: "Ask…" }).count(), 0);
      });
    });
  }

  test("no earlier conversations, and a list that fails", async () => {
    let reply = [200, { conversations: [] }];
    await open(withAnswers({ [`GET ${conversations}`]: () => reply }), path, async (page) => {
      await press(page, "Earlier conversations");
      await page.getByText("Nothing has been asked here yet.").waitFor();
      await page.keyboard.press("Escape");
      reply = broken;
      await page.reload();
      await press(page, "Earlier conversations");
      await page.getByRole("dialog").getByRole("button", { name: "Try again" }).waitFor();
    });
  });

  test("viewers are told why they cannot ask, and by whom that changes", async () => {
    const memberships = [{ accountId: "acc_1", accountName: "Shop", role: "viewer" }];
    await open(answers({ session: { memberships, permissions: ["agents:read"] } }), path, async (page) => {
      await page.getByText("you cannot ask the agent here").waitFor();
      assert.equal(await page.getByRole("main").getByRole("button").count(), 0);
    });
  });
});
