// The screens of the workspace: members and invitations, API keys, and the audit chain.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { answers, inWorkspace, user } from "./answers.js";
import { assertSoon, skip, waitForFocus } from "./browser.js";
import { EventLog } from "./event-log.js";
import { useSamePages } from "./setup.js";
import { members, troubled } from "./workspace-answers.js";

const people = (more = {}, role) => answers({ session: inWorkspace(role), ...more });
const row = (page, name) => page.getByRole("main").getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
const sent = (answer, method, part) => answer.state.asked.filter((one) => one.method === method && one.path.includes(part));
const confirmed = { state: { isSteppedUp: true } };

async function confirm(page) {
  const dialog = page.getByRole("dialog", { name: "Please confirm that it is you" });
  await dialog.getByLabel("Password").fill("correct horse battery");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.waitFor({ state: "detached" });
}

async function choose(page, name, action) {
  await page.getByRole("button", { name: `More: ${name}` }).press("Enter");
  await page.getByRole("menuitem", { name: action }).press("Enter");
}

describe("the company", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/general";

  test("an owner changes its name and what viewers see, once they have confirmed who they are", async () => {
    const answer = people();
    await open(answer, path, async (page) => {
      const name = page.locator("[name=name]");
      assert.equal(await name.inputValue(), "Shop");
      assert.equal(await page.getByLabel("Account id").inputValue(), "acc_1");
      await name.fill("");
      await page.getByRole("switch", { name: /^Viewers see personal data/ }).press("Space");
      await page.getByText("2 changes").waitFor();
      await page.keyboard.press("Control+s");
      await confirm(page);
      await page.locator("[name=name][aria-invalid=true]").waitFor();
      await name.fill("Shop and more");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      assert.deepEqual(sent(answer, "PATCH", "/accounts/acc_1").at(-1).body, { viewersSeePersonalData: true, name: "Shop and more" });
    });
  });
});

describe("the time zone of the company", { skip }, () => {
  const open = useSamePages();

  test("is proposed by name, and the browser's own is one press away", async () => {
    const answer = people(confirmed);
    await open(answer, "/workspace/general", async (page) => {
      const zone = page.getByLabel("Time zone");
      await zone.waitFor();
      const proposed = await zone.evaluate(({ list }) => [...list.options].map(({ value }) => value));
      assert.ok(proposed.length > 300 && proposed.includes("Europe/Berlin"), `${proposed.length} zones`);
      await page.getByRole("button", { name: "Use Asia/Tokyo" }).press("Enter");
      assert.equal(await zone.inputValue(), "Asia/Tokyo");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      assert.deepEqual(sent(answer, "PATCH", "/accounts/acc_1").at(-1).body, { timeZone: "Asia/Tokyo" });
    }, { timezoneId: "Asia/Tokyo" });
  });
});

describe("mails", { skip }, () => {
  const open = useSamePages();

  test("where the server sends none, the settings of mails say so", async () => {
    const session = { ...inWorkspace(), features: { passkey: false, oidc: false, oidcName: "", mail: false } };
    for (const path of ["/me", "/agents/5QHA6VB-DIAbBhxwqxfdi/settings/notifications"]) {
      await open(answers({ session }), path, async (page) => {
        await page.getByText("This server sends no mails yet: its operator sets PARLEY_SMTP_URL.").waitFor();
      });
    }
  });
});

describe("everything of the company", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/general";
  const button = (page) => page.getByRole("button", { name: "Export everything" });

  test("is saved as a file, once an owner has confirmed who they are", async () => {
    await open(people(), path, async (page) => {
      await button(page).click();
      const saved = page.waitForEvent("download");
      await confirm(page);
      const file = await saved;
      assert.equal(file.suggestedFilename(), "Shop.zip");
      assert.match(readFileSync(await file.path(), "utf8"), /archive/);
    });
  });

  test("is exported by owners alone, and a failure is told", async () => {
    await open(people({}, "admin"), path, async (page) => {
      await page.getByLabel("Account id").waitFor();
      assert.equal(await button(page).count(), 0);
    });
    const answer = people();
    answer.state.isSteppedUp = true;
    const failing = (asked) => (asked.path.endsWith("/archive") ? [500, { error: { code: "INTERNAL_SERVER_ERROR", message: "" } }] : answer(asked));
    await open(failing, path, async (page) => {
      await button(page).click();
      await page.getByRole("main").getByRole("alert").waitFor();
    });
  });
});

