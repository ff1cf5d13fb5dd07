// The pages, as a person uses them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers, broken, inWorkspace } from "./answers.js";
import { skip, waitForFocus } from "./browser.js";
import { useSamePages } from "./setup.js";
import { sources } from "./source-answers.js";

describe("pages", { skip }, () => {
  const open = useSamePages();
  const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
  const sent = (answer, method, path) => answer.state.asked.filter((a) => a.method === method && a.path === path);

  test("sign in, with a wrong password first", async () => {
    const answer = answers({ isSignedIn: false });
    await open(answer, "/agents", async (page) => {
      await heading(page, "Sign in");
      assert.equal(await page.title(), "Sign in · Parley");
      await page.getByLabel("E-mail").fill("owner@shop.example");
      await page.getByLabel("Password").fill("wrong");
      await page.keyboard.press("Enter");
      await page.getByText("do not belong together").waitFor();
      await page.getByLabel("Password").fill("correct horse battery");
      await press(page, "Sign in");
      await heading(page, "Agents");
      await waitForFocus(page, /^Agents$/);
      assert.match(page.url(), /\/console\/agents$/);
      const [, { headers, body }] = sent(answer, "POST", "/v1/session");
      assert.deepEqual(body, { email: "owner@shop.example", password: "correct horse battery" });
      assert.equal(headers["parley-console"], "1");
      assert.equal(sent(answer, "GET", "/v2/agents").at(-1).headers["parley-account"], "acc_1");
    });
  });

  const sso = { features: { passkey: false, oidc: true, oidcName: "Shop ID", mail: false } };
  const start = "/console/api/v1/session/oidc";

  test("single sign-on leads to the provider, and what failed is said in words", async () => {
    const answer = answers({ isSignedIn: false, session: sso });
    await open(answer, "/sign-in#oidc-no-member", async (page) => {
      await page.getByRole("alert").getByText("Nobody has invited this e-mail address yet").waitFor();
      assert.match(page.url(), /\/console\/$/);
      const link = page.getByRole("link", { name: "Continue with Shop ID" });
      assert.equal(new URL(await link.getAttribute("href")).pathname, start);
      assert.equal(await link.getAttribute("target"), "_self");
      await page.route(`**${start}`, (route) => route.fulfill({ body: "the provider" }));
      await link.press("Enter");
      await page.getByText("the provider").waitFor();
    });
    await open(answer, "/sign-in#oidc-something", async (page) => {
      await page.getByRole("alert").getByText("error of the server").waitFor();
    });
  });

  const signInRefused = [401, { error: { code: "AUTH_SIGN_IN_FAILED", message: "That is not right." } }];

  test("what is not there is not asked for again", async () => {
    await open(answers(), "/agents/aaaaaaaaaaaaaaaaaaaaa", async (page) => {
      await page.getByRole("alert").getByText("There is nothing here").waitFor();
      assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
    });
  });

  test("a wrong recovery code and a wrong present password are called that", async () => {
    const fail = { "POST /v1/session/recovery-code": signInRefused, "PUT /v1/me/password": signInRefused };
    await open(answers({ isSignedIn: false, fail }), "/", async (page) => {
      await press(page, "Use a recovery code");
      await page.getByLabel("E-mail").fill("owner@shop.example");
      await page.getByLabel("Recovery code").fill("wrong");
      await press(page, "Sign in");
      await page.getByRole("alert").getByText("This recovery code is not valid").waitFor();
    });
    await open(answers({ fail }), "/me", async (page) => {
      await page.getByLabel("Present password").fill("wrong");
      await page.getByLabel("New password").fill("correct horse staple");
      await press(page, "Change the password");
      await page.getByRole("alert").getByText("This is not your present password").waitFor();
    });
  });

  test("have a link mailed", async () => {
    const answer = answers({ isSignedIn: false });
    await open(answer, "/", async (page) => {
      await press(page, "Mail me a link");
      await page.getByLabel("E-mail").fill("owner@shop.example");
      await press(page, "Mail me a link");
      await page.getByText("a link is on its way").waitFor();
      assert.deepEqual(sent(answer, "POST", "/v1/session/link")[0].body, { email: "owner@shop.example" });
      await press(page, "Back");
      await page.getByLabel("Password").waitFor();
    });
  });

  test("the first person comes in by the link, and a fault is shown at its field", async () => {
    const answer = answers({ isSignedIn: false, list: [], session: { needsSetup: true } });
    await open(answer, "/setup#good", async (page) => {
      await heading(page, "Welcome to Parley");
      assert.ok(!page.url().includes("good"), "the token stays in the address");
      await page.reload();
      await page.getByLabel("Your name").fill("Owner");
      await page.getByLabel("E-mail").fill("taken@shop.example");
      await page.getByLabel("Company").fill("Shop");
      await page.getByLabel("Password").fill("correct horse battery");
      await press(page, "Continue");
      await page.getByText("Write an e-mail address, such as name@example.com.").waitFor();
      assert.equal(await page.getByRole("alert").count(), 0, "what a field says is said once");
      assert.equal(await page.getByLabel("E-mail").getAttribute("aria-invalid"), "true");
      await page.getByLabel("E-mail").fill("owner@shop.example");
      await press(page, "Continue");
      await heading(page, "Your first agent");
      assert.match(page.url(), /\/console\/welcome$/);
      assert.deepEqual(sent(answer, "POST", "/v1/session/redeem").at(-1).body, {
        token: "good",
        name: "Owner",
        email: "owner@shop.example",
        company: "Shop",
        password: "correct horse battery",
      });
    });
  });

  test("an invitation that is too old says so; half a link is not sent", async () => {
    await open(answers({ isSignedIn: false }), "/redeem#old", async (page) => {
      await page.getByText("too old").waitFor();
      assert.equal(await page.getByLabel("Password").count(), 0);
    });
    await open(answers({ isSignedIn: false }), "/redeem", async (page) => {
      await page.getByText("The link is not whole").waitFor();
    });
  });

  test("before the first person, and without HTTPS, nobody is asked for a password", async () => {
    for (const [session, text] of [
      [{ needsSetup: true }, "Open the link that the server printed"],
      [{ insecure: true }, "Passwords could be read on the way"],
    ]) {
      await open(answers({ isSignedIn: false, session }), "/", async (page) => {
        await page.getByText(text).waitFor();
        assert.equal(await page.getByLabel("Password").count(), 0);
      });
    }
  });

  test("where nothing could be read, the first run asks for something else", async () => {
    const nothing = { data: [sources.find(({ status }) => status === "failed")], pagination: { cursor: null, hasMore: false } };
    const fail = { [`GET /v1/agents/${agents[0].id}/sources`]: [200, nothing] };
    await open(answers({ fail }), `/welcome/${agents[0].id}`, async (page) => {
      await page.getByText("Nothing could be read").waitFor();
      await page.getByText("Give it something else to read").waitFor();
    });
  });

  test("a first run that fails at what it should read makes one agent, with the name that was typed last", async () => {
    const made = "9NewAgent-AbCdEfGhIjK";
    const fail = { [`POST /v2/agents/${made}/sources`]: [422, { error: { code: "SOURCE_SIZE_LIMIT_EXCEEDED", message: "" } }] };
    const answer = answers({ list: [], fail });
    await open(answer, "/welcome?way=text", async (page) => {
      await page.getByLabel("Text", { exact: true }).fill("Goods may be sent back within thirty days of delivery.");
      await press(page, "Read it");
      await page.getByText("The plan of your company has no room for this.").waitFor();
      delete fail[`POST /v2/agents/${made}/sources`];
      await page.getByLabel("Name it").fill("Returns");
      await press(page, "Read it");
      await page.waitForURL(new RegExp(`/welcome/${made}$`));
      assert.deepEqual(answer.state.list.map(({ name }) => name), ["Returns"]);
      assert.equal(sent(answer, "POST", "/v2/agents").length, 1);
    });
  });

  test("after the first answer each next step leads to its screen; what a role may not do, to the manual", async () => {
    const help = `/console/agents/${agents[0].id}`;
    for (const [role, model, team] of [
      ["owner", "/console/workspace/models", "/console/workspace/members"],
      ["agent", "/docs/manual/models#how-do-i-connect-a-language-model", "/docs/manual/signing-in#how-do-i-invite-somebody"],
    ]) {
      await open(answers({ role, session: inWorkspace(role) }), `/welcome/${agents[0].id}`, async (page) => {
        const next = page.getByRole("complementary", { name: "Next" });
        const to = (name) => next.getByRole("link", { name }).getAttribute("href");
        assert.deepEqual(
          [await to("Put it on your site"), await to("Connect a language model"), await to("Invite your team")],
          [`${help}/embed`, model, team],
        );
        await next.getByRole("link", { name: "Put it on your site" }).click();
        await heading(page, "Embed");
      });
    }
  });

  test("an agent is made, and has its page", async () => {
    await open(answers({ list: [] }), "/agents", async (page) => {
      await press(page, "New agent");
      await page.getByRole("menuitem", { name: "Empty" }).click();
      await page.getByLabel("Name").fill("Help desk");
      await press(page, "Create");
      await heading(page, "Help desk");
      await page.getByText("Not trained").first().waitFor();
      await page.getByRole("button", { name: /Choose an agent/ }).waitFor();
      assert.equal(await page.title(), "Help desk · Parley");
    });
  });

  test("what is looked for among many agents stands in the address", async () => {
    const list = Array.from({ length: 12 }, (_, i) => ({ ...agents[0], id: `agent-${i}`, name: `Shop ${i}` }));
    await open(answers({ list }), "/agents", async (page) => {
      const found = page.getByRole("main").getByRole("link");
      await page.getByRole("searchbox", { name: "Search by name" }).fill("shop 7");
      await page.waitForURL(/\?name=shop\+7$/);
      await page.reload();
      await page.getByRole("link", { name: "Shop 7", exact: true }).waitFor();
      assert.equal(await found.count(), 1);
      await page.getByRole("searchbox", { name: "Search by name" }).fill("");
      await page.waitForURL((url) => url.search === "");
      await page.getByRole("link", { name: "Shop 11", exact: true }).waitFor();
    });
  });

  test("an agent is copied", async () => {
    const answer = answers();
    await open(answer, "/agents", async (page) => {
      await press(page, "New agent");
      await page.getByRole("menuitem", { name: "Copy of an agent" }).click();
      await page.getByRole("dialog").getByRole("button", { name: /Agent/ }).click();
      await page.getByRole("option", { name: "Returns" }).click();
      await press(page, "Create");
      await heading(page, "Help desk"); // what the recorded answer names
      assert.equal(sent(answer, "POST", "/v2/agents/8ZK2M1C-QWErTyUiOpAsD/clone").length, 1);
    });
  });

  test("what cannot be read is said, with the request's id, and tried again", async () => {
    const fail = { "GET /v2/agents": broken };
    await open(answers({ fail }), "/agents", async (page) => {
      await page.getByText("0192f3c1-0000-7000-8000-000000000001").waitFor();
      delete fail["GET /v2/agents"];
      await press(page, "Try again");
      await page.getByRole("link", { name: "Help desk" }).waitFor();
    });
    await open(answers(), "/agents/unknown", async (page) => {
      await page.getByText("There is nothing here").waitFor();
    });
    await open(answers(), "/nowhere", (page) => heading(page, "Not found"));
  });

  test("name and language are saved together, and only they", async () => {
    const answer = answers();
    await open(answer, "/me", async (page) => {
      const name = page.getByLabel("Your name");
      await name.fill("Somebody");
      await page.getByText("1 change", { exact: true }).waitFor();
      await name.fill("Owner");
      await page.getByText("1 change", { exact: true }).waitFor({ state: "detached" });
      await name.fill("Somebody");
      await page.getByRole("button", { name: /Language/ }).click();
      await page.getByRole("option", { name: "Deutsch" }).click();
      await page.getByText("2 changes", { exact: true }).waitFor();
      await page.keyboard.press("Control+s");
      await heading(page, "Ihre Seite");
      assert.deepEqual(sent(answer, "PATCH", "/v1/me").map(({ body }) => body), [{ name: "Somebody", locale: "de" }]);
      assert.equal(await page.locator("html").getAttribute("lang"), "de");
    });
  });

  test("why a name is refused is said below it, until it is discarded", async () => {
    const refusal = [400, { error: { code: "VALIDATION_INVALID_BODY", message: "", details: { name: "must not be empty" } } }];
    await open(answers({ fail: { "PATCH /v1/me": refusal } }), "/me", async (page) => {
      const name = page.getByLabel("Your name");
      await name.fill("");
      await page.keyboard.press("Control+s");
      await page.getByText("This is needed.").waitFor();
      assert.equal(await name.getAttribute("aria-invalid"), "true");
      await press(page, "Discard");
      await page.getByText("This is needed.").waitFor({ state: "hidden" });
      assert.equal(await name.inputValue(), "Owner");
    });
  });

  test("theme and rows change at once and stay", async () => {
    const answer = answers();
    await open(answer, "/me", async (page) => {
      await page.getByRole("button", { name: /Theme/ }).click();
      await page.getByRole("option", { name: "Dark" }).click();
      await page.getByRole("button", { name: /Row height/ }).click();
      await page.getByRole("option", { name: "Compact" }).click();
      const looks = () => page.locator("html").evaluate(({ dataset }) => [dataset.theme, dataset.density]);
      assert.deepEqual(await looks(), ["dark", "compact"]);
      await page.reload();
      await heading(page, "Your page");
      assert.deepEqual(await looks(), ["dark", "compact"]);
      assert.deepEqual(sent(answer, "PATCH", "/v1/me")[0].body, { theme: "dark" });
    });
  });

  test("a new password asks who it is, and goes on by itself", async () => {
    const answer = answers();
    await open(answer, "/me", async (page) => {
      await page.getByLabel("Present password").fill("correct horse battery");
      await page.getByLabel("New password").fill("correct horse staple");
      await press(page, "Change the password");
      const dialog = page.getByRole("dialog", { name: "Please confirm that it is you" });
      await dialog.getByLabel("Password").fill("wrong");
      await dialog.getByRole("button", { name: "Confirm" }).click();
      await dialog.getByText("This is not your present password").waitFor();
      await dialog.getByLabel("Password").fill("correct horse battery");
      await dialog.getByRole("button", { name: "Confirm" }).click();
      await page.getByText("The password is changed").waitFor();
      assert.equal(sent(answer, "PUT", "/v1/me/password").length, 2);
    });
  });

  test("another session is ended", async () => {
    await open(answers(), "/me", async (page) => {
      await press(page, "End the session of Safari, iOS");
      await page.getByText("Safari, iOS").waitFor({ state: "detached" });
      await page.getByText("This browser").waitFor();
    });
  });

  test("all other sessions are ended at once, and this one stays", async () => {
    const answer = answers();
    const [here, there] = answer.state.sessions;
    answer.state.sessions = [here, there, { ...there, id: "ses_3", userAgent: "curl" }];
    await open(answer, "/me", async (page) => {
      await press(page, "End all others");
      await page.getByRole("button", { name: "End all others" }).waitFor({ state: "detached" });
      assert.deepEqual(answer.state.sessions, [here]);
      await page.getByText("This browser").waitFor();
    });
  });

  test("when the session ends in mid-edit, nothing that was typed is lost", async () => {
    const fail = {};
    const answer = answers({ fail });
    await open(answer, "/me", async (page) => {
      await page.getByLabel("Your name").fill("Somebody");
      fail["PATCH /v1/me"] = [401, { error: { code: "AUTH_SIGN_IN_REQUIRED", message: "Please sign in." } }];
      await press(page, "Save");
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      await dialog.waitFor();
      await page.keyboard.press("Escape");
      delete fail["PATCH /v1/me"];
      await dialog.getByLabel("E-mail").fill("owner@shop.example");
      await dialog.getByLabel("Password").fill("correct horse battery");
      await dialog.getByRole("button", { name: "Sign in" }).click();
      await dialog.waitFor({ state: "detached" });
      assert.equal(await page.getByLabel("Your name").inputValue(), "Somebody"); // and the saving goes on
      await page.getByText("1 change", { exact: true }).waitFor({ state: "detached" });
      assert.equal(answer.state.me.name, "Somebody");
    });
  });

  test("who belongs to two companies has the company in the address", async () => {
    const memberships = ["acc_1", "acc_2"].map((accountId) => ({ accountId, accountName: accountId, role: "viewer" }));
    const answer = answers({ session: { memberships } });
    await open(answer, "/a/acc_2/agents", async (page) => {
      await page.getByRole("link", { name: "Help desk" }).click();
      await heading(page, "Help desk");
      assert.match(page.url(), /\/console\/a\/acc_2\/agents\/5QHA/);
      assert.equal(sent(answer, "GET", "/v2/agents").at(-1).headers["parley-account"], "acc_2");
      assert.equal(await page.getByRole("button", { name: "New agent" }).count(), 0);
      await page.getByRole("button", { name: /Menu of/ }).click();
      await page.getByRole("menuitem", { name: "acc_1" }).click();
      await page.waitForURL(/\/console\/a\/acc_1\/agents$/);
    });
  });

  test("sign out", async () => {
    await open(answers(), "/me", async (page) => {
      await page.getByRole("button", { name: /Menu of/ }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await heading(page, "Sign in");
    });
  });
});
