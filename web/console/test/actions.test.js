// The screen of the actions of an agent: what is sent of a change, secrets, faults at their fields, and two editors.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runnerImport } from "vite";
import { actions, worked } from "./action-answers.js";
import { agents, answers } from "./answers.js";
import { assertSoon, skip } from "./browser.js";
import { useSamePages } from "./setup.js";

test("the places of a reply, also of its beginning alone, and what picking them makes of the lines", async () => {
  const file = join(import.meta.dirname, "../src/pages/actions/places.ts");
  const { isBelow, listPlaces, pickPlaces } = (await runnerImport(file, { configFile: false })).module;
  const reply = { status: "sent", items: [{ name: "a" }, { name: "b", "two words": 1 }], to: { city: "Bonn", zip: null }, tags: ["x"], none: [], "a]": "}" };
  const places = ["status", "items[].name", "to.city", "to.zip", "tags[]", "none"];
  const text = JSON.stringify(reply, null, 2);
  assert.deepEqual(listPlaces(text, false), places);
  assert.deepEqual(listPlaces(text.slice(0, text.indexOf("zip") + 2), true), places.slice(0, 3));
  assert.deepEqual(listPlaces('[{"id": 1}, {"at": {"day": 2}}]', false), ["[].id", "[].at.day"]);
  assert.deepEqual(["plain text", "7", "{}"].map((one) => listPlaces(one, false)), [[], [], []]);
  assert.deepEqual(["to", "items", "items[]", "status", "stat"].map((line) => places.filter((place) => isBelow(place, line)).length), [2, 1, 1, 1, 0]);
  assert.deepEqual(pickPlaces([], places, ["status"]), ["status"]);
  assert.deepEqual(pickPlaces(["to", "other"], places, ["to.city", "to.zip", "status"]), ["to", "other", "status"]);
  assert.deepEqual(pickPlaces(["to", "other"], places, ["to.zip"]), ["other", "to.zip"]);
});

const path = `/agents/${agents[0].id}/actions`;
const [track] = actions;

test("steps of a procedure name each other by keys, which go with the step that has them", async () => {
  const file = join(import.meta.dirname, "../src/pages/actions/jumps.ts");
  const { hasJumps, newActionStep, numberOf, splitField, withKey, withoutStep, withTarget } = (await runnerImport(file, { configFile: false })).module;
  const steps = [{ key: "track", action: "track" }, { if: { field: "track.status", operator: "is", value: "x" }, goto: "step", else: "end" }, { key: "step", say: "a" }, { say: "b" }];
  assert.deepEqual(withKey(steps, 2), [steps, "step"]);
  assert.deepEqual(withKey(steps, 3), [steps.with(3, { say: "b", key: "step_2" }), "step_2"]);
  assert.deepEqual(newActionStep(steps, "track"), { key: "track_2", action: "track" });
  assert.deepEqual(newActionStep([], "1.look-up"), { key: "_1_look_up", action: "1.look-up" });
  assert.deepEqual(withoutStep(steps, 2), [steps[0], { if: steps[1].if, else: "end" }, steps[3]]);
  assert.deepEqual(withTarget(steps[1], "else", ""), { if: steps[1].if, goto: "step" });
  assert.deepEqual([splitField("track.a.b"), splitField("number")], [["track", "a.b"], ["", "number"]]);
  assert.deepEqual([hasJumps(steps), hasJumps([{ say: "a" }]), numberOf(steps, "step"), numberOf(steps, "gone")], [true, false, 3, 0]);
});