describe("how the people of the company sign in", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/sign-in";
  const features = { passkey: true, oidc: true, oidcName: "Shop ID", mail: false };
  const withProvider = (more) => people({ session: { ...inWorkspace(), features }, ...more });
  const only = (page) => page.getByRole("switch", { name: "Members sign in by single sign-on only" });

  test("single sign-on becomes the only way, with one owner who needs it not", async () => {
    const answer = withProvider({ ...confirmed });
    await open(answer, path, async (page) => {
      await only(page).waitFor();
      assert.match(await row(page, "Shop ID").textContent(), /Set up/);
      await only(page).press("Space");
      assert.match(await page.getByRole("button", { name: /The owner who needs it not/ }).textContent(), /Owner · owner@shop\.example/);
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      assert.deepEqual(sent(answer, "PATCH", "/accounts/acc_1").at(-1).body, { onlySingleSignOn: true, exemptOwner: "usr_1" });
      await only(page).press("Space");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      assert.deepEqual(sent(answer, "PATCH", "/accounts/acc_1").at(-1).body, { onlySingleSignOn: false, exemptOwner: "" });
    });
  });

  test("who would keep themselves out is told", async () => {
    await open(withProvider({ state: { isSteppedUp: true, refusedOwner: "usr_1" } }), path, async (page) => {
      await only(page).press("Space");
      await page.keyboard.press("Control+s");
      await page.getByText("Sign in by single sign-on yourself first").waitFor();
    });
  });

  test("without a provider it cannot be switched on, and the screen says who sets one up", async () => {
    await open(people(), path, async (page) => {
      await only(page).waitFor();
      assert.equal(await only(page).isDisabled(), true);
      await page.getByText("Single sign-on has to be set up and tried first.").waitFor();
    });
  });

  const admins = (page) => page.getByRole("switch", { name: "Owners and admins need a passkey" });
  const byPasskey = { passkey: true, oidc: false, oidcName: "", mail: false };

  test("owners and admins are asked for a passkey, and not any more", async () => {
    const answer = people({ session: { ...inWorkspace(), features: byPasskey }, me: { ...user, hasPasskey: true }, ...confirmed });
    await open(answer, path, async (page) => {
      for (const isOn of [true, false]) {
        await admins(page).press("Space");
        await page.keyboard.press("Control+s");
        await page.getByText("Saved", { exact: true }).waitFor();
        assert.deepEqual(sent(answer, "PATCH", "/accounts/acc_1").at(-1).body, { adminsNeedPasskey: isOn });
      }
    });
  });

  test("whoever has no passkey, or has shown none, is told before others need one", async () => {
    await open(people({ session: { ...inWorkspace(), features: byPasskey } }), path, async (page) => {
      await page.getByText("Add a passkey of your own first.").first().waitFor();
      assert.equal(await admins(page).isDisabled(), true);
    });
    const state = { isSteppedUp: true, hasShownNone: true };
    await open(people({ session: { ...inWorkspace(), features: byPasskey }, me: { ...user, hasPasskey: true }, state }), path, async (page) => {
      await admins(page).press("Space");
      await page.keyboard.press("Control+s");
      await page.getByText("Sign in with a passkey first.").waitFor();
      await page.getByRole("button", { name: "Continue with a passkey" }).waitFor();
    });
  });

  const passwords = (page) => page.getByRole("switch", { name: "Members may sign in with a password" });

  test("passwords are switched off and on, and the way says that it is refused", async () => {
    const answer = people({ session: { ...inWorkspace(), features: byPasskey }, me: { ...user, hasPasskey: true }, ...confirmed });
    await open(answer, path, async (page) => {
      for (const noPasswords of [true, false]) {
        await passwords(page).press("Space");
        await page.keyboard.press("Control+s");
        await page.getByText("Saved", { exact: true }).waitFor();
        assert.deepEqual(sent(answer, "PATCH", "/accounts/acc_1").at(-1).body, { noPasswords });
        await page.getByText("Members are refused. They use a passkey").waitFor({ state: noPasswords ? "visible" : "detached" });
      }
    });
    const state = { isSteppedUp: true, hasShownNone: true };
    await open(people({ session: { ...inWorkspace(), features: byPasskey }, me: { ...user, hasPasskey: true }, state }), path, async (page) => {
      await passwords(page).press("Space");
      await page.keyboard.press("Control+s");
      await page.getByRole("button", { name: "Continue with a passkey" }).waitFor();
    });
    await open(people({ session: { ...inWorkspace(), features: byPasskey } }), path, async (page) => {
      await passwords(page).waitFor();
      assert.equal(await passwords(page).isDisabled(), true);
    });
  });

  test("whoever has nothing but a password that is refused is told to come by a link", async () => {
    const asked = { accountId: "acc_1", accountName: "Shop", role: "agent", permissions: [], passkeyStep: "link" };
    await open(answers({ session: { memberships: [asked], features: byPasskey } }), "/agents", async (page) => {
      await page.getByText("Shop takes no passwords, and you have no passkey yet.").waitFor();
      assert.equal(await page.getByRole("button", { name: /passkey/ }).count(), 0);
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    });
  });

  test("an admin who is asked for a passkey adds one, or uses theirs, and sees nothing else", async () => {
    const asked = (passkeyStep) => ({ accountId: "acc_1", accountName: "Shop", role: "admin", permissions: [], passkeyStep });
    const session = (step) => ({ memberships: [asked(step)], features: byPasskey });
    await open(answers({ session: session("add") }), "/agents", async (page) => {
      await page.getByRole("heading", { level: 1, name: "Shop asks you for a passkey" }).waitFor();
      await page.getByRole("button", { name: "Add a passkey" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Continue with a passkey" }).count(), 0);
      assert.equal(await page.getByRole("navigation").count(), 0);
    });
    await open(answers({ session: session("use"), me: { ...user, hasPasskey: true } }), "/agents", async (page) => {
      await page.getByRole("button", { name: "Continue with a passkey" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Add a passkey" }).count(), 0);
      await page.getByText("sign in with a recovery code or a link").waitFor();
    });
  });

  test("whoever has signed in otherwise is led to the provider, also while they are at it", async () => {
    const shut = { accountId: "acc_1", accountName: "Shop", role: "agent", permissions: [], needsSingleSignOn: true };
    await open(answers({ session: { memberships: [shut], features } }), "/agents", async (page) => {
      await page.getByRole("heading", { level: 1, name: "Shop is entered by single sign-on" }).waitFor();
      const link = page.getByRole("link", { name: "Continue with Shop ID" });
      assert.match(await link.getAttribute("href"), /\/console\/api\/v1\/session\/oidc$/);
    });
    const refused = [403, { error: { code: "AUTH_SINGLE_SIGN_ON_REQUIRED", message: "This account is entered by single sign-on." } }];
    await open(answers({ session: { features } }), "/agents", async (page, server) => {
      const link = page.getByRole("main").getByRole("link", { name: "Help desk", exact: true });
      await link.waitFor();
      // An owner has switched it on.
      server.answer = answers({ session: { memberships: [shut], features }, fail: { "GET /v2/agents/5QHA6VB-DIAbBhxwqxfdi": refused } });
      await link.click();
      await page.getByRole("heading", { level: 1, name: "Shop is entered by single sign-on" }).waitFor();
    });
  });
});

describe("the server", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/server";
  const part = (page, name) => row(page, name).textContent();

  test("each of its parts says how it does", async () => {
    await open(people(), path, async (page) => {
      await row(page, "Program").waitFor();
      assert.match(await part(page, "Program"), /Runs1\.4\.0 · started /);
      assert.match(await part(page, "Database"), /Answers within 0\.8 ?msPostgreSQL 17\.6 · 184 ?MB/);
      assert.match(await part(page, "Queue of jobs"), /At workWaiting: 3 · Running: 1$/);
      assert.match(await part(page, "Disk"), /Has space31 ?GB of 80 ?GB are free/);
      assert.match(await part(page, "Mail"), /Set up/);
      assert.match(await part(page, "Backups"), /Last made on Nov 22, 2026.*61 ?MB · the next one on Nov 23, 2026.* · one every 24 hours · kept: the newest 7 · in a folder$/);
      assert.match(await part(page, "Voice"), /Set uphas a media server · agents speak · speech is understood/);
      assert.match(await part(page, "Main model"), /Works since/);
      await page.getByRole("link", { name: /^Models: connect/ }).click();
      await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
    });
  });

  test("what is wrong is said in words, with the setting that is missing, and is read again when asked", async () => {
    const answer = people({ state: { server: troubled } });
    await open(answer, path, async (page) => {
      await row(page, "Mail").waitFor();
      assert.match(await part(page, "Queue of jobs"), /Given up: 4Waiting: 812 · Running: 2 · the server’s log says why/);
      assert.match(await part(page, "Disk"), /Nearly full/);
      assert.match(await part(page, "Mail"), /Not set up.*PARLEY_SMTP_URL/);
      assert.match(await part(page, "Sealing of secrets"), /Not set up.*PARLEY_SECRET_KEY/);
      assert.match(await part(page, "Voice"), /Set up in part.*speech is not understood.*whisper-cli is not in PATH/);
      assert.match(await part(page, "Backups"), /Failed on Nov 22, 2026.*None was made yet · one every 24 hours.* · in a bucketlist …: no space left on device$/);
      answer.state.server = { backups: null };
      await page.getByRole("button", { name: "Refresh" }).click();
      await row(page, "Queue of jobs").getByText("At work").waitFor();
      assert.match(await part(page, "Backups"), /Not set up.*makes none by itself.*PARLEY_BACKUP_TO$/);
    });
  });
});

describe("members", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/members";

  test("the list says who they are, what they may do, when they were here, and how they sign in", async () => {
    await open(people(), path, async (page) => {
      assert.match(await row(page, "Owner").textContent(), /OwnerOwneryou.*owner@shop\.example · last seen .* · password · passkey · second step on.*The only owner who can sign in/);
      assert.match(await row(page, "Admin").textContent(), /single sign-on/);
      assert.match(await row(page, "Reader").textContent(), /Viewer.*not seen here yet · cannot sign in yet/);
      assert.match(await row(page, "kit@shop.example").textContent(), /Owner.*invited by the operator · valid until/);
    });
  });

  test("many are searched, invitations too; the search keeps the focus, and Escape shows all again", async () => {
    const more = Array.from({ length: 9 }, (_, i) => ({ ...members[2], userId: `usr_2${i}`, name: `Colleague ${i}`, email: `c${i}@shop.example` }));
    await open(people({ state: { members: [...members, ...more] } }), path, async (page) => {
      const field = page.getByRole("searchbox", { name: "Search by name or e-mail address" });
      await field.fill("colleague 7");
      await row(page, "Owner").waitFor({ state: "detached" });
      await row(page, "Colleague 7").waitFor();
      await page.getByRole("search").getByText("1 found").waitFor();
      await page.getByText("No invitation has this in its address.").waitFor();
      assert.equal(new URL(page.url()).searchParams.get("query"), "colleague 7");
      await field.fill("nobody at all");
      await page.getByText("No member has this in the name or address.").waitFor();
      await field.fill("LEE@");
      await row(page, "lee@shop.example").waitFor();
      assert.ok(await field.evaluate((input) => input === document.activeElement));
      await field.press("Escape");
      await row(page, "Owner").waitFor();
      assert.deepEqual([await field.inputValue(), new URL(page.url()).search], ["", ""]);
      assert.ok(await field.evaluate((input) => input === document.activeElement));
    });
    await open(people(), path, async (page) => {
      await row(page, "Owner").waitFor();
      assert.equal(await page.getByRole("searchbox").count(), 0);
    });
  });

  test("somebody is invited: the link is shown once, by a dialog that nothing else closes", async () => {
    const answer = people();
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "Invite" }).click();
      const dialog = page.getByRole("dialog", { name: "Invite somebody" });
      await dialog.getByLabel("E-mail").fill("helper@shop.example");
      await dialog.getByRole("radio", { name: /^Admin/ }).press("Space");
      await dialog.getByRole("button", { name: "Invite" }).click();
      await confirm(page);
      await dialog.getByText("This address belongs to a member already.").waitFor();
      await dialog.getByLabel("E-mail").fill("new@shop.example");
      await page.keyboard.press("Enter");
      await dialog.getByText("https://shop.example/console/redeem#").waitFor();
      assert.deepEqual(sent(answer, "POST", "/invitations").at(-1).body, { email: "new@shop.example", role: "admin" });
      await page.keyboard.press("Escape");
      assert.ok(await dialog.isVisible());
      await dialog.getByRole("button", { name: "Done" }).click();
      await row(page, "new@shop.example").waitFor();
      await page.getByRole("button", { name: "Invite" }).click();
      assert.equal(await page.getByText("redeem#").count(), 0);
    });
  });

  test("an invitation gets another link, or is withdrawn; where mail is sent no link is shown", async () => {
    const answer = people({ state: { isSteppedUp: true, mails: true } });
    await open(answer, path, async (page) => {
      await choose(page, "lee@shop.example", "Make a new link");
      await page.getByRole("dialog").getByRole("button", { name: "Make a new link" }).click();
      await page.getByRole("button", { name: "Done" }).click();
      await choose(page, "lee@shop.example", "Withdraw");
      await waitForFocus(page, /^Cancel$/);
      await page.getByRole("alertdialog").getByRole("button", { name: "Withdraw" }).click();
      await row(page, "lee@shop.example").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Invite" }).click();
      await page.getByLabel("E-mail").fill("new@shop.example");
      await page.keyboard.press("Enter");
      await page.getByText("A link was mailed to new@shop.example.").waitFor();
      assert.equal(await page.getByRole("dialog").locator("pre").count(), 0);
    });
  });

  test("a member gets another role, a link, and is removed with what becomes of the tickets", async () => {
    const answer = people(confirmed);
    await open(answer, path, async (page) => {
      await choose(page, "Helper", "Change the role");
      await page.getByRole("radio", { name: /^Viewer/ }).press("Space");
      await page.getByRole("button", { name: "Save" }).click();
      await row(page, "Helper").getByText("Viewer").waitFor();
      await choose(page, "Helper", "Make a sign-in link");
      await page.getByRole("dialog").getByRole("button", { name: "Make a sign-in link" }).click();
      await page.getByText("Send this link to helper@shop.example.").waitFor();
      await page.getByRole("button", { name: "Done" }).click();
      await choose(page, "Helper", "Remove");
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await row(page, "Helper").waitFor({ state: "detached" });
      const said = await page.getByRole("main").getByRole("status").first().textContent();
      assert.match(said, /Helper is no longer a member\.2 open tickets have somebody else now\.1 open ticket has nobody now\.1 routing rule/);
    });
  });

  test("the last owner is offered no other role, and a refusal says why; an admin is offered no owners", async () => {
    const answer = people(confirmed);
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "More: Owner" }).click();
      await assertSoon(() => page.getByRole("menuitem").allTextContents(), ["Make a sign-in link"]);
      await page.keyboard.press("Escape");
      answer.state.members[1].lastOwner = true; // has become so meanwhile
      await choose(page, "Admin", "Remove");
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("The company needs an owner who can sign in.").waitFor();
    });
    await open(people({}, "admin"), path, async (page) => {
      await row(page, "Owner").waitFor();
      assert.equal(await row(page, "Owner").getByRole("button").count(), 0);
      assert.equal(await row(page, "kit@shop.example").getByRole("button").count(), 0);
      await page.getByRole("button", { name: "Invite" }).click();
      await assertSoon(() => page.getByRole("radio").count(), 3);
    });
  });

  test("who joins or leaves meanwhile is on the screen by itself", async () => {
    const [events, answer] = [new EventLog(), people()];
    await open(events.with(answer), path, async (page) => {
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      await row(page, "lee@shop.example").waitFor();
      answer.state.members = [...answer.state.members, { ...members[2], userId: "usr_9", name: "Lee", email: "lee@shop.example" }];
      answer.state.invitations = [];
      events.send("member", { id: "usr_9", change: "added" });
      await row(page, "Lee").waitFor();
      await page.getByText("Nobody is invited at the moment.").waitFor();
    });
  });
});

