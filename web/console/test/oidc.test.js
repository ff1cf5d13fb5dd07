// Single sign-on on the real server, with a provider on another site: which cookies a browser sends, it alone knows.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { launch, newPage, skip, waitForFocus } from "./browser.js";
import { owner, send, signUp, startServer } from "./server.js";

const client = { id: "parley-test", secret: "not-so-secret" };
const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Starts a provider that signs in `person`, whoever asks. It takes each code once, and with PKCE alone. */
async function startProvider(person) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const grants = new Map();
  const server = createServer(async (request, reply) => {
    const url = new URL(request.url, issuer);
    const asked = Object.fromEntries(url.searchParams);
    const json = (status, body) => reply.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (url.pathname === "/.well-known/openid-configuration") {
      const [authorization_endpoint, token_endpoint, jwks_uri] = ["authorize", "token", "keys"].map((p) => `${issuer}/${p}`);
      json(200, { issuer, authorization_endpoint, token_endpoint, jwks_uri });
    } else if (url.pathname === "/keys") {
      json(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] });
    } else if (url.pathname === "/authorize") {
      const code = randomUUID();
      grants.set(code, asked);
      reply.writeHead(302, { Location: `${asked.redirect_uri}?${new URLSearchParams({ code, state: asked.state })}` }).end();
    } else {
      let text = "";
      for await (const chunk of request) text += chunk;
      const sent = new URLSearchParams(text);
      const grant = grants.get(sent.get("code"));
      grants.delete(sent.get("code"));
      const challenge = createHash("sha256").update(sent.get("code_verifier") ?? "").digest("base64url");
      if (grant?.code_challenge !== challenge) return json(400, { error: "invalid_grant" });
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: issuer, aud: client.id, nonce: grant.nonce, iat: now, exp: now + 60, ...person };
      const head = `${encode({ alg: "RS256", kid: "1" })}.${encode(claims)}`;
      const signature = sign("sha256", Buffer.from(head), privateKey).toString("base64url");
      json(200, { access_token: "x", token_type: "Bearer", id_token: `${head}.${signature}` });
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  return { issuer, stop: () => (server.close(), server.closeAllConnections()) };
}

