// How the people of a company come in: what is refused where single sign-on is the only way, where the provider of one
// company leads, and what each of them is connected with; what the audit says of it, and what the credits allow.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers, inWorkspace } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";
import { account, acts } from "./workspace-answers.js";

const none = { passkey: false, oidc: false, oidcName: "", serverOidcName: "", mail: true };
const sent = (answer, method, part) => answer.state.asked.filter((one) => one.method === method && one.path.includes(part));
const company = (id, accountName, more) => ({ accountId: id, accountName, role: "owner", ...more });
const hrefOf = async (page, name) => new URL(await page.getByRole("link", { name, exact: true }).getAttribute("href")).href.replace(/^.*?\/console/, "/console");
const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

describe("where single sign-on is the only way", { skip }, () => {
  const open = useSamePages();

  test("a password is refused with a sentence, and with the way that works", async () => {
    const details = { company: "Shop", provider: "Shop ID", accountId: "acc_1" };
    const refused = [403, { error: { code: "AUTH_SINGLE_SIGN_ON_REQUIRED", message: "The members of Shop …", details } }];
    const answer = answers({ isSignedIn: false, session: { features: none }, fail: { "POST /v1/session": refused } });
    await open(answer, "/", async (page) => {
      await page.getByLabel("E-mail").fill("bo@shop.example");
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("alert").getByText("The members of Shop sign in by single sign-on alone. Continue with Shop ID.").waitFor();
      assert.equal(await hrefOf(page, "Continue with Shop ID"), "/console/api/v1/session/oidc?account=acc_1");
    });
  });

  test("the screen of the rules says that passwords and passkeys are refused", async () => {
    const features = { ...none, passkey: true, oidc: true, oidcName: "Shop ID", serverOidcName: "Shop ID" };
    const state = { account: { ...account, onlySingleSignOn: true, exemptOwner: "usr_1" } };
    await open(answers({ session: { ...inWorkspace(), features }, state }), "/workspace/sign-in", async (page) => {
      const way = (name) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
      for (const name of ["Password", "Passkeys"]) await way(name).getByText("Refused", { exact: true }).waitFor();
      await way("Shop ID").getByText("Set up", { exact: true }).waitFor();
    });
  });
});