describe("API keys", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/keys";

  test("the list says what each may do, who has made it, when it was used and when it ends", async () => {
    await open(people(), path, async (page) => {
      assert.match(await row(page, "Site backend").textContent(), /pk_3fA9x1….*agents:readchatlogs:writeRead agents · Chat with agentslast used .* · created by owner@shop\.example.* · valid until/);
      assert.match(await row(page, "Nightly export").textContent(), /EverythingMay do all that the API can.*created by the operator.*valid until it is revoked/);
      const marks = await Promise.all(["Site backend", "Nightly export", "Old script"].map((name) => row(page, name).locator("svg").count()));
      assert.deepEqual(marks, [0, 1, 0]); // the last one has expired
      assert.match(await row(page, "Old script").textContent(), /never used · created Nov.* · expired/);
      await page.getByRole("tab", { name: "Revoked" }).click();
      assert.match(await row(page, "Trial").textContent(), /revoked/);
      assert.equal(await row(page, "Trial").getByRole("button").count(), 0);
      await page.reload();
      await row(page, "Trial").waitFor();
    });
  });

  test("a key is made once the person has confirmed who they are, and is shown this once", async () => {
    const answer = people();
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "New key" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Shop system");
      const warning = page.getByRole("dialog").getByText(/^Whoever has this key/);
      await warning.waitFor();
      await page.getByRole("radio", { name: "Only the chosen scopes" }).press("Space");
      await warning.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Create the key" }).click();
      await confirm(page);
      await page.getByText("Please fill this in.").or(page.getByRole("dialog").locator("[id=scopes-fault]")).first().waitFor();
      await page.getByRole("checkbox", { name: "agents:read" }).press("Space");
      await page.getByRole("button", { name: "Create the key" }).click();
      await page.getByText("pk_of-the-tests-0123456789").waitFor();
      const { name, scopes, expiresAt } = sent(answer, "POST", "/keys").at(-1).body;
      assert.deepEqual([name, scopes], ["Shop system", ["agents:read"]]);
      assert.equal(Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000), 90);
      assert.equal(await page.getByRole("button", { name: "Done" }).isDisabled(), true);
      await page.getByRole("checkbox", { name: "I have stored it" }).press("Space");
      await page.getByRole("button", { name: "Done" }).click();
      await row(page, "Shop system").waitFor();
      assert.equal(await page.getByText("pk_of-the-tests").count(), 0);
    });
  });

  test("a key is revoked after a question", async () => {
    await open(people(), path, async (page) => {
      await page.getByRole("button", { name: "Revoke: Old script" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
      await row(page, "Old script").waitFor({ state: "detached" });
      await page.getByRole("tab", { name: "Revoked" }).click();
      await row(page, "Old script").waitFor();
    });
  });
});

