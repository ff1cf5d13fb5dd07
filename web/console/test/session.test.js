// A session that ends under an open page, and another person who signs in over it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers, user } from "./answers.js";
import { skip } from "./browser.js";
import { EventLog } from "./event-log.js";
import * as to from "./screen-states.js";
import { useConsole, useSamePages } from "./setup.js";

const help = agents[0].id;
const ofAgent = `/agents/${help}`;

describe("sessions", { skip }, () => {
  const open = useSamePages();
  const openAlone = useConsole(); // for more than one page, and what is called by the page
  const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const sent = (answer, method, path) => answer.state.asked.filter((a) => a.method === method && a.path === path);
  const enter = async (page, email) => {
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    assert.equal(await dialog.getByLabel("E-mail").inputValue(), user.email);
    await dialog.getByLabel("Password").and(page.locator(":focus")).waitFor();
    if (email) await dialog.getByLabel("E-mail").fill(email);
    await dialog.getByLabel("Password").fill("correct horse battery");
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    return dialog;
  };
  const signIn = async (page) => (await enter(page)).waitFor({ state: "detached" });

  test("a session that ends while somebody types leaves them the focus until something of theirs is refused", async () => {
    const answer = answers();
    const events = new EventLog();
    const both = events.with(answer);
    const refused = [401, { error: { code: "AUTH_SIGN_IN_REQUIRED", message: "Please sign in." } }];
    const gated = (asked) => (answer.state.isExpired && asked.path === "/v1/events" ? refused : both(asked));
    await open(gated, `${ofAgent}/playground`, async (page) => {
      const box = page.getByRole("textbox", { name: "Ask…" });
      await box.pressSequentially("How do I ");
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      answer.state.isExpired = true;
      events.cut();
      const note = page.getByRole("alert").filter({ hasText: "Your session has ended" });
      await note.getByRole("button", { name: "Sign in again" }).waitFor();
      assert.equal(await page.getByRole("dialog").count(), 0);
      await page.getByText("not live", { exact: true }).waitFor({ state: "attached" });
      await page.keyboard.type("return shoes?");
      assert.equal(await box.inputValue(), "How do I return shoes?");
      await to.readyToAsk(page);
      await page.keyboard.press("Enter");
      await signIn(page);
      await note.waitFor({ state: "detached" });
      await page.locator("[data-testid=spoken]", { hasText: "30 days" }).waitFor({ state: "attached" });
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
    });
  });

  test("a question that meets the end of the session is asked once more", async () => {
    const answer = answers();
    await open(answer, `${ofAgent}/playground`, async (page) => {
      await page.getByLabel("Instructions").fill("Be short.");
      await page.getByRole("textbox", { name: "Ask…" }).fill("How do I return shoes?");
      await to.readyToAsk(page);
      answer.state.isExpired = true;
      await page.keyboard.press("Enter");
      await signIn(page);
      await page.locator("[data-testid=spoken]", { hasText: "30 days" }).waitFor({ state: "attached" });
      assert.equal(await page.getByLabel("Instructions").inputValue(), "Be short.");
      const asked = sent(answer, "POST", `/v1${ofAgent}/playground`).map(({ body }) => [body.message, body.draft.instructions]);
      assert.deepEqual(asked, Array(2).fill(["How do I return shoes?", "Be short."]));
    });
  });

  test("a better answer that meets the end of the session is kept", async () => {
    const answer = answers();
    await open(answer, `${ofAgent}/playground`, async (page) => {
      await page.locator("button bdi").first().click();
      await page.getByRole("button", { name: "Improve" }).click();
      await page.getByLabel("What it should answer").fill("Within sixty days.");
      answer.state.isExpired = true;
      await page.getByRole("dialog").locator('button[type="submit"]').click();
      await signIn(page);
      await page.getByRole("dialog").getByText("Within sixty days.").waitFor();
    });
  });

  test("a file that meets the end of the session is sent once more", async () => {
    const answer = answers();
    await open(answer, `${ofAgent}/sources?add=files`, async (page) => {
      await page.getByRole("dialog").waitFor();
      answer.state.isExpired = true;
      await page.locator('input[type="file"]').setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("A".repeat(60)) });
      await signIn(page);
      await page.getByRole("region", { name: "Files on their way" }).waitFor({ state: "detached" });
      assert.equal(answer.state.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/sources")).length, 2);
    });
  });

  test("a text that meets the end of the session is added", async () => {
    const answer = answers();
    await open(answer, `${ofAgent}/sources?add=text`, async (page) => {
      const dialog = page.getByRole("dialog", { name: "Text" });
      await dialog.getByRole("textbox").first().fill("Opening hours");
      await dialog.getByRole("textbox").last().fill("From nine to five.");
      answer.state.isExpired = true;
      await dialog.locator('button[type="submit"]').click();
      await signIn(page);
      await dialog.waitFor({ state: "detached" });
      const bodies = answer.state.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/sources"));
      assert.deepEqual(bodies.map(({ body }) => body.content), Array(2).fill("From nine to five."));
    });
  });

  test("with somebody else everything begins anew, if they want that", async () => {
    const answer = answers();
    await openAlone(answer, `${ofAgent}/settings`, async (page) => {
      await page.getByLabel("Instructions").fill("Of the owner alone.");
      answer.state.isExpired = true;
      await page.keyboard.press("Control+s");
      page.once("dialog", () => assert.fail("the browser asks"));
      const dialog = await enter(page, "lee@shop.example");
      await dialog.getByText("lee@shop.example has signed in, but this page is that of owner@shop.example.").waitFor();
      await dialog.getByRole("button", { name: "Sign in as owner@shop.example" }).click();
      assert.equal(await page.locator('[name="settings.instructions"]').inputValue(), "Of the owner alone.");
      await enter(page, "lee@shop.example");
      await dialog.getByRole("button", { name: "Go on as lee@shop.example, lose it" }).click();
      await heading(page, "Agents");
      await page.getByRole("button", { name: "Menu of lee@shop.example" }).waitFor();
      await page.getByRole("main").getByRole("link", { name: "Help desk" }).click();
      await page.getByRole("link", { name: "Settings" }).click();
      assert.equal(await page.getByLabel("Instructions").inputValue(), "Be kind and short.");
      assert.equal(await page.getByRole("region", { name: "Changes that are not saved" }).count(), 0);
      assert.deepEqual(sent(answer, "PATCH", `/v1${ofAgent}/settings`).map(({ headers }) => headers["parley-user"]), ["usr_1"]);
    });
  });

  test("a page of one person sends nothing as another, and says who is signed in now", async () => {
    const answer = answers();
    await open(answer, "/me", async (page) => {
      await page.getByLabel("Your name").fill("Typed by the owner");
      answer.state.me = { ...user, id: "usr_2", name: "Lee", email: "lee@shop.example" };
      await page.keyboard.press("Control+s");
      await heading(page, "Somebody else has signed in");
      const alert = await page.getByRole("alert").textContent();
      assert.match(alert, /lee@shop\.example is signed in .* that of owner@shop\.example/);
      assert.equal(await page.getByText("Typed by the owner").count(), 0);
      assert.equal(answer.state.me.name, "Lee");
      assert.ok(answer.state.strange.includes("PATCH /v1/me"));
      await page.getByRole("button", { name: "Go on as lee@shop.example" }).click();
      await page.getByRole("button", { name: "Menu of Lee" }).waitFor();
    });
  });

  test("another tab is told at once who has signed in or out", async () => {
    const answer = answers();
    await openAlone(answer, "/me", async (page, server) => {
      await page.getByLabel("Your name").fill("Typed by the owner");
      const other = await page.context().newPage();
      await other.goto(`${server.url}/agents`);
      await other.getByRole("button", { name: "Menu of Owner" }).click();
      await other.getByRole("menuitem", { name: "Sign out" }).click();
      await heading(other, "Sign in");
      await heading(page, "Sign in");
      await page.getByLabel("E-mail").fill("lee@shop.example");
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await heading(page, "Your page");
      assert.equal(await page.getByLabel("Your name").inputValue(), "");
      await other.getByRole("button", { name: "Menu of lee@shop.example" }).waitFor();
      answer.state.me = { ...user };
      await page.evaluate(() => new BroadcastChannel("parley-session").postMessage("changed"));
      await heading(page, "Somebody else has signed in");
      await heading(other, "Somebody else has signed in");
    });
  });

  test("one tab signs in again for all tabs of the person", async () => {
    const answer = answers();
    await openAlone(answer, "/me", async (page, server) => {
      const other = await page.context().newPage();
      await other.goto(`${server.url}/me`);
      for (const one of [page, other]) await one.getByLabel("Your name").fill("Somebody");
      answer.state.isExpired = true;
      for (const one of [page, other]) {
        await one.bringToFront();
        await one.keyboard.press("Control+s");
        await one.getByRole("dialog", { name: "Sign in again" }).waitFor();
      }
      await signIn(other);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      for (const one of [page, other]) await one.getByText("1 change", { exact: true }).waitFor({ state: "detached" });
      assert.equal(answer.state.me.name, "Somebody");
    });
  });

  test("signing out asks over what is not saved", async () => {
    const answer = answers();
    await open(answer, "/me", async (page) => {
      const out = async () => {
        await page.getByRole("button", { name: "Menu of Owner" }).click();
        await page.getByRole("menuitem", { name: "Sign out" }).click();
      };
      await page.getByLabel("Your name").fill("Somebody");
      await out();
      const question = page.getByRole("alertdialog", { name: "Changes are not saved" });
      await question.getByRole("button", { name: "Stay" }).click();
      assert.equal(sent(answer, "DELETE", "/v1/session").length, 0);
      await out();
      await question.getByRole("button", { name: "Leave" }).click();
      await heading(page, "Sign in");
    });
  });

  test("the live view goes on saying that it is not live", async () => {
    const fail = { "GET /v1/events": [403, { error: { code: "AUTH_INSUFFICIENT_PERMISSIONS", message: "No." } }] };
    await open(answers({ fail }), "/me", async (page) => {
      await page.getByText(/^not live since /).waitFor();
      delete fail["GET /v1/events"];
      await page.getByRole("button", { name: "Try now" }).click();
      await page.getByText("not live", { exact: true }).waitFor();
    });
  });
});