describe("who has signed in by the provider of one company", { skip }, () => {
  const open = useSamePages();
  const shop = company("acc_0", "Shop", { singleSignOnName: "Shop ID" });
  const garage = company("acc_1", "Garage", { singleSignOnName: "Garage ID", needsOtherSignIn: true });
  const session = { memberships: [garage, shop], features: { ...none, oidc: true, oidcName: "Shop ID" } };

  test("is in that one, and is asked for a way that the other allows", async () => {
    await open(answers({ session }), "/agents", async (page, server) => {
      await page.waitForURL(/\/console\/a\/acc_0\/agents$/);
      await page.goto(page.url().replace("acc_0", "acc_1"));
      await heading(page, "Sign in to Garage");
      await page.getByRole("alert").getByText("which opens that one alone").waitFor();
      assert.equal(await hrefOf(page, "Continue with Garage ID"), "/console/api/v1/session/oidc?account=acc_1");
      await page.getByRole("link", { name: /Shop$/ }).first().waitFor();
      assert.equal(await page.getByLabel("E-mail").inputValue(), "owner@shop.example");
      await page.getByLabel("Password").fill("correct horse battery");
      server.answer = answers({ session: { ...session, memberships: [{ ...garage, needsOtherSignIn: false }, shop] } });
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await heading(page, "Agents");
      assert.match(page.url(), /\/a\/acc_1\//);
    });
  });

  test("changes no way of signing in, and is told why", async () => {
    await open(answers({ session }), "/a/acc_0/me", async (page) => {
      await page.getByText("which opens that one alone").waitFor();
      await page.getByRole("heading", { name: "How you sign in" }).waitFor();
      for (const name of ["Password", "Passkeys", "Second step"]) assert.equal(await page.getByRole("heading", { name, exact: true }).count(), 0, name);
    });
  });

  test("accepts no invitation with it", async () => {
    const links = { kind: "invitation", email: "owner@shop.example", accountName: "Third", role: "agent", mustSignIn: true, needsName: false, needsCompany: false };
    const fail = { "POST /v1/session/link-state": [200, links] };
    await open(answers({ session, fail }), "/redeem#invited", async (page) => {
      await page.getByRole("alert").getByText("which opens that one alone").waitFor();
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    });
  });
});

describe("what a person is connected with", { skip }, () => {
  const open = useSamePages();
  const identity = (accountId, accountName, name, connectedAt) => ({ accountId, accountName, name, connectedAt, lastUsedAt: null });
  const both = () => [identity("", "", "Company ID", "2026-11-01T08:00:00.000Z"), identity("acc_1", "Shop", "Shop ID", "2026-11-02T08:00:00.000Z")];
  const features = { ...none, oidc: true, oidcName: "Company ID", serverOidcName: "Company ID" };

  test("is listed, each with what it opens, and ends by itself", async () => {
    const answer = answers({ session: { features }, state: { identities: both(), isSteppedUp: true } });
    await open(answer, "/me", async (page) => {
      await page.getByText("Opens Shop alone").waitFor();
      await page.getByRole("button", { name: "Disconnect Shop ID" }).click();
      await page.getByRole("status").getByText("Shop ID is disconnected.").waitFor();
      const { query } = sent(answer, "DELETE", "/me/single-sign-on").at(-1);
      assert.equal(query.get("account"), "acc_1");
      await page.getByRole("button", { name: "Connect Shop ID" }).waitFor();
      await page.getByRole("button", { name: "Disconnect Company ID" }).waitFor();
    });
  });

  test("cannot end where it is the only way in", async () => {
    const [company, shop] = both();
    const me = { id: "usr_1", name: "Owner", email: "owner@shop.example", hasPassword: false, hasPasskey: false, hasSingleSignOn: true };
    const state = { identities: [{ ...company, connectedAt: null }, shop] };
    await open(answers({ session: { features }, me, state }), "/me", async (page) => {
      await page.getByText("It is the only way in which you sign in.").waitFor();
      assert.equal(await page.getByRole("button", { name: /^Disconnect/ }).count(), 0);
      await page.getByRole("button", { name: "Connect Company ID" }).waitFor();
    });
  });
});

describe("the audit in sentences", { skip }, () => {
  const open = useSamePages();
  const [, , key] = acts;
  const act = (seq, action, details, more) => ({ ...key, seq, action, details, subject: "5QHA6VB-DIAbBhxwqxfdi", subjectName: "Help desk", agentName: "Help desk", ...more });
  const list = [
    act(9, "agent.change", { settings: ["instructions"], baseVersion: 3 }, { requestId: "req-9", address: "192.0.2.9" }),
    act(8, "agent.change", { settings: ["instructions", "model"], baseVersion: 2 }),
    act(7, "action.add", { kind: "http", name: "track_order" }),
    act(6, "ticket.reply", { ticketNumber: 118 }),
    act(5, "member.change", { email: "helper@shop.example", role: "agent" }, { subject: "usr_3", subjectName: "Helper" }),
    act(4, "future.act", {}),
  ];
  const entries = (page) => page.getByRole("main").locator("ol > li");

  test("an entry is a sentence, and its code is in the details", async () => {
    await open(answers({ session: inWorkspace(), state: { acts: list } }), "/workspace/audit", async (page) => {
      await entries(page).nth(5).waitFor();
      const said = await entries(page).locator("p[dir=auto]").allTextContents();
      assert.deepEqual(said, [
        "Changed the instructions of the agent Help desk",
        "Changed the agent Help desk: Instructions and Model",
        "Added the action track_order to the agent Help desk",
        "Wrote in the ticket 118",
        "Gave Helper the role Support agent",
        "future.act",
      ]);
      const first = entries(page).first();
      assert.equal(await first.getByText("agent.change", { exact: true }).isVisible(), false);
      await first.getByText("No. 9").click();
      for (const fact of ["agent.change", "req-9", "192.0.2.9"]) await first.getByText(fact, { exact: true }).waitFor();
    });
  });

  test("it is in the language of the person", async () => {
    const answer = answers({ session: inWorkspace(), state: { acts: list.slice(0, 1) } });
    answer.state.me.locale = "de";
    await open(answer, "/workspace/audit", async (page) => {
      await page.getByText("Anweisungen des Agenten Help desk geändert").waitFor();
    });
  });
});

describe("the credits", { skip }, () => {
  const open = useSamePages();
  const path = "/workspace/usage";

  test("an owner of the only company sets the limit, and the screen says what happens at it", async () => {
    const answer = answers({ session: inWorkspace(), state: { isSteppedUp: true, account: { ...account, plans: ["standard"] } } });
    await open(answer, path, async (page) => {
      const set = async (typed) => {
        await page.getByRole("button", { name: "Change the limit" }).click();
        await page.getByLabel("Credits a month").fill(typed);
        await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
        await page.getByRole("dialog").waitFor({ state: "detached" });
        return sent(answer, "PATCH", "/accounts/acc_1").at(-1).body;
      };
      assert.deepEqual(await set("5000"), { credits: 5000 });
      assert.deepEqual(await set(""), { credits: null });
      await page.getByText("What happens when the credits are used up").click();
      await page.getByText("its agents do not answer until").waitFor();
    });
  });

  test("others are told who does", async () => {
    await open(answers({ session: inWorkspace(), state: { account: { ...account, plans: [] } } }), path, async (page) => {
      await page.getByText("The operator of the server sets how many credits your company has.").waitFor();
    });
    await open(answers({ session: inWorkspace("viewer"), state: { account: { ...account, plans: ["standard"] } } }), path, async (page) => {
      await page.getByText("An owner can change how many credits your company has.").waitFor();
      assert.equal(await page.getByRole("link", { name: /a limit|the limit/ }).count(), 0);
    });
  });

  test("an agent has its forecast, and leads to where its limit is set", async () => {
    const agentsUsage = [{ agentId: "5QHA6VB-DIAbBhxwqxfdi", name: "Help desk", credits: 2000, creditLimit: 2500, storage: 1000, forecast: 3000.4, reachesLimitAt: "2026-11-25T11:00:00.000Z" }];
    await open(answers({ session: inWorkspace(), state: { agentsUsage } }), path, async (page) => {
      const row = page.getByRole("row").filter({ hasText: "Help desk" });
      await row.getByText("At this pace, 3,000 by the end of the month.").waitFor();
      await row.getByText("At this pace the limit is reached on November 25, 2026.").waitFor();
      await row.getByRole("link", { name: "Change the limit: Help desk" }).click();
      await page.waitForURL(/\/settings\/limits$/);
    });
  });
});