describe("actions", { skip }, () => {
  const open = useSamePages();
  const sent = (answer, method) => answer.state.asked.filter((one) => one.method === method && one.path.includes("/actions"));

  async function save(page) {
    await page.keyboard.press("Control+s");
    await page.getByText("Saved", { exact: true }).waitFor();
  }

  test("only what was changed is sent, and what an action does as a whole", async () => {
    const answer = answers();
    await open(answer, `${path}/edit/track_order`, async (page) => {
      await page.getByLabel("When to use it").fill("Looks up an order.");
      await save(page);
      assert.deepEqual(sent(answer, "PATCH")[0].body, { description: "Looks up an order.", baseUpdatedAt: track.updatedAt });
      await page.getByLabel("Seconds to wait").fill("10");
      await page.getByRole("textbox", { name: "SHOP_KEY" }).fill("new-key-1234");
      await page.getByText("2 changes").waitFor();
      await save(page);
      const { config, secrets } = sent(answer, "PATCH")[1].body;
      assert.deepEqual([config, secrets], [{ method: "GET", ...track.config, timeout: 10 }, { SHOP_KEY: "new-key-1234" }]);
      assert.equal(await page.getByRole("textbox", { name: "SHOP_KEY" }).inputValue(), "");
    });
  });

  test("since when a secret is stored, and who has given it, is at its field", async () => {
    await open(answers(), `${path}/edit/track_order`, async (page) => {
      await page.getByText(/^Set on Nov 18, 2026, .* by Bo Li\. A value is stored\./).waitFor();
    });
    const tools = { actions: actions.map((one) => ({ ...one, secretNotes: [] })), procedures: [] };
    await open(answers({ state: { tools } }), `${path}/edit/track_order`, async (page) => {
      await page.getByText(/^A value is stored\./).waitFor();
    });
  });

  test("a key that is written out in a header is pointed out", async () => {
    await open(answers(), `${path}/edit/track_order`, async (page) => {
      const value = page.getByRole("group", { name: "Headers" }).getByLabel("Value", { exact: true });
      const warning = page.getByText(/^This header looks like a key/);
      await value.waitFor();
      assert.equal(await warning.count(), 0);
      await value.fill("Bearer 0123456789abcdef");
      await warning.waitFor();
      await value.fill("Bearer ${SHOP_KEY}");
      await warning.waitFor({ state: "detached" });
    });
  });

  test("phrases have a field each: Enter leads to the next, several lines are pasted as several, and one is removed", async () => {
    const answer = answers();
    await open(answer, `${path}/edit/track_order`, async (page) => {
      const phrases = page.getByRole("group", { name: "Phrases" }).getByRole("textbox");
      const values = () => phrases.evaluateAll((all) => all.map(({ value }) => value));
      await assertSoon(values, [...track.triggers, ""]);
      await phrases.nth(1).press("Enter");
      await page.waitForFunction(() => document.activeElement.getAttribute("aria-label") === "Phrase 3");
      await page.keyboard.type("my parcel");
      await assertSoon(values, [...track.triggers, "my parcel", ""]);
      await phrases.nth(3).evaluate((field) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", "one\r\n\n two \n");
        field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      });
      await assertSoon(values, [...track.triggers, "my parcel", "one", "two", ""]);
      await page.getByRole("button", { name: `Remove: ${track.triggers[0]}` }).click();
      await save(page);
      assert.deepEqual(sent(answer, "PATCH")[0].body, { triggers: [track.triggers[1], "my parcel", "one", "two"], baseUpdatedAt: track.updatedAt });
    });
  });

  test("the characters of the description are counted", async () => {
    await open(answers(), `${path}/edit/track_order`, async (page) => {
      await page.getByText(`${track.description.length}/1,000`).waitFor();
      await page.getByLabel("When to use it").fill("x".repeat(999));
      await page.getByText("999/1,000").waitFor();
      await page.getByLabel("When to use it").fill("🙂".repeat(1001));
      await page.getByText("1,001/1,000").waitFor();
      assert.equal(await page.getByLabel("When to use it").getAttribute("maxlength"), null, "a text that is pasted is not cut");
      await page.getByRole("button", { name: "Discard" }).click();
    });
  });

  test("what would be lost of headers and parameters is refused, and so is a wait that is no number", async () => {
    const answer = answers();
    await open(answer, `${path}/edit/track_order`, async (page) => {
      const headers = page.getByRole("group", { name: "Headers" });
      await headers.getByRole("button", { name: "Add a header" }).click();
      await headers.getByLabel("Value").last().fill("de");
      await page.keyboard.press("Control+s");
      await headers.getByRole("alert").filter({ hasText: "This is needed." }).waitFor();
      await headers.getByLabel("Name").last().fill("authorization");
      await page.keyboard.press("Control+s");
      await headers.getByRole("alert").filter({ hasText: "There is another one of this name already." }).waitFor();
      await headers.getByLabel("Name").last().fill("Accept-Language");
      await page.getByLabel("Seconds to wait").fill("two");
      await page.keyboard.press("Control+s");
      await page.getByText("Choose a number from 0 to 30.").waitFor();
      assert.deepEqual(sent(answer, "PATCH"), []);
      await page.getByLabel("Seconds to wait").fill("2,5");
      await save(page);
      const { config } = sent(answer, "PATCH")[0].body;
      assert.deepEqual([config.timeout, config.headers], [2.5, { ...track.config.headers, "Accept-Language": "de" }]);
    });
  });

  test("Enter in a value of the trial tries a new action, and does not add it", async () => {
    const answer = answers();
    await open(answer, `${path}/new/web-search`, async (page) => {
      await page.getByRole("textbox", { name: "query (required)" }).fill("opening hours");
      await page.keyboard.press("Enter");
      await page.getByText(/^The service answered 200/).waitFor();
      assert.deepEqual(sent(answer, "POST").map((one) => [one.path.split("/").at(-1), one.body.input]), [["try", { query: "opening hours" }]]);
      await page.getByRole("link", { name: "Cancel" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
      await page.getByRole("heading", { level: 1, name: "Actions" }).waitFor();
    });
  });

  test("a secret that is removed goes out of all places that name it", async () => {
    const answer = answers();
    answer.state.tools = { procedures: [], actions: [{ ...track, config: { ...track.config, query: { key: "${SHOP_KEY}", lang: "{language}" } } }] };
    await open(answer, `${path}/edit/track_order`, async (page) => {
      await page.getByRole("button", { name: "Remove: SHOP_KEY" }).click();
      await page.getByRole("textbox", { name: "SHOP_KEY" }).waitFor({ state: "detached" });
      await save(page);
      const { headers, ...rest } = { method: "GET", ...track.config };
      assert.deepEqual(sent(answer, "PATCH")[0].body.config, rest);
    });
  });

  test("what the server refuses is said at its field", async () => {
    const answer = answers();
    const details = { "config.url": "names {order}, and there is no input of this name", "inputs.1.name": "stands twice", "config.headers.X": "must be one line" };
    const refusing = (asked) => (asked.method === "PATCH" ? [400, { error: { code: "VALIDATION_INVALID_BODY", message: "", details } }] : answer(asked));
    await open(Object.assign(refusing, answer), `${path}/edit/track_order`, async (page) => {
      await page.getByLabel("Address").fill("https://api.shop.example/{order}");
      await page.keyboard.press("Control+s");
      await page.getByText("There is another one of this name already.").waitFor();
      await page.waitForFunction(() => document.activeElement.getAttribute("aria-invalid") === "true");
      await page.getByText("There is no input named order.").waitFor(); // which the focus has left
      await page.getByRole("group", { name: "Headers" }).getByRole("alert").waitFor();
      assert.equal(await page.getByLabel("Address").inputValue(), "https://api.shop.example/{order}");
    });
  });

  test("what the model may see is picked from a real reply", async () => {
    const body = JSON.stringify({ customer: "Jo", delivery: { date: "Monday", by: "Bike" }, status: "sent" }, null, 2);
    const answer = answers({ state: { trial: { ...worked, reply: { ...worked.reply, body } } } });
    await open(answer, `${path}/edit/track_order`, async (page) => {
      await page.getByRole("textbox", { name: "number (required)" }).fill("4711");
      await page.getByRole("button", { name: "Try it now" }).click();
      const places = page.getByRole("group", { name: "Pick what the model may see" });
      const ticked = () => places.getByRole("checkbox", { checked: true }).evaluateAll((all) => all.map((one) => one.value));
      await assertSoon(ticked, ["delivery.date", "status"]);
      assert.equal(await places.getByRole("checkbox").count(), 4);
      await places.getByRole("checkbox", { name: "delivery.by" }).press("Space");
      await places.getByRole("checkbox", { name: "status" }).press("Space");
      await assertSoon(ticked, ["delivery.date", "delivery.by"]);
      await save(page);
      assert.deepEqual(sent(answer, "PATCH")[0].body.config.response, ["delivery.date", "items[].name", "delivery.by"]);
    });
  });

  test("a failure leads to its conversation, wherever it was", async () => {
    await open(answers(), `${path}/edit/track_order`, async (page) => {
      const links = page.getByRole("main").getByRole("link", { name: "Conversation", exact: true });
      await links.first().waitFor();
      const addresses = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      const home = `/console/agents/${agents[0].id}`;
      assert.deepEqual(addresses, [`${home}/playground?conversation=conv_0`, `${home}/insights/conversations/conv_1`]);
      const all = await page.getByRole("link", { name: "Conversations in which it failed" }).getAttribute("href");
      assert.equal(all, `/console/inbox?view=all&agent=${agents[0].id}&tool=track_order&toolOutcome=error`);
    });
  });

  const procedureAddress = `/agents/${agents[0].id}/actions/procedure/refund`;
  const section = (page, name) => page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name, exact: true }) });
  const stepped = (answer) => answer.state.asked.filter((one) => one.path.includes("/procedures"));
  const choose = async (page, scope, label, name) => {
    await scope.getByRole("button", { name: new RegExp(`${label}$`) }).click();
    await page.getByRole("option", { name, exact: true }).click();
  };

  test("a condition leads to a later step by what an action returned, and the trial goes that way", async () => {
    const answer = answers();
    await open(answer, procedureAddress, async (page) => {
      const card = (number) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 3, name: `Step ${number}`, exact: true }) }).first();
      await page.getByRole("button", { name: "Add a condition" }).click();
      await page.getByRole("button", { name: "Move step 4 up" }).click();
      await choose(page, card(3), "What is compared", "Result of step 2 (track_order)");
      await card(3).getByLabel("Value").fill("sent");
      await choose(page, card(3), "If so", "Step 4: call_a_person");
      await choose(page, card(3), "Otherwise", "the end");
      await page.getByText("if so → Step 4, otherwise → the end").waitFor();
      await save(page);
      const { steps } = stepped(answer).find(({ method }) => method === "PATCH").body;
      assert.deepEqual(steps[2], { if: { field: "track_order.status", operator: "is", value: "sent" }, goto: "call_a_person", else: "end" });
      assert.deepEqual([steps[1].key, steps[3].key], ["track_order", "call_a_person"]);

      const trial = section(page, "Try it");
      await trial.getByLabel("number (required)").fill("4711");
      for (const number of [1, 2, 3, 4]) await trial.getByRole("button", { name: `Run step ${number}` }).click();
      await trial.getByText("The condition holds.").waitFor();
      await trial.getByText("The procedure ends here: a person takes over.").waitFor();
      assert.deepEqual(stepped(answer).at(-1).body.results, { "track_order.status": "sent" });

      await page.getByRole("button", { name: "Remove step 4" }).click();
      await page.getByText("if so → the end, otherwise → the end").waitFor();
    });
  });

  test("a procedure goes on with another one", async () => {
    await open(answers(), `${path}/new/procedure`, async (page) => {
      await page.getByRole("button", { name: "Go on with a procedure" }).click();
      await section(page, "Steps").getByLabel("number").fill("{number}");
      await page.getByText("Step 1: go on with refund").waitFor();
    });
  });

  test("two editors: what differs is asked, the rest of both stays", async () => {
    const answer = answers();
    await open(answer, `${path}/edit/track_order`, async (page) => {
      await page.getByLabel("When to use it").fill("Mine.");
      await page.getByLabel("Seconds to wait").fill("5");
      const config = { ...track.config, url: "https://theirs.example/{number}" };
      Object.assign(answer.state.tools.actions[0], { description: "Theirs.", config, updatedAt: "2026-11-22T11:00:00.000Z" });
      await page.keyboard.press("Control+s");
      const dialog = page.getByRole("alertdialog", { name: "Someone else has saved changes" });
      await dialog.getByRole("row", { name: "When to use it Mine. Theirs." }).waitFor();
      assert.equal(await dialog.getByRole("row").count(), 2);
      await dialog.getByRole("button", { name: "Save mine" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      const stored = answer.state.tools.actions[0];
      assert.deepEqual([stored.description, stored.config.url, stored.config.timeout], ["Mine.", config.url, 5]);
    });
  });
});
