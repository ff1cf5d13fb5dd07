// Which company an address leads to, and what is said to whoever belongs to none; and agents that are not there.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { launch, newPage, skip } from "./browser.js";
import { serveBefore } from "./proxy.js";
import { notFound } from "./serve.js";
import { owner, send, signUp, startServer } from "./server.js";
import { useConsole, useSamePages } from "./setup.js";

const help = agents[0].id;
const memberships = ["Shop", "Garage"].map((accountName, i) => ({ accountId: `acc_${i}`, accountName, role: "owner" }));

describe("companies", { skip }, () => {
  const open = useSamePages();
  const openAlone = useConsole(); // for what is replaced in the page
  const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

  // The agents are those of the second company.
  const ofTwo = (list = memberships) => {
    const answer = answers({ session: { memberships: list } });
    const both = (asked) => {
      const isElsewhere = asked.path.includes(`/agents/${help}`) && asked.headers["parley-account"] === "acc_0";
      return isElsewhere ? [404, notFound] : answer(asked);
    };
    return Object.assign(both, answer);
  };

  test("an address without a company leads to that of the agent, and keeps the rest", async () => {
    await open(ofTwo(), `/agents/${help}/sources?type=file#top`, async (page) => {
      await heading(page, "Sources");
      await page.getByText("handbook.pdf").first().waitFor();
      assert.match(page.url(), new RegExp(`/console/a/acc_1/agents/${help}/sources\\?type=file#top$`));
    });
    await open(ofTwo(), "/me", async (page) => {
      await heading(page, "Your page");
      assert.match(page.url(), /\/console\/a\/acc_0\/me$/);
    });
    await open(ofTwo(), "/agents/0nobodys-AgentAtAllHere/sources", async (page) => {
      await heading(page, "Not found");
      assert.match(page.url(), /\/console\/a\/acc_0\/agents\/0nobodys-AgentAtAllHere\/sources$/);
    });
    await open(ofTwo(memberships.slice(1)), `/a/acc_1/agents/${help}/sources?type=file`, async (page) => {
      await heading(page, "Sources");
      assert.match(page.url(), new RegExp(`/console/agents/${help}/sources\\?type=file$`));
    });
  });

  test("a company that the person does not belong to is said, and not taken for another one", async () => {
    for (const list of [memberships, memberships.slice(1)]) {
      await open(ofTwo(list), `/a/acc_7/agents/${help}`, async (page) => {
        await heading(page, "You do not belong to this company");
        assert.match(page.url(), /\/a\/acc_7\//);
        await page.getByRole("link", { name: "Go to Garage" }).click();
        await heading(page, "Agents");
      });
    }
  });

  test("an agent that is not there is said once, and nothing can be done with it", async () => {
    await open(answers(), "/agents/0nobodys-AgentAtAllHere/sources", async (page) => {
      await page.getByRole("heading", { name: "There is no such agent" }).waitFor();
      const main = page.getByRole("main");
      assert.equal(await main.getByRole("alert").count(), 0);
      assert.deepEqual(await main.getByRole("button").allTextContents(), ["Search or do…"]);
      assert.equal(await main.getByRole("link").count(), 1);
    });
  });

  test("a long name keeps the menu of agents on the page", async () => {
    const list = [{ ...agents[0], name: `Help with ${"everything ".repeat(40)}` }, agents[1]];
    for (const width of [1280, 390]) {
      const use = async (page) => {
        await page.getByRole("button", { name: /^Choose an agent/ }).click();
        const boxes = ["menu", "menuitem"].map((role) => page.getByRole(role).first().boundingBox());
        const [menu, item] = await Promise.all(boxes);
        assert.ok(menu.width <= 380 && menu.x >= 0 && menu.x + menu.width <= width, JSON.stringify(menu));
        assert.ok(item.height < 60, JSON.stringify(item));
        assert.ok((await page.getByRole("menuitem").first().getByText("Trained").boundingBox()).width > 20);
      };
      await open(answers({ list }), "/agents", use, { viewport: { width, height: 844 } });
    }
  });

  test("the page behind single sign-on thanks nobody who comes by hand", async () => {
    await openAlone(answers(), "/confirmed", (page) => heading(page, "Agents"));
    const prepare = (page) => page.addInitScript(() => {
      window.close = () => {};
      if (location.pathname === "/console/confirmed") localStorage.setItem("parley.confirming", String(Date.now()));
    });
    await openAlone(answers(), "/confirmed", (page) => heading(page, "Thank you"), {}, prepare);
  });
});

describe("what others take away", { skip }, () => {
  let browser, server, proxy, person, account;
  before(async () => {
    [browser, server] = await Promise.all([launch(), startServer()]);
    [proxy, person] = await Promise.all([serveBefore(process.env.PARLEY_CONSOLE_BUILD, server.origin), signUp(server)]);
    account = (await person.call("GET", "/v1/session")).memberships[0].accountId;
  });
  after(async () => {
    await browser?.close();
    proxy?.stop();
    await server?.stop();
  });

  const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const live = (page) => page.getByText("live", { exact: true }).waitFor({ state: "attached" });

  async function open(cookie, path, use) {
    const page = await newPage(browser, proxy.origin, { locale: "en" });
    await page.context().addCookies([cookie]);
    try {
      await page.goto(proxy.url + path);
      await use(page);
      assert.deepEqual([await page.reports(), page.problems], [[], []]);
    } finally {
      await page.context().close();
    }
  }

  async function invite(email) {
    const { link } = await person.call("POST", `/v1/accounts/${account}/invitations`, { email, role: "agent" });
    const token = link.slice(link.indexOf("#") + 1);
    const reply = await send(server, "POST", "/v1/session/redeem", { token, name: "Lee", password: owner.password });
    const [name, value] = reply.headers.getSetCookie()[0].split(";")[0].split("=");
    return { ...person.cookie, name, value };
  }

  test("a member who is removed is told so, in an open tab and afterwards", async () => {
    const email = "lee@shop.example";
    const cookie = await invite(email);
    await open(cookie, "/agents", async (page) => {
      await live(page);
      await person.call("DELETE", `/v1/accounts/${account}/members?email=${encodeURIComponent(email)}`);
      await heading(page, "You belong to no company here");
      await page.getByText(`You are signed in as ${email}.`).waitFor();
      await page.reload();
      await heading(page, "You belong to no company here");
      await page.getByRole("button", { name: "Sign out" }).click();
      await heading(page, "Sign in");
    });
  });

  test("a colleague who signs in over somebody's page takes nothing of it", async () => {
    const { id } = await person.call("POST", "/v2/agents", { name: "Careful" });
    const email = "kim@shop.example";
    await invite(email);
    await open(person.cookie, `/agents/${id}/settings`, async (page) => {
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      const enter = async (email) => {
        await dialog.getByLabel("E-mail").fill(email);
        await dialog.getByLabel("Password").fill(owner.password);
        await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
      };
      await page.getByLabel("Instructions").fill("A long text.");
      await page.context().clearCookies();
      await page.keyboard.press("Control+s");
      await enter(email);
      await dialog.getByRole("button", { name: `Sign in as ${owner.email}` }).click();
      await enter(owner.email);
      await page.getByText("Saved", { exact: true }).waitFor();
      const { settings } = await person.call("GET", `/v1/agents/${id}/settings`);
      assert.equal(settings.instructions, "A long text.");
    });
  });

  test("an agent that is deleted is announced above its screens, and what was typed stays", async () => {
    const { id } = await person.call("POST", "/v2/agents", { name: "Help" });
    await open(person.cookie, `/agents/${id}/settings`, async (page) => {
      await page.getByLabel("Instructions").fill("A long text.");
      await live(page);
      const other = await page.context().newPage();
      await other.goto(`${proxy.url}/agents/${id}/playground`);
      await other.getByRole("textbox", { name: "Ask…" }).fill("Half a question");
      await live(other);
      await person.call("DELETE", `/v2/agents/${id}`);
      for (const one of [page, other]) {
        await one.getByRole("alert").filter({ hasText: "“Help” was deleted." }).waitFor();
      }
      assert.equal(await page.getByLabel("Instructions").inputValue(), "A long text.");
      assert.equal(await other.getByRole("textbox", { name: "Ask…" }).inputValue(), "Half a question");
      await other.getByRole("main").getByRole("link", { name: "Go to the agents" }).click();
      await heading(other, "Agents");
      assert.equal(await other.getByRole("alert").count(), 0);
    });
  });
});
