// The provider of single sign-on that a company sets for its own people, and how people are led to it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers, inWorkspace } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";
import { singleSignOn } from "./workspace-answers.js";

const path = "/workspace/sign-in";
const people = (state) => answers({ session: inWorkspace(), state: { isSteppedUp: true, ...state } });
const sent = (answer, method, part) => answer.state.asked.filter((one) => one.method === method && one.path.includes(part));
const copy = () => structuredClone(singleSignOn);
const row = (page, name) => page.getByRole("main").getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });

describe("the provider of a company", { skip }, () => {
  const open = useSamePages();

  test("an owner sets it, is told what is wrong at its field, and the secret is never shown again", async () => {
    const answer = people();
    await open(answer, path, async (page) => {
      await page.getByLabel("Issuer").fill("http://id.shop.example");
      await page.getByLabel("Client ID").fill("parley");
      await page.getByLabel("Client secret").fill("of the tests");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Write an address that begins with https://.").waitFor();
      await page.getByLabel("Issuer").fill("https://id.shop.example");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Not tried yet: nobody signs in by it").waitFor();
      const { body } = sent(answer, "PUT", "/single-sign-on").at(-1);
      assert.deepEqual(body, { issuer: "https://id.shop.example", clientId: "parley", clientSecret: "of the tests", name: "", joinRole: "" });
      await page.getByRole("button", { name: "Change", exact: true }).click();
      assert.equal(await page.getByLabel("Client secret").inputValue(), "");
      await page.getByText("One is stored.").waitFor();
    });
  });

  test("what the provider says when it is asked is shown", async () => {
    await open(people({ singleSignOn: copy(), providerFault: "it publishes no keys" }), path, async (page) => {
      await page.getByRole("button", { name: "Try it", exact: true }).click();
      await page.getByRole("alert").filter({ hasText: "it publishes no keys" }).waitFor();
    });
  });

  test("an owner who comes back from it is told that it works", async () => {
    await open(people({ singleSignOn: copy() }), `${path}#oidc-works`, async (page) => {
      await page.getByText("The provider works and counts from now on.").waitFor();
    });
    await open(people({ singleSignOn: copy() }), `${path}#oidc-domain`, async (page) => {
      await page.getByText("E-mail addresses of this domain may not sign in here.").waitFor();
    });
  });

  test("a domain is named, checked and removed", async () => {
    const answer = people({ singleSignOn: copy() });
    await open(answer, path, async (page) => {
      await row(page, "shop.test").getByText("Not proved yet").waitFor();
      await row(page, "shop.test").getByText("_parley-sign-in.shop.test").waitFor();
      answer.state.hasNoRecord = true;
      await page.getByRole("button", { name: "Check shop.test", exact: true }).click();
      await page.getByText("There is no TXT record with this text yet.").waitFor();
      answer.state.hasNoRecord = false;
      await page.getByRole("button", { name: "Check shop.test", exact: true }).click();
      await row(page, "shop.test").getByText(/^Proved on/).waitFor();
      await page.getByLabel("Domain", { exact: true }).fill("more.example");
      await page.getByRole("button", { name: "Add the domain" }).click();
      await row(page, "more.example").waitFor();
      assert.deepEqual(sent(answer, "POST", "/domains").at(-1).body, { domain: "more.example" });
      await page.getByRole("button", { name: "Remove more.example" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove", exact: true }).click();
      await row(page, "more.example").waitFor({ state: "detached" });
    });
  });

  test("whoever types an address of its domain is led to it", async () => {
    const features = { passkey: false, oidc: false, oidcName: "", mail: false, byDomain: true };
    const answer = answers({ isSignedIn: false, session: { features } });
    await open(answer, "/", async (page) => {
      await page.getByLabel("E-mail").fill("kim@elsewhere.example");
      await page.getByLabel("Password").focus();
      await page.getByLabel("E-mail").fill("kim@shop.example");
      await page.getByLabel("Password").focus();
      const link = page.getByRole("link", { name: "Continue with Shop ID" });
      await link.waitFor();
      assert.match(await link.getAttribute("href"), /\/console\/api\/v1\/session\/oidc\?account=acc_1$/);
    });
  });
});
