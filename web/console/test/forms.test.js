// What a form does with what the server refuses.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";

const invalid = (details) => [
  400,
  { error: { code: "VALIDATION_INVALID_BODY", message: "The request is not valid; see details.", details } },
  { "X-Request-Id": "0123456789abcdef" },
];
const common = invalid({ password: "is one of those that are guessed first; choose another" });

describe("forms", { skip }, () => {
  const open = useSamePages();
  const puts = (answer) => answer.state.asked.filter(({ method, path }) => method === "PUT" && path === "/v1/me/password");

  test("after a fault the button stays where it is, and the first press on it sends", async () => {
    const fail = { "PUT /v1/me/password": common };
    const answer = answers({ fail });
    await open(answer, "/me", async (page) => {
      const field = page.getByLabel("New password");
      const button = page.getByRole("button", { name: "Change the password" });
      const fault = page.getByText("one of those that are guessed first");
      await page.getByLabel("Present password").fill("a long password of mine");
      await field.fill("password1234");
      await button.click();
      await fault.waitFor();
      assert.equal(await field.getAttribute("aria-invalid"), "true");
      assert.match(await field.evaluate((e) => e.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id)?.textContent).join(" ")), /guessed first/);
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "password");

      delete fail["PUT /v1/me/password"];
      answer.state.isSteppedUp = true;
      await field.fill("another long password");
      await button.scrollIntoViewIfNeeded();
      const before = await button.boundingBox();
      await page.mouse.move(before.x + before.width / 2, before.y + before.height / 2);
      await page.mouse.down();
      assert.deepEqual(await button.boundingBox(), before, "the button moves under the pointer");
      await page.mouse.up();
      await page.getByText("The password is changed").waitFor();
      assert.equal(puts(answer).length, 2);
      assert.equal(await fault.count(), 0);
    });
  });

  test("what the browser misses is said in the language of the console", async () => {
    const answer = answers();
    const send = async (page) => {
      await page.getByLabel("Neues Passwort").pressSequentially("short");
      await page.keyboard.press("Enter");
      await page.getByText("Diese Angabe fehlt.").waitFor();
      await page.getByText("Mindestens 12 Zeichen sind nötig.").waitFor();
      assert.equal(puts(answer).length, 0);
    };
    await open(answer, "/me", send, { locale: "de" });
  });

  test("the same is sent again where nothing was changed", async () => {
    const answer = answers({ fail: { "PUT /v1/me/password": common } });
    await open(answer, "/me", async (page) => {
      await page.getByLabel("Present password").fill("a long password of mine");
      await page.getByLabel("New password").fill("password1234");
      for (const times of [1, 2]) {
        const reply = page.waitForResponse("**/v1/me/password");
        await page.getByRole("button", { name: "Change the password" }).click();
        await reply;
        await page.getByText("one of those that are guessed first").waitFor();
        assert.equal(puts(answer).length, times);
      }
    });
  });

  test("a button stays also where the browser's own fault goes", async () => {
    await open(answers(), "/me", async (page) => {
      const button = page.getByRole("button", { name: "Change the password" });
      await button.click();
      const field = page.getByLabel("Present password");
      await field.and(page.locator("[aria-invalid=true]")).waitFor();
      const before = await button.boundingBox();
      await field.fill("a long password of mine");
      await field.blur();
      await page.locator("[name=present]:not([aria-invalid])").waitFor();
      assert.equal((await button.boundingBox()).y, before.y);
    });
  });

  test("faults are said in the person's language, and ordinary ones have no number of the request", async () => {
    const de = { me: { id: "usr_1", name: "Owner", email: "owner@shop.example", locale: "de", theme: "", hasPassword: true } };
    const fail = { "POST /v2/agents": invalid({ name: "must have at most 100 characters", model: "is not allowed" }) };
    await open(answers({ ...de, list: [], fail }), "/agents", async (page) => {
      await page.getByRole("button", { name: "Neuer Agent" }).click();
      await page.getByRole("menuitem", { name: "Leer" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("x");
      await page.keyboard.press("Enter");
      await dialog.getByText("Höchstens 100 Zeichen sind möglich.").waitFor();
      // What no field shows is said above.
      assert.equal(await dialog.getByRole("alert").textContent(), "So ist das nicht möglich.");
      fail["POST /v2/agents"] = [500, { error: { code: "INTERNAL_SERVER_ERROR", message: "" } }, { "X-Request-Id": "0123456789abcdef" }];
      await page.keyboard.press("Enter");
      await dialog.getByText("0123456789abcdef").waitFor();
      const refuse = (status, code) => [status, { error: { code, message: "In English." } }, { "X-Request-Id": "0123456789abcdef" }];
      for (const [status, code, text] of [
        [409, "SOURCE_DUPLICATE", "Diese Quelle hat der Agent bereits."],
        [422, "SOURCE_SIZE_LIMIT_EXCEEDED", /^Der Tarif Ihrer Firma hat dafür keinen Platz/],
        [409, "TICKET_INVALID_STATUS", /^Das hat sich inzwischen geändert/],
      ]) {
        fail["POST /v2/agents"] = refuse(status, code);
        await page.keyboard.press("Enter");
        await dialog.getByText(text).waitFor();
        assert.equal(await dialog.getByText("0123456789abcdef").count(), 0);
      }
      fail["POST /v2/agents"] = refuse(403, "AUTH_STEP_UP_REQUIRED");
      await page.keyboard.press("Enter");
      const confirmation = page.getByRole("dialog", { name: "Bitte bestätigen Sie, dass Sie es sind" });
      await confirmation.getByRole("button", { name: "Abbrechen" }).click();
      await dialog.getByText(/^Es ist nichts geschehen/).waitFor();
      assert.equal(await dialog.getByText("0123456789abcdef").count(), 0);
    });
  });

  test("a wrong password, and too many of them, are said without a number", async () => {
    const id = { "X-Request-Id": "0123456789abcdef" };
    const fail = { "POST /v1/session": [401, { error: { code: "AUTH_SIGN_IN_FAILED", message: "No." } }, id] };
    await open(answers({ isSignedIn: false, fail }), "/", async (page) => {
      const send = async (text) => {
        await page.getByLabel("E-mail").fill("owner@shop.example");
        await page.getByLabel("Password").fill("wrong");
        await page.keyboard.press("Enter");
        await page.getByRole("alert").getByText(text).waitFor();
        assert.equal(await page.getByText("0123456789abcdef").count(), 0);
      };
      await send("do not belong together");
      fail["POST /v1/session"] = [429, { error: { code: "RATE_LIMIT_TOO_MANY_REQUESTS", message: "No." } }, { ...id, "Retry-After": "60" }];
      await send("Try again in 60 seconds");
    });
  });

  test("names that cannot be seen, or that look like others, are shown as what they are", async () => {
    const list = [
      { ...agents[0], name: " \u202e " },
      { ...agents[1], name: "agent \u202egnp.exe" },
    ];
    await open(answers({ list }), "/agents", async (page) => {
      await page.getByRole("main").getByText("(no name)").waitFor();
      await page.getByRole("main").getByText("agent gnp.exe").waitFor();
      await page.goto(`${page.url()}/${list[0].id}`);
      await page.getByRole("heading", { level: 1, name: "(no name)" }).waitFor();
    });
  });
});
