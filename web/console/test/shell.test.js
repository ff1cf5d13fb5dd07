// The frame: keys, the command list, the drawer, focus.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers, inWorkspace } from "./answers.js";
import { assertSoon, skip } from "./browser.js";
import { useSamePages } from "./setup.js";
import { withTickets } from "./ticket-answers.js";

const phone = { viewport: { width: 390, height: 844 } };

describe("shell", { skip }, () => {
  const open = useSamePages();
  const focused = (page) =>
    page.evaluate(() => {
      const { activeElement: e } = document;
      return e.getAttribute("aria-label") ?? e.textContent.trim();
    });

  test("the keyboard reaches everything in the order of the page", async () => {
    await open(answers(), "/agents", async (page) => {
      await page.getByRole("link", { name: "Help desk" }).waitFor();
      const order = [];
      for (let i = 0; i < 25; i++) {
        await page.keyboard.press("Tab");
        order.push(await focused(page));
      }
      assert.deepEqual(order, [
        "Skip to the content",
        "Inbox",
        "Agents",
        "Home",
        "Playground",
        "Insights",
        "People",
        "Voice sessions",
        "Sources",
        "Actions",
        "Looks",
        "Embed",
        "Settings",
        "Manifest",
        "Models",
        "Plan and usage",
        "Choose an agent. Now: Help desk",
        "Search or do…Ctrl K",
        "Keyboard shortcuts",
        "Help on this screen, in a new tab",
        "Menu of Owner",
        "New agent",
        "Help desk",
        "Returns",
        "Wholesale",
      ]);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Wholesale" }).waitFor();
    });
  });

  test("commands by name, without a mouse", async () => {
    await open(answers(), "/agents", async (page) => {
      await page.getByRole("link", { name: "Returns" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Commands" }).waitFor();
      await page.keyboard.type("retu");
      await page.getByRole("menuitem", { name: "Returns", exact: true }).waitFor();
      await page.getByRole("menuitem", { name: "Help desk" }).waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Returns" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("sources whole"); // the words in any order
      await page.getByRole("menuitem", { name: "Wholesale: Sources" }).waitFor();
      assert.deepEqual(await names(page), ["Wholesale: Sources"]);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor();
      assert.match(page.url(), new RegExp(`${agents[2].id}/sources$`));
      await page.keyboard.press("Control+k");
      await page.keyboard.type("nothing like it");
      await page.getByText("Nothing was found.").waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });
  });

  test("the command list finds sources of the agent by their names", async () => {
    const answer = answers();
    await open(answer, `/agents/${agents[0].id}`, async (page) => {
      await page.getByRole("heading", { level: 1, name: "Help desk" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("pricing");
      await page.getByRole("menuitem", { name: "pricing.pdf" }).click();
      await page.getByRole("dialog", { name: "pricing.pdf" }).waitFor();
      assert.match(page.url(), /sources\/[0-9a-f-]{36}$/);
      const asked = answer.state.asked.filter(({ path, query }) => path.endsWith("/sources") && query.get("name"));
      assert.deepEqual(asked.map(({ query }) => [query.get("name"), query.get("limit")]), [["pricing", "8"]]);
    });
  });

  test("an agent's home leads to what puts it on a site", async () => {
    await open(answers(), `/agents/${agents[0].id}`, async (page) => {
      await page.getByRole("link", { name: "Put it on your site" }).click();
      await page.getByRole("heading", { level: 1, name: "Embed" }).waitFor();
    });
  });

  test("at a zoom of 400 % the composer is in view", async () => {
    const use = async (page) => {
      const box = page.getByRole("textbox").last();
      await box.waitFor();
      const { y, height } = await box.boundingBox();
      assert.ok(y > 0 && y + height <= 256, `${y} ${height}`);
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await box.fill("When are you open?");
    };
    await open(answers(), `/agents/${agents[0].id}/playground`, use, { viewport: { width: 320, height: 256 } });
  });

  const entries = (page) => page.getByRole("dialog", { name: "Commands" }).getByRole("menuitem");
  const names = (page) => entries(page).locator("span[dir]").allTextContents();

  test("the command list has every screen, what can be done on the present one, and the other companies", async () => {
    const two = ["acc_1", "acc_2"].map((accountId) => ({ accountId, accountName: accountId, role: "owner" }));
    await open(answers({ session: { memberships: two } }), `/a/acc_1/agents/${agents[0].id}/sources`, async (page) => {
      await page.getByText("handbook.pdf").first().waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("menuitem", { name: "Wholesale", exact: true }).waitFor();
      assert.deepEqual(await names(page), [
        ...["Add: Files", "Add: Website", "Add: Text", "Add: Questions and answers", "Try search"],
        ...["Home", "Playground", "Insights", "People", "Voice sessions", "Sources", "Actions", "Looks", "Embed", "Settings", "Manifest"],
        ...["Inbox", "Agents", "New agent", "Models", "Plan and usage", "Your page"],
        ...["Help desk", "Returns", "Wholesale", "Go to acc_2"],
        ...["Use the light theme", "Use the dark theme", "Use the theme of the device", "Use compact row height"],
        ...["Keyboard shortcuts", "Help on this screen, in a new tab", "Sign out"],
      ]);
      const keys = await entries(page).locator("kbd").allTextContents();
      assert.deepEqual(keys, ["g h", "g p", "g s", "g i", "g a", "g m", "?"]);
      await page.keyboard.type("add text");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Text" }).waitFor();
      assert.match(page.url(), /\?add=text$/);
    });
    await open(answers(), `/agents/${agents[0].id}/settings`, async (page) => {
      await page.getByLabel("Instructions").fill("Changed.");
      await page.keyboard.press("Control+k");
      assert.equal(await page.getByRole("menuitem", { name: "Save changes", exact: true }).locator("kbd").textContent(), "Ctrl S");
      await page.getByRole("dialog").locator("input:focus").waitFor();
      await page.keyboard.type("changes");
      await page.getByRole("menuitem").nth(2).waitFor({ state: "detached" }); // the list follows each letter
      assert.deepEqual(await names(page), ["Save changes", "Discard changes"]);
      await page.getByRole("menuitem", { name: "Discard changes" }).click();
      await assertSoon(() => page.getByLabel("Instructions").inputValue(), "Be kind and short.");
      await page.getByLabel("Instructions").fill("Changed.");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("sign out");
      await page.keyboard.press("Enter");
      await page.getByRole("alertdialog", { name: "Changes are not saved" }).waitFor();
    });
  });

  test("an agent that is on none of the first pages is found by its name", async () => {
    const many = Array.from({ length: 230 }, (_, i) => ({ ...agents[0], id: `agent-${i}`, name: `Shop ${i}` }));
    await open(answers({ list: many }), "/agents", async (page) => {
      await page.getByRole("main").getByRole("link", { name: "Shop 0", exact: true }).waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("shop 229");
      await page.getByRole("menuitem", { name: "Shop 229", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Shop 229" }).waitFor();
      await page.getByRole("button", { name: "Choose an agent. Now: Shop 229" }).click();
      await page.getByRole("searchbox", { name: "Search agents" }).fill("shop 22");
      await assertSoon(() => page.getByRole("menuitem").count(), 11);
      await page.getByRole("menuitem", { name: /^Shop 221/ }).click();
      await page.getByRole("heading", { level: 1, name: "Shop 221" }).waitFor();
    });
  });

  test("of the names that have what is typed, the one that is it comes first", async () => {
    const list = ["Shop 12", "Workshop 2", "Shop 20", "Shop 2"].map((name, i) => ({ ...agents[0], id: `agent-${i}`, name }));
    await open(answers({ list }), "/agents", async (page) => {
      await page.getByRole("link", { name: "Shop 12" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("shop 2");
      const group = page.getByRole("dialog").getByRole("group", { name: "Agents", exact: true });
      await group.getByRole("menuitem", { name: "Shop 2", exact: true }).waitFor();
      assert.deepEqual(await group.getByRole("menuitem").allTextContents(), ["Shop 2", "Shop 20", "Shop 12", "Workshop 2"]);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Shop 2", exact: true }).waitFor();
    });
  });

  test("keys lead to the playground, to the search and through the rows", async () => {
    await open(answers(), `/agents/${agents[0].id}/sources`, async (page) => {
      await page.getByText("handbook.pdf").first().waitFor();
      const row = () => page.evaluate(() => Number(document.activeElement.closest("[role=row]")?.ariaRowIndex ?? 0) - 1);
      for (const [i, key] of [..."jjkjj"].entries()) {
        await page.keyboard.press(key);
        await assertSoon(row, [1, 2, 1, 2, 3][i], `row after ${key}`);
      }
      await page.keyboard.press("/");
      await page.keyboard.type("hand");
      assert.equal(await page.getByRole("searchbox", { name: "Search by name" }).inputValue(), "hand");
      await page.keyboard.press("Escape");
      await page.locator("h1").focus();
      await page.keyboard.type("gp");
      await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
      await page.keyboard.type("ga");
      await page.getByRole("main").getByRole("link", { name: "Help desk" }).waitFor();
      for (const [key, name] of ["j Help desk", "j Returns", "k Help desk"].map((one) => [one[0], one.slice(2)])) {
        await page.keyboard.press(key);
        await assertSoon(() => focused(page), name);
      }
      await page.keyboard.press("/");
      await page.getByRole("dialog", { name: "Commands" }).waitFor();
    });
    await open(answers({ role: "viewer" }), "/agents", async (page) => {
      await page.getByText("Wholesale").waitFor();
      await page.keyboard.type("gp");
      await page.keyboard.type("gh");
      await page.getByRole("heading", { level: 1, name: "Help desk" }).waitFor();
    });
  });

  test("g and t lead to the tickets", async () => {
    await open(answers({ session: withTickets() }), `/agents/${agents[0].id}`, async (page) => {
      await page.getByRole("heading", { level: 1, name: "Help desk" }).waitFor();
      await page.keyboard.type("gt");
      await page.getByRole("heading", { level: 1, name: "Tickets" }).waitFor();
    });
  });

  test("an address that nothing can have is not found", async () => {
    for (const path of ["/a/%E0", "/a/%E0/agents", "/agents/%E0", "/agents/%E0%A4%A/sources", "/agents/a%20b/settings", "/agents/%00"]) {
      await open(answers(), path, async (page) => {
        await page.getByRole("heading", { level: 1, name: "Not found" }).waitFor();
        await page.getByRole("main").getByRole("link", { name: "Go to the agents" }).click();
        await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
      });
    }
  });

  test("a page that is not there offers the search of everything", async () => {
    await open(answers(), "/nowhere", async (page) => {
      await page.getByRole("heading", { level: 2, name: "There is no such page" }).waitFor();
      await page.getByRole("main").getByRole("button", { name: "Search or do…" }).click();
      await page.keyboard.type("usage");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Plan and usage" }).waitFor();
    });
  });

  test("letters are commands outside of text fields, unless they are switched off", async () => {
    await open(answers(), "/agents", async (page) => {
      await page.getByRole("link", { name: "Returns" }).waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.keyboard.type("gm");
      await page.getByRole("heading", { level: 1, name: "Your page" }).waitFor();
      await assertSoon(() => focused(page), "Your page");
      await page.getByLabel("Your name").fill("");
      await page.keyboard.type("ga?");
      assert.equal(await page.getByLabel("Your name").inputValue(), "ga?");
      await page.locator("label", { hasText: "Single-letter shortcuts" }).click();
      await page.keyboard.type("ga?");
      await page.keyboard.press("Control+k"); // comes after the letters
      await page.getByRole("dialog", { name: "Commands" }).getByRole("menuitem", { name: "Playground" }).waitFor();
      for (const keys of await page.getByRole("menuitem").locator("kbd").allTextContents()) assert.match(keys, /^Ctrl /);
      assert.match(page.url(), /\/me$/);
      assert.equal(await page.getByRole("dialog").count(), 1);
    });
  });

  test("the agent switch keeps to the screen", async () => {
    await open(answers(), "/agents/5QHA6VB-DIAbBhxwqxfdi", async (page) => {
      await page.getByRole("button", { name: /Now: Help desk/ }).click();
      await page.getByRole("menuitem", { name: /Wholesale/ }).click();
      await page.getByRole("heading", { level: 1, name: "Wholesale" }).waitFor();
      await page.getByRole("link", { name: "Agents", exact: true }).click();
      await page.getByRole("button", { name: /Now: Wholesale/ }).waitFor();
    });
  });

  test("on a low screen the rail shows the place of the screen", async () => {
    const use = async (page) => {
      const place = page.getByRole("navigation").getByRole("link", { name: "Server", exact: true });
      const isShown = () => place.evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight);
      await assertSoon(isShown, true);
      await page.getByRole("navigation").getByRole("link", { name: "Inbox", exact: true }).evaluate((one) => one.click());
      await assertSoon(isShown, false);
    };
    await open(answers({ session: inWorkspace() }), "/workspace/server", use, { viewport: { width: 1280, height: 500 } });
  });

  test("on a phone the rail is a drawer", async () => {
    const use = async (page) => {
      await page.getByRole("link", { name: "Help desk" }).waitFor();
      assert.equal(await page.getByRole("navigation").count(), 0);
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      const drawer = page.getByRole("dialog", { name: "Menu" });
      await drawer.getByRole("link", { name: "Home" }).click();
      await page.getByRole("heading", { level: 1, name: "Help desk" }).waitFor();
      await drawer.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
    };
    await open(answers(), "/agents", use, phone);
  });

  test("nothing is wider than a screen of 320 pixels", async () => {
    for (const path of ["/agents", "/agents/5QHA6VB-DIAbBhxwqxfdi", "/me", "/nowhere"]) {
      const use = async (page) => {
        await page.getByRole("heading", { level: 1 }).waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 320, `${path}: ${wide}`);
      };
      await open(answers(), path, use, { viewport: { width: 320, height: 640 }, locale: "en-XA" });
    }
  });
});
