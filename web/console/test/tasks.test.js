// What a person does with an agent, each with the keyboard alone: the tasks of the screens that lead from a new agent to an
// answer that is better. The first run has its own test, and the patterns of each control are in keyboard.test.js.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { skip } from "./browser.js";
import { readyToAsk } from "./screen-states.js";
import { useSamePages } from "./setup.js";

const [{ id }] = agents;
const mostKeys = 80;

describe("with the keyboard alone", { skip }, () => {
  const open = useSamePages();
  const button = (page, name) => page.getByRole("button", { name, exact: true });
  const bodies = (answer, route) => answer.state.asked.filter((a) => `${a.method} ${a.path}` === route).map(({ body }) => body);

  /** Presses a key until one of the places has the focus. */
  const reach = async (page, place, key = "Tab") => {
    await place.first().waitFor();
    for (let i = 0; i < mostKeys; i++) {
      if (await place.evaluateAll((all) => all.includes(document.activeElement))) return;
      await page.keyboard.press(key);
    }
    assert.fail(`${key} does not reach ${place}`);
  };
  const press = async (page, place, key) => {
    await reach(page, place, key);
    await page.keyboard.press("Enter");
  };
  const choose = async (page, place, entry) => {
    await press(page, place);
    await press(page, page.getByRole("menuitem", { name: entry }), "ArrowDown");
  };
  const write = async (page, place, text) => {
    await reach(page, place);
    await page.keyboard.press("Control+a");
    await page.keyboard.type(text);
  };
  const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

  test("an agent is made", async () => {
    await open(answers({ list: [] }), "/agents", async (page) => {
      await choose(page, button(page, "New agent"), "Empty");
      await write(page, page.getByRole("textbox", { name: "Name" }), "Help desk");
      await page.keyboard.press("Enter");
      await heading(page, "Help desk");
    });
  });

  test("another agent is chosen", async () => {
    await open(answers(), `/agents/${id}`, async (page) => {
      await choose(page, page.getByRole("button", { name: /Now: Help desk/ }), /Wholesale/);
      await heading(page, "Wholesale");
    });
  });

  test("a text is added to the sources", async () => {
    const answer = answers();
    await open(answer, `/agents/${id}/sources`, async (page) => {
      await choose(page, button(page, "Add"), "Text");
      const dialog = page.getByRole("dialog", { name: "Text" });
      await write(page, dialog.getByRole("textbox", { name: "Name" }), "Shipping");
      await write(page, dialog.getByRole("textbox", { name: "Text" }), "Parcels arrive within three days.");
      await press(page, dialog.getByRole("button", { name: "Add" }));
      await page.getByRole("row", { name: /Shipping/ }).waitFor();
      const sent = { type: "text", name: "Shipping", content: "Parcels arrive within three days." };
      assert.deepEqual(bodies(answer, `POST /v2/agents/${id}/sources`), [sent]);
    });
  });

  test("the search is tried", async () => {
    await open(answers(), `/agents/${id}/sources`, async (page) => {
      await press(page, button(page, "Try search"));
      await write(page, page.getByLabel("Question"), "return shoes");
      await page.keyboard.press("Enter");
      await page.getByText("2 passages, the best first").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });
  });

  test("a question is asked, its citation is read, and the answer is rated and improved", async () => {
    const answer = answers();
    await open(answer, `/agents/${id}/playground`, async (page) => {
      await reach(page, page.getByRole("textbox", { name: "Ask…" }));
      await page.keyboard.type("Shoes?");
      await readyToAsk(page);
      await page.keyboard.press("Enter");
      await button(page, "Good answer").waitFor();
      await press(page, page.getByRole("button", { name: "Source 1: Returns policy" }), "Shift+Tab");
      await page.getByRole("dialog", { name: "Returns policy" }).getByText("The source still says this.").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Returns policy" }).waitFor({ state: "detached" });
      await press(page, button(page, "Good answer"));
      await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
      await press(page, button(page, "Improve answer"));
      const dialog = page.getByRole("dialog", { name: "Improve the answer" });
      await write(page, dialog.getByLabel("What it should answer"), "Within 60 days.");
      await press(page, dialog.getByRole("button", { name: "Save and ask again" }));
      await page.getByRole("dialog").getByText("Now", { exact: true }).waitFor();
      const improved = bodies(answer, `POST /v1/agents/${id}/conversations/conv/messages/msg_a/improve`);
      assert.deepEqual(improved, [{ question: "Shoes?", answer: "Within 60 days." }]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });
  });

  test("the draft is changed and saved", async () => {
    const answer = answers();
    await open(answer, `/agents/${id}/playground`, async (page) => {
      await write(page, page.getByRole("textbox", { name: "Instructions" }), "Be brief.");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      const saved = bodies(answer, `PATCH /v1/agents/${id}/settings`);
      assert.deepEqual(saved, [{ baseVersion: 7, settings: { instructions: "Be brief." } }]);
    });
  });
});
