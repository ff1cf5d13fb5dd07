// Signing up, out and in on the real server, with the console that is built into it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip } from "./browser.js";
import { owner, startServer } from "./server.js";

const pictures = process.env.PARLEY_PICTURES; // a folder for pictures of the pages

describe("signing in", { skip }, () => {
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());

  const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
  const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();
  const picture = async (page, name) => pictures && (await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true }));

  async function onServer(use, options = {}) {
    const server = await startServer();
    const page = await newPage(browser, server.origin, { locale: "en", ...options });
    try {
      await use(page, server);
      assert.deepEqual([await page.reports(), page.problems], [[], []]);
    } finally {
      await page.context().close();
      await server.stop();
    }
  }

  async function signUp(page, server) {
    await page.goto(server.setup);
    await heading(page, "Welcome to Parley");
    await page.getByLabel("Your name").fill(owner.name);
    await page.getByLabel("E-mail").fill(owner.email);
    await page.getByLabel("Company").fill(owner.company);
    await picture(page, "setup");
  }

  async function leaveFirstRun(page) {
    await heading(page, "Your first agent");
    await press(page, "Skip");
    await heading(page, "Agents");
  }

  async function signOut(page) {
    await press(page, `Menu of ${owner.name}`);
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(page, "Sign in");
  }

  test("the printed link signs up; the password signs in; the session ends with signing out", async () => {
    await onServer(async (page, server) => {
      await signUp(page, server);
      assert.ok(!page.url().includes("#"), "the token stays in the address");
      await page.getByLabel("Password", { exact: true }).last().fill(owner.password);
      await press(page, "Continue");
      await leaveFirstRun(page);
      const [cookie] = await page.context().cookies(server.url);
      const { name, path, httpOnly, sameSite } = cookie;
      assert.deepEqual({ name, path, httpOnly, sameSite }, { name: "parley", path: "/console", httpOnly: true, sameSite: "Strict" });
      await signOut(page);
      await picture(page, "sign-in");
      await page.getByLabel("E-mail").fill(owner.email);
      await page.getByLabel("Password").fill("not the password");
      await press(page, "Sign in");
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Password").fill(owner.password);
      await press(page, "Sign in");
      await heading(page, "Agents");
      assert.notEqual((await page.context().cookies(server.url))[0].value, cookie.value);
      await page.context().addCookies([cookie]);
      await page.reload();
      await heading(page, "Sign in");
      await page.goto(server.setup);
      await page.getByText("too old").waitFor();
      await picture(page, "used-link");
    });
  });

  test("a passkey signs up, in, and shows that it is you; a recovery code signs in once", async () => {
    await onServer(async (page, server) => {
      await addAuthenticator(page);
      await signUp(page, server);
      await page.getByText("Passkey of this device").click();
      await press(page, "Continue");
      await heading(page, "Recovery codes");
      const codes = await page.getByRole("listitem").allTextContents();
      assert.equal(codes.length, 10);
      await picture(page, "codes");
      page.once("dialog", (dialog) => dialog.accept()); // it asks first
      await page.reload();
      await page.getByText("Recovery codes are shown once").waitFor();
      assert.equal(await page.getByText("too old").count(), 0);
      assert.equal(await page.getByRole("link", { name: "Go to your page" }).getAttribute("href"), "/console/me");
      await page.getByRole("link", { name: "Go to the console" }).click();
      await leaveFirstRun(page);
      await signOut(page);
      await press(page, "Continue with a passkey");
      await heading(page, "Agents");
      await page.goto(`${server.url}/me`);
      await page.getByText("Last used").waitFor();
      await press(page, "Rename the passkey Passkey");
      await page.getByLabel("Name", { exact: true }).fill("My phone");
      await press(page, "Save");
      await page.getByText("My phone").waitFor();
      await picture(page, "me");
      await press(page, "Remove the passkey My phone");
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("alert").waitFor(); // it is the only way in
      await signOut(page);
      for (const [code, works] of [[codes[0], true], [codes[0], false], [codes[1], true]]) {
        await press(page, "Use a recovery code");
        await page.getByLabel("E-mail").fill(owner.email);
        await page.getByLabel("Recovery code").fill(code);
        await press(page, "Sign in");
        if (!works) {
          await page.getByRole("alert").waitFor();
          await press(page, "Back");
          continue;
        }
        await heading(page, /Agents|Your page/);
        await signOut(page);
      }
    });
  });

  test("a password asks for a passkey as well, or for a recovery code", async () => {
    await onServer(async (page, server) => {
      await addAuthenticator(page);
      await signUp(page, server);
      await page.getByLabel("Password", { exact: true }).last().fill(owner.password);
      await press(page, "Continue");
      await leaveFirstRun(page);
      await page.goto(`${server.url}/me`);
      const asking = page.getByRole("switch", { name: "Ask for a passkey after the password" });
      await asking.waitFor({ state: "attached" });
      assert.ok(await asking.isDisabled(), "there is no passkey yet");
      await press(page, "Add a passkey");
      await page.getByText("Made").waitFor();
      await page.getByText("Ask for a passkey after the password").click();
      const listed = page.getByRole("dialog").getByRole("listitem");
      await listed.nth(9).waitFor();
      const codes = await listed.allTextContents();
      assert.equal(codes.length, 10);
      await page.keyboard.press("Escape");
      await picture(page, "me-second-step");
      await signOut(page);

      const typePassword = async () => {
        await page.getByLabel("E-mail").fill(owner.email);
        await page.getByLabel("Password").fill(owner.password);
        await press(page, "Sign in");
        await page.getByText("Your password is right.").waitFor();
      };
      await typePassword();
      assert.deepEqual(await page.context().cookies(), []);
      await picture(page, "second-step");
      await press(page, "Continue with a passkey");
      await heading(page, /Agents|Your page/);
      await signOut(page);
      await typePassword();
      await page.getByLabel("Recovery code").fill("wrong");
      await press(page, "Sign in");
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Recovery code").fill(codes[0]);
      await press(page, "Sign in");
      await heading(page, /Agents|Your page/);
    });
  });

  test("a company that asks its owners for a passkey is entered with it, and not with a password alone", async () => {
    await onServer(async (page, server) => {
      await addAuthenticator(page);
      await signUp(page, server);
      await page.getByLabel("Password", { exact: true }).last().fill(owner.password);
      await press(page, "Continue");
      await leaveFirstRun(page);
      await page.goto(`${server.url}/me`);
      await press(page, "Add a passkey");
      await page.getByText("Made").waitFor();
      await page.goto(`${server.url}/workspace/sign-in`);
      await page.getByRole("switch", { name: "Owners and admins need a passkey" }).press("Space");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      await signOut(page);
      await page.getByLabel("E-mail").fill(owner.email);
      await page.getByLabel("Password").fill(owner.password);
      await press(page, "Sign in");
      await heading(page, `${owner.company} asks you for a passkey`);
      await picture(page, "needs-passkey");
      await press(page, "Continue with a passkey");
      await heading(page, /^(Agents|Sign-in)$/);
    });
  });

  test("an invitation on a phone", async () => {
    await onServer(
      async (page, server) => {
        await signUp(page, server);
        await page.getByLabel("Password", { exact: true }).last().fill(owner.password);
        await press(page, "Continue");
        await leaveFirstRun(page);
        const link = await page.evaluate(invite);
        await signOut(page);
        await page.goto(link);
        await page.getByText("You join Shop as a support agent.").waitFor();
        await picture(page, "invitation");
        await page.getByLabel("Your name").fill("Lee");
        await page.getByLabel("Password", { exact: true }).last().fill(owner.password);
        await press(page, "Join");
        await heading(page, "Agents");
        assert.equal(await page.getByRole("button", { name: "New agent" }).count(), 0);
      },
      { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
    );
  });

  async function addAuthenticator(page) {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  }
});

// invite runs in the page.
async function invite() {
  const session = await (await fetch("/console/api/v1/session")).json();
  const path = `/console/api/v1/accounts/${session.memberships[0].accountId}/invitations`;
  const reply = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Parley-Console": "1" },
    body: JSON.stringify({ email: "lee@shop.example", role: "agent" }),
  });
  return (await reply.json()).link;
}