describe("audit", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/audit";
  const entries = (page) => page.getByRole("list", { name: "Audit" }).getByRole("listitem");

  test("an entry says who has done what to what, and the filters are in the address", async () => {
    const answer = people();
    await open(answer, path, async (page) => {
      assert.match(await entries(page).nth(2).textContent(), /Created the API key Site backendOwner \(owner@shop\.example\)No\. 3Codekey\.create.*nameSite backendscopesagents:read, chatlogs:write/);
      assert.match(await entries(page).last().textContent(), /Created the company Shopthe operator/);
      await page.getByRole("button", { name: /Anyone/ }).click();
      await page.getByRole("option", { name: "the operator" }).click();
      await entries(page).nth(1).waitFor({ state: "detached" });
      await page.getByRole("textbox", { name: "From", exact: true }).fill("2026-11-10");
      await page.getByRole("textbox", { name: "To", exact: true }).fill("2026-11-11");
      await page.waitForURL(/to=2026-11-11/);
      await page.reload();
      await entries(page).first().waitFor();
      const { query } = sent(answer, "GET", "/audit").findLast((one) => one.path.endsWith("/audit"));
      assert.equal(query.get("actor"), "operator");
      assert.equal(Date.parse(query.get("to")) - Date.parse(query.get("from")), 2 * 86_400_000 - 1);
      await page.getByRole("button", { name: "Clear the filters" }).click();
      await entries(page).nth(4).waitFor();
      assert.equal(new URL(page.url()).search, "");
    });
  });

  test("the chain is checked step by step, and what does not fit is named", async () => {
    const steps = [0, 2].map((after) => ({ checked: after + 2, hash: "ab".repeat(32), total: 4, done: after === 2, broken: false, found: false }));
    const answer = people({ state: { verify: (after) => steps[after / 2] } });
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "Check the chain" }).click();
      await page.getByText("Nothing was changed: all 4 entries fit.").waitFor();
      const [, second] = sent(answer, "GET", "/verify");
      assert.deepEqual([second.query.get("after"), second.query.get("hash")], ["2", "ab".repeat(32)]);
      await page.getByText("Look for a hash that you have kept").click();
      const look = async () => {
        await page.getByLabel("The hash that you have kept").fill(` ${"CD".repeat(32)} `);
        await page.getByRole("button", { name: "Look for it" }).click();
      };
      await look();
      await page.getByText("It is not there").waitFor();
      const looked = sent(answer, "GET", "/verify").slice(-2).map(({ query }) => [query.get("after"), query.get("look")]);
      assert.deepEqual(looked, [[null, "cd".repeat(32)], ["2", "cd".repeat(32)]]);
      answer.state.verify = (after) => ({ ...steps[after / 2], found: after === 0 }); // in the first of two steps
      await look();
      await page.getByText("It is there").waitFor();
      answer.state.verify = () => ({ checked: 2, hash: "", total: 4, done: true, broken: true });
      await page.getByRole("button", { name: "Check the chain" }).click();
      await page.getByText("Entry 3 does not fit").waitFor();
    });
  });

  test("what the filters leave is saved as a file, once the person has confirmed who they are", async () => {
    await open(people(), `${path}?action=key.create`, async (page) => {
      await entries(page).first().waitFor();
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("menuitem", { name: "Table (CSV)" }).click();
      const saved = page.waitForEvent("download");
      await confirm(page);
      const file = await saved;
      assert.equal(file.suggestedFilename(), "audit.csv");
      assert.match(readFileSync(await file.path(), "utf8"), /csv/);
    });
  });
});
