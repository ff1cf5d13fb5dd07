// Customers, leads and voice sessions of an agent.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { skip } from "./browser.js";
import { conversation, customers, voiceSessions } from "./insight-answers.js";
import { useSamePages } from "./setup.js";

const ofAgent = `/agents/${agents[0].id}`;
const asked = (answer, end) => answer.state.asked.filter((one) => one.path.endsWith(end));

describe("people", { skip }, () => {
  const open = useSamePages();

  test("somebody is found by a part of what is known, and leads to their conversations", async () => {
    const answer = answers();
    await open(answer, `${ofAgent}/people`, async (page) => {
      await page.getByRole("link", { name: "two@example.com" }).waitFor();
      await page.getByRole("searchbox").fill("customer");
      await page.getByRole("link", { name: "two@example.com" }).waitFor({ state: "detached" });
      assert.equal(new URL(page.url()).searchParams.get("query"), "customer");
      await page.getByRole("link", { name: "Customer 1" }).click();
      await page.getByText("gold", { exact: true }).waitFor();
      const ticket = await page.getByRole("link", { name: /Order 4711/ }).getAttribute("href");
      assert.ok(ticket.endsWith(`${ofAgent}/tickets/118`), ticket);
      await page.locator(`main a[href$="/inbox/${conversation}?view=all"]`).click();
      await page.getByText("Where is my parcel?").waitFor();
      assert.equal(asked(answer, `/customers/${customers[0].customerId}`).length, 1);
    });
  });

  test("a lead is erased by its address, after a question", async () => {
    const erased = { conversations: 1, leads: 1, people: 0, visitors: 0, texts: 0, isComplete: true };
    const answer = answers({ fail: { "POST /v1/accounts/acc_1/person/erase": [200, erased] } });
    await open(answer, `${ofAgent}/people/leads`, async (page) => {
      await page.getByRole("listitem").filter({ hasText: "one@example.com" }).getByRole("button", { name: "Erase everything" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Erase everything" }).click();
      await page.getByText("Erased, with 1 conversation").waitFor();
      assert.deepEqual(asked(answer, "/person/erase")[0].body, { email: "one@example.com" });
    });
  });

  test("all that is known of somebody is exported, and erased after a question", async () => {
    const erased = { conversations: 3, leads: 1, people: 1, visitors: 1, texts: 0, isComplete: false };
    const fail = {
      "POST /v1/accounts/acc_1/person/export": [200, { export: { email: customers[0].email, conversations: [] } }],
      "POST /v1/accounts/acc_1/person/erase": [200, erased],
    };
    const answer = answers({ fail });
    await open(answer, `${ofAgent}/people/${customers[0].customerId}`, async (page) => {
      const file = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export everything" }).click();
      const text = (await (await (await file).createReadStream()).toArray()).join("");
      assert.deepEqual(JSON.parse(text), { email: customers[0].email, conversations: [] });
      await page.getByRole("button", { name: "Erase everything" }).click();
      assert.equal(asked(answer, "/person/erase").length, 0);
      const stays = /^Backups, archives made before, mails that were sent/;
      await page.getByRole("alertdialog").getByText(stays).waitFor();
      await page.getByRole("alertdialog").getByRole("button", { name: "Erase everything" }).click();
      await page.getByText("Erased, with 3 conversations.").waitFor();
      await page.getByText("The rest is erased soon.").waitFor();
      await page.getByRole("status").getByText(stays).waitFor();
      const known = { email: customers[0].email, userId: customers[0].userId };
      assert.deepEqual(["export", "erase"].map((act) => asked(answer, `/person/${act}`)[0].body), [known, known]);
      await page.getByRole("link", { name: "All people" }).click();
      await page.getByRole("link", { name: "two@example.com" }).waitFor();
    });
  });

  test("two people are made one, after a question that says what goes", async () => {
    const answer = answers();
    const third = { customerId: "01998b2d-0000-4000-8000-000000000b03", name: "Customer 3", userId: "4713", createdAt: "2026-11-01T09:00:00Z" };
    answer.state.customers = [...customers, third];
    await open(answer, `${ofAgent}/people/${customers[0].customerId}`, async (page) => {
      await page.getByRole("button", { name: "Merge with another person" }).click();
      const dialog = page.getByRole("dialog", { name: "Merge with another person" });
      await dialog.getByRole("button", { name: "Customer 3" }).click();
      await dialog.getByText("Both have an id of yours").waitFor();
      assert.equal(await dialog.getByRole("button", { name: "Merge", exact: true }).count(), 0);
      await dialog.getByRole("button", { name: "Choose another one" }).click();
      assert.equal(await dialog.getByRole("button", { name: "Customer 1" }).count(), 0);
      await dialog.getByRole("searchbox").fill("two@");
      await dialog.getByRole("button", { name: "Customer 3" }).waitFor({ state: "detached" });
      await dialog.getByRole("button", { name: "two@example.com" }).click();
      await dialog.getByText("This goes: two@example.com").waitFor();
      await dialog.getByRole("button", { name: "Merge", exact: true }).click();
      await page.getByRole("status").getByText("two@example.com and this person are one now.").waitFor();
      assert.deepEqual(asked(answer, "/merge").map(({ body }) => body), [{ from: customers[1].customerId }]);
    });
  });

  test("a viewer has no search, whatever the address says", async () => {
    const answer = answers({ role: "viewer" });
    await open(answer, `${ofAgent}/people?query=one`, async (page) => {
      await page.getByRole("link", { name: "two@example.com" }).waitFor();
      assert.equal(await page.getByRole("searchbox").count(), 0);
      assert.deepEqual(asked(answer, "/customers").map(({ query }) => query.get("query")), [null]);
    });
  });

  test("leads are saved as a table with a column for each field, in which nothing is a formula", async () => {
    await open(answers(), `${ofAgent}/people/leads`, async (page) => {
      const file = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export (CSV)" }).click();
      const text = (await (await (await file).createReadStream()).toArray()).join("");
      assert.equal(
        text,
        "createdAt,name,email,phoneNumber,conversationId,company\r\n" +
          `2026-11-20T14:03:00Z,Customer 1,one@example.com,,${conversation},Shop\r\n` +
          "2026-11-19T14:03:00Z,'=1+1,,'+1 555 0147,,\r\n",
      );
    });
  });
});

describe("voice sessions", { skip }, () => {
  const open = useSamePages();
  const path = `${ofAgent}/voice/${voiceSessions[0].sessionId}`;

  test("a recording is read in parts when somebody wants to hear it", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await page.getByText("the customer left").waitFor();
      await page.getByText("It left our warehouse on Monday.").waitFor();
      assert.equal(asked(answer, "/recording").length, 0);
      await page.getByRole("button", { name: "Listen to it" }).click();
      await page.locator("audio[src^='blob:']").waitFor();
      assert.deepEqual(asked(answer, "/recording").map(({ query }) => query.get("part")), ["0", "1"]);
      const file = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save the recording" }).click();
      assert.equal((await (await (await file).createReadStream()).toArray()).join(""), "RIFF----WAVE");
    });
  });

  test("one that goes on is ended, after a question, by who may", async () => {
    const live = () => ({ voiceSessions: [{ ...voiceSessions[0], endedAt: null, reason: "" }] });
    const button = (within) => within.getByRole("button", { name: "End the session" });
    const answer = answers({ state: live() });
    await open(answer, path, async (page) => {
      await button(page).click();
      const dialog = page.getByRole("alertdialog");
      await dialog.getByText("The call ends at once, for the customer too.").waitFor();
      assert.equal(asked(answer, "/end").length, 0);
      await button(dialog).click();
      await page.getByText("ended by the team").waitFor();
      assert.deepEqual([asked(answer, "/end").length, await button(page).count()], [1, 0]);
    });
    await open(answers({ role: "viewer", state: live() }), path, async (page) => {
      await page.getByText("goes on").first().waitFor();
      assert.equal(await button(page).count(), 0);
    });
  });

  test("a session without a recording says so", async () => {
    const route = `GET /v1/voice/sessions/${voiceSessions[0].sessionId}/recording`;
    const answer = answers({ fail: { [route]: [404, { error: { code: "NOT_FOUND", message: "" } }] } });
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "Listen to it" }).click();
      await page.getByText("There is no recording").waitFor();
    });
  });
});
