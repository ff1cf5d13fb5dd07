// A conversation that waits for a person while nobody is there: its visitor can say where the answer shall go.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findings } from "./axe.js";
import { launch, skip } from "./browser.js";
import * as A from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";
import { openNextState } from "./frames.js";
import { isWanted } from "./problems.js";
import { looks } from "./states.js";

const conversation = [A.user("I want a person."), A.agent("I have asked for one.", { metadata: { answerState: "sure", citations: [] } })];

/** Routes of a conversation that is taken over, with what its stream says then. */
const waiting = (person, more = {}) => ({
  "GET /conversation/{id}": [200, { data: A.history(conversation, { status: "taken_over" }) }],
  "GET /conversation/{id}/events": A.following([
    ["status", { status: "taken_over" }], ["person", { name: null, picture: null, ...person }],
  ]),
  ...more,
});

describe("nobody is there", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  const open = (routes, use, more = {}) =>
    openNextState(browser, server, { stored: A.kept(), routes, ...more }, looks.light, async (page, chat) => {
      await use(page, chat);
      assert.deepEqual(page.problems.filter((problem) => !isWanted(problem)), []);
    });
  const kept = "Nobody is here right now. Your request is kept and will be answered.";
  const field = (chat) => chat.getByRole("log").getByRole("textbox", { name: "E-mail" });
  const addresses = () => server.asked.filter(({ path }) => path === "/handover").map(({ body }) => body.email);

  test("the chat asks for an address, sends it, and can be written in all the time", async () => {
    const given = { status: "taken_over", ticketNumber: 118, isAway: true, canAnswerByEmail: true };
    await open(waiting({ state: "away" }, { "POST /handover": [200, { data: given }] }), async (_, chat) => {
      await field(chat).fill("anna@example.com");
      assert.deepEqual(await findings(chat), []);
      assert.equal(await chat.getByRole("status").filter({ hasText: kept }).count(), 1);
      await chat.getByRole("button", { name: "Answer me by e-mail" }).click();
      await chat.getByText("Thank you. We will answer by e-mail.").waitFor();
      assert.deepEqual(addresses(), ["anna@example.com"]);
      assert.equal(await chat.getByText("You can keep writing here.").count(), 0);
      assert.equal(await chat.getByPlaceholder("Write a message…").count(), 1);
    });
  });

  test("an address that the server refuses is said at its field", async () => {
    const refused = [400, { error: { code: "VALIDATION_INVALID_BODY", message: "no", details: { email: "must be an address" } } }];
    await open(waiting({ state: "away" }, { "POST /handover": refused }), async (_, chat) => {
      await field(chat).fill("anna@shop.c");
      await chat.getByRole("button", { name: "Answer me by e-mail" }).click();
      await chat.getByText("Please enter an e-mail address such as").waitFor();
      assert.equal(await field(chat).getAttribute("aria-invalid"), "true");
    });
  });

  test("it asks for none that it has, and for none where the company cannot write", async () => {
    const features = { files: false, dictation: false, voice: false, handover: true, email: false };
    const cases = [[{ state: "away", canAnswerByEmail: true }, {}], [{ state: "away" }, { config: { features } }]];
    for (const [person, more] of cases) {
      await open(waiting(person), async (_, chat) => {
        await chat.getByRole("log").getByText(kept).waitFor();
        assert.equal(await field(chat).count(), 0);
      }, more);
    }
  });

  test("who has written nothing yet asks for a person with the first message", async () => {
    const wish = "My parcel is lost.";
    const given = { conversationId: A.conversationId, status: "taken_over", ticketNumber: 118, isAway: false, canAnswerByEmail: true };
    const routes = waiting({}, {
      "POST /handover": [200, { data: given }],
      "GET /conversation/{id}": [200, { data: A.history([A.user(wish)], { status: "taken_over" }) }],
      "GET /conversation/{id}/events": A.following([["status", { status: "taken_over" }]]),
    });
    await open(routes, async (_, chat) => {
      await chat.getByRole("button", { name: "More", exact: true }).click();
      await chat.getByRole("menuitem", { name: "Talk to a person" }).click();
      await chat.getByRole("button", { name: "Ask for a person" }).click();
      await chat.locator("[aria-invalid=true]").waitFor(); // what it is about must be said
      assert.deepEqual(addresses(), []);
      await chat.getByLabel("What is it about?").fill(wish);
      await chat.getByRole("button", { name: "Ask for a person" }).click();
      await chat.getByText("Your request has the number 118.").waitFor();
      const [{ body }] = server.asked.filter(({ path }) => path === "/handover");
      assert.deepEqual([body.reason, body.mode, "conversationId" in body], [wish, "iframe", false]);
      await chat.getByRole("button", { name: "Back to the chat" }).click();
      await chat.getByRole("log").getByText(wish).waitFor();
      await chat.getByRole("log").getByText("We have asked for a person.").waitFor();
      assert.equal(server.asked.filter(({ path }) => path === "/messages").length, 0);
    }, { stored: {} });
  });

  test("it asks no more when somebody comes", async () => {
    const events = [["status", { status: "taken_over" }], ["person", { name: null, picture: null, state: "away" }],
      ["person", { name: "Kim", picture: null, state: "joined" }]];
    await open(waiting({}, { "GET /conversation/{id}/events": A.following(events) }), async (_, chat) => {
      await chat.getByRole("heading", { name: "Kim", exact: true }).waitFor();
      assert.equal(await field(chat).count(), 0);
    });
  });
});