describe("single sign-on", { skip }, () => {
  const person = { sub: "1", email: owner.email, email_verified: true, name: owner.name };
  let browser, provider, server, member;
  before(async () => {
    [browser, provider] = await Promise.all([launch(), startProvider(person)]);
    const env = {
      PARLEY_OIDC_ISSUER: provider.issuer,
      PARLEY_OIDC_CLIENT_ID: client.id,
      PARLEY_OIDC_CLIENT_SECRET: client.secret,
      PARLEY_OIDC_NAME: "Shop ID",
    };
    server = await startServer({ env });
    member = await signUp(server);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    provider?.stop();
  });

  async function onPage(use) {
    const page = await newPage(browser, server.origin, { locale: "en" });
    try {
      await page.goto(server.url);
      await use(page);
      const problems = page.problems.filter((one) => !one.startsWith(`request to ${provider.issuer}/authorize?`));
      assert.deepEqual([await page.reports(), problems], [[], []]);
    } finally {
      await page.context().close();
    }
  }

  test("a member comes in, and the cookie of the way there is gone", async () => {
    await onPage(async (page) => {
      await page.getByRole("link", { name: "Continue with Shop ID" }).click();
      await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
      const cookies = await page.context().cookies();
      assert.deepEqual(
        cookies.map(({ name, path, httpOnly, sameSite }) => ({ name, path, httpOnly, sameSite })),
        [{ name: "parley", path: "/console", httpOnly: true, sameSite: "Strict" }],
      );
    });
  });

  test("who has a password that nobody has shown to be theirs is asked, and may go on", async () => {
    const [{ accountId }] = (await member.call("GET", "/v1/session")).memberships;
    const invited = { email: "lee@shop.example", role: "agent" };
    const { link } = await member.call("POST", `/v1/accounts/${accountId}/invitations`, invited);
    const token = link.slice(link.indexOf("#") + 1);
    await send(server, "POST", "/v1/session/redeem", { token, name: "Lee", password: owner.password });
    Object.assign(person, { sub: "3", email: "lee@shop.example" });
    await onPage(async (page) => {
      await page.getByRole("link", { name: "Continue with Shop ID" }).click();
      await page.getByRole("alert").getByText("nobody has shown yet that it is yours").waitFor();
      assert.deepEqual(await page.context().cookies(), []);
      await page.getByRole("link", { name: "Go on, and end the other ways in" }).click();
      await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
      await page.goto(`${server.url}/me`);
      await page.getByRole("heading", { name: "Passkeys" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Connect Shop ID" }).count(), 0);
    });
  });

  describe("connecting", () => {
    const button = (page, name) => page.getByRole("button", { name: `${name} Shop ID` });

    /** Opens the page of a member who has a password. The provider says nothing of when it has asked who it is. */
    async function onOwnPage(email, use) {
      const [{ accountId }] = (await member.call("GET", "/v1/session")).memberships;
      const { link } = await member.call("POST", `/v1/accounts/${accountId}/invitations`, { email, role: "agent" });
      const token = link.slice(link.indexOf("#") + 1);
      const reply = await send(server, "POST", "/v1/session/redeem", { token, name: "Ann", password: owner.password });
      const [name, value] = reply.headers.getSetCookie()[0].split(";")[0].split("=");
      await onPage(async (page) => {
        const cookie = { name, value, domain: "localhost", path: "/console", httpOnly: true, sameSite: "Strict" };
        await page.context().addCookies([cookie]);
        await page.goto(`${server.url}/me`);
        await use(page);
      });
    }

    test("it is said and can be undone, and the focus stays", async () => {
      Object.assign(person, { sub: "4", email: "ann@shop.example" });
      await onOwnPage("ann@shop.example", async (page) => {
        await button(page, "Connect").click();
        await page.getByRole("status").getByText("Shop ID is connected. You can sign in with it").waitFor();
        await waitForFocus(page, /^Shop ID is connected/);
        assert.equal(new URL(page.url()).hash, "");
        await page.getByText("Connected since").waitFor();
        await button(page, "Disconnect").click();
        await page.getByRole("status").getByText("Shop ID is disconnected.").waitFor();
        await waitForFocus(page, /^Shop ID is disconnected/);
        await button(page, "Connect").waitFor();
      });
    });

    test("who has not shown of late who they are is asked here for it", async () => {
      Object.assign(person, { sub: "5", email: "bo@shop.example" });
      await onOwnPage("bo@shop.example", async (page) => {
        await button(page, "Connect").waitFor();
        const session = "**/api/v1/session";
        await page.route(session, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), steppedUp: false } });
        });
        await button(page, "Connect").click();
        const dialog = page.getByRole("dialog", { name: "Please confirm that it is you" });
        await dialog.waitFor();
        await page.unroute(session);
        await dialog.getByLabel("Password").fill(owner.password);
        await dialog.getByRole("button", { name: "Confirm" }).click();
        await page.getByText("Connected since").waitFor();
      });
    });

    test("another address there is said to be another one", async () => {
      Object.assign(person, { sub: "6", email: owner.email });
      await onOwnPage("cy@shop.example", async (page) => {
        await button(page, "Connect").click();
        await page.getByRole("alert").getByText("has another e-mail address than you have here").waitFor();
        await waitForFocus(page, /Nothing was connected/);
        await button(page, "Connect").waitFor();
      });
    });
  });

  test("it becomes the only way in, but for one owner", async () => {
    await onPage(async (page) => {
      await page.context().addCookies([member.cookie]);
      await page.goto(`${server.url}/workspace/sign-in`);
      await page.getByRole("switch", { name: "Members sign in by single sign-on only" }).press("Space");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
    });
    Object.assign(person, { sub: "5", email: "bo@shop.example" });
    await onPage(async (page) => {
      await page.getByLabel("E-mail").fill("bo@shop.example");
      await page.getByLabel("Password", { exact: true }).fill(owner.password);
      await page.keyboard.press("Enter");
      const refusal = page.getByRole("alert").filter({ hasText: `The members of ${owner.company} sign in by single sign-on alone.` });
      await refusal.waitFor();
      await page.getByRole("link", { name: "Continue with Shop ID" }).last().click();
      await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    });
    const [{ accountId }] = (await member.call("GET", "/v1/session")).memberships;
    const after = await member.call("PATCH", `/v1/accounts/${accountId}`, { onlySingleSignOn: false });
    assert.deepEqual([after.onlySingleSignOn, after.exemptOwner], [false, ""]);
  });

  test("a stranger is told why not", async () => {
    Object.assign(person, { sub: "2", email: "stranger@shop.example" });
    await onPage(async (page) => {
      await page.getByRole("link", { name: "Continue with Shop ID" }).click();
      await page.getByRole("alert").getByText("Nobody has invited this e-mail address yet").waitFor();
      assert.deepEqual(await page.context().cookies(), []);
    });
  });
});
