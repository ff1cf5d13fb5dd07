// Without a mouse: each kind of control follows the patterns of the ARIA Authoring Practices Guide, on the screens where
// it is used. And what is said to those who do not see the screen, in words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { assertSoon, skip, untilNothing } from "./browser.js";
import * as to from "./screen-states.js";
import { useSamePages } from "./setup.js";
import { sources } from "./source-answers.js";

const [{ id }] = agents;
const list = `/agents/${id}/sources`;

/** The role and the name of what has the focus, or of the entry that it points at. */
const focused = (page) =>
  page.evaluate(() => {
    const own = document.activeElement;
    const active = document.getElementById(own.getAttribute("aria-activedescendant") ?? "") ?? own;
    const role = active.getAttribute("role") ?? active.localName;
    const label = active.getAttribute("aria-label") ?? document.getElementById(active.getAttribute("aria-labelledby")?.split(" ").at(-1) ?? "")?.textContent;
    return `${role} ${(label ?? active.labels?.[0]?.textContent ?? active.textContent).trim().slice(0, 60)}`;
  });

describe("keyboard", { skip }, () => {
  const open = useSamePages();
  const at = (path, use, options) => open(answers(options), path, use, { reducedMotion: "reduce" });

  /** Presses keys one after the other, and says what has the focus after each. */
  const walk = async (page, rows) => {
    for (const [key, want] of rows) {
      await page.keyboard.press(key);
      const other = await untilNothing(async () => {
        const name = await focused(page);
        return !want.test(name) && (name || "nothing");
      });
      assert.equal(other, null, `after ${key} it is not ${want}`);
    }
  };

  test("a menu: arrows, both ends, letters, Escape back to its button", async () => {
    await at("/me", async (page) => {
      await to.byText("192.0.2.11")(page);
      await page.getByRole("button", { name: /^Menu of/ }).focus();
      await walk(page, [
        ["Enter", /^menuitem Your page/],
        ["ArrowDown", /^menuitem Sign out/],
        ["ArrowDown", /^menuitem Your page/],
        ["ArrowUp", /^menuitem Sign out/],
        ["Home", /^menuitem Your page/],
        ["End", /^menuitem Sign out/],
        ["y", /^menuitem Your page/],
        ["Escape", /^button Menu of/],
        ["ArrowUp", /^menuitem Sign out/],
        ["Escape", /^button Menu of/],
      ]);
      assert.equal(await page.getByRole("menu").count(), 0);
    });
  });

  test("a dialog: focus is in it, stays in it, and goes back to where it came from", async () => {
    await open(answers(to.withPasskeys), "/me", async (page) => {
      const opener = page.getByRole("button", { name: "Rename the passkey Laptop" });
      await opener.focus();
      await walk(page, [
        ["Enter", /^input/],
        ["Tab", /^button Cancel/],
        ["Tab", /^button Save/],
        ["Tab", /^button Close/],
        ["Tab", /^input/],
        ["Shift+Tab", /^button Close/],
        ["Shift+Tab", /^button Save/],
        ["Escape", /^button Rename the passkey Laptop/],
      ]);
    });
  });

  test("a question of two editors is one that interrupts, and its first answer is not the one that loses", async () => {
    const agent = id;
    await open(answers(to.changedByOthers(agent)), `/agents/${agent}/settings`, async (page) => {
      await to.saveSettings(page);
      const dialog = page.getByRole("alertdialog");
      await dialog.and(page.locator(":focus-within")).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.equal(await page.locator(`[name="settings.name"]`).inputValue(), "Help centre");
    });
  });

  test("tabs: arrows and both ends choose, and Tab goes on into the panel", async () => {
    await at(`${list}/${sources[5].sourceId}?tab=text`, async (page) => {
      await page.getByRole("tab", { name: "Text" }).focus();
      await walk(page, [
        ["ArrowRight", /^tab Passages/],
        ["End", /^tab History/],
        ["ArrowRight", /^tab Text/],
        ["ArrowLeft", /^tab History/],
        ["Home", /^tab Text/],
        ["Tab", /^region Text/],
        ["Shift+Tab", /^tab Text/],
      ]);
      assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "Text");
    });
  });

  test("a list of choices: arrows, letters and Enter; Escape changes nothing", async () => {
    const answer = answers();
    await open(answer, "/me", async (page) => {
      const theme = page.getByRole("button", { name: /Theme/ });
      await theme.focus();
      await walk(page, [
        ["ArrowDown", /^option/],
        ["End", /^option Dark/],
        ["Escape", /^button/],
        ["Enter", /^option/],
        ["d", /^option Dark/],
        ["Enter", /^button/],
      ]);
      await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
      assert.deepEqual(answer.state.asked.filter(({ method }) => method === "PATCH").map(({ body }) => body), [{ theme: "dark" }]);
    });
  });

  test("a field with suggestions: the focus stays in it, and points at the entry", async () => {
    await at("/agents", async (page) => {
      await to.openBy("Control+k")(page);
      await page.keyboard.type("wholesale");
      await page.getByRole("menuitem", { name: "Help desk" }).waitFor({ state: "detached" });
      await page.locator("[role=dialog] input[aria-activedescendant]").waitFor();
      await walk(page, [
        ["ArrowDown", /^menuitem Wholesale./],
        ["ArrowUp", /^menuitem Wholesale$/],
      ]);
      assert.equal(await page.evaluate(() => document.activeElement.localName), "input");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Wholesale" }).waitFor();
    });
  });

  test("a table: arrows, Space chooses, Escape chooses none, Enter opens", async () => {
    await at(list, async (page) => {
      await page.getByRole("row").nth(1).focus();
      await walk(page, [
        ["ArrowDown", /^row/],
        ["ArrowRight", /^(input|gridcell|checkbox)/],
      ]);
      await page.getByRole("row").nth(1).focus();
      await page.keyboard.press("Space");
      await page.getByRole("status").filter({ hasText: "1 chosen" }).waitFor();
      await page.keyboard.press("Control+a");
      await page.getByRole("status").filter({ hasText: `${sources.length} chosen` }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("status").filter({ hasText: `${sources.length} chosen` }).waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
    });
  });

  test("a table: a box that is focused from outside stays so, and Space chooses it", async () => {
    await at(list, async (page) => {
      const all = page.getByRole("checkbox").first();
      await all.focus();
      await page.keyboard.press("Space");
      await page.getByRole("status").filter({ hasText: `${sources.length} chosen` }).waitFor();
      assert.equal(await all.evaluate((box) => box === document.activeElement), true);
    });
  });

  test("choices of which one is taken: arrows take, Tab goes on", async () => {
    await at("/welcome", async (page) => {
      await page.getByRole("radio", { checked: true }).focus();
      await page.keyboard.press("ArrowDown");
      await page.getByRole("radio").nth(1).and(page.locator(":checked")).waitFor({ state: "attached" });
      await page.keyboard.press("ArrowUp");
      await page.getByRole("radio").first().and(page.locator(":checked")).waitFor({ state: "attached" });
      await page.keyboard.press("Tab");
      await page.waitForFunction(() => document.activeElement.type !== "radio");
    });
  });

  test("a switch is switched by Space", async () => {
    await at("/me", async (page) => {
      const letters = page.getByRole("switch", { name: "Single-letter shortcuts" });
      await letters.focus();
      const before = await letters.isChecked();
      await page.keyboard.press("Space");
      await assertSoon(() => letters.isChecked(), !before);
    });
  });

  test("the focus is always to be seen, in forced colors as well", async () => {
    for (const forcedColors of ["none", "active"]) {
      await open(answers(), "/agents", async (page) => {
        await page.getByRole("link", { name: "Wholesale" }).waitFor();
        for (let i = 0; i < 15; i++) {
          await page.keyboard.press("Tab");
          const ring = await page.evaluate(() => {
            const own = document.activeElement;
            const outlines = [getComputedStyle(own), getComputedStyle(own, "::after")].map((one) => [one.outlineStyle, parseFloat(one.outlineWidth)]);
            return outlines.some(([style, width]) => style !== "none" && width >= 2);
          });
          assert.ok(ring, `${await focused(page)} has no outline`);
        }
      }, { forcedColors });
    }
  });

  test("what is chosen and what is on is to be seen in forced colors", async () => {
    await open(answers(), `/agents/${id}/looks`, async (page) => {
      await page.getByRole("switch").first().waitFor({ state: "attached" });
      const { switches, tabs, segments } = await page.evaluate(() => {
        const style = (element, part) => getComputedStyle(element, part);
        const isOn = (element) => element.matches("[data-selected]");
        const switches = [...document.querySelectorAll("[role=switch]")].map((input) => {
          const label = input.closest("label");
          const track = label.querySelector(":scope > [aria-hidden]");
          return [isOn(label), style(track).backgroundColor, style(track, "::before").backgroundColor];
        });
        const tabs = [...document.querySelectorAll("[role=tab]")].map((tab) => [isOn(tab), style(tab).borderBlockEndColor]);
        const segments = [...document.querySelectorAll("[role=radio]")].filter((one) => one.localName === "button");
        return { switches, tabs, segments: segments.map((one) => [isOn(one), style(one).backgroundColor]) };
      });
      for (const [, track, knob] of switches) assert.notEqual(track, knob, "the knob has the color of its track");
      for (const parts of [switches, tabs, segments]) {
        const colors = (on) => [...new Set(parts.filter(([isOn]) => isOn === on).map(([, color]) => color))];
        assert.equal(colors(true).length, 1);
        assert.ok(!colors(false).includes(colors(true)[0]), `on and off are ${colors(true)}`);
      }
    }, { forcedColors: "active" });
  });

  test("with reduced motion nothing moves", async () => {
    const moving = (page) => page.evaluate(() => document.getAnimations().filter((one) => one.playState === "running" && one.effect.getComputedTiming().duration > 1).length);
    for (const [path, options, ready] of [
      ["/agents", to.stuck("GET /v2/agents").loading[0], to.stuck("x").loading[1]],
      [`${list}?add=qna`, {}, to.dialog],
      [list, {}, to.byText("handbook.pdf")],
    ]) {
      await at(path, async (page) => {
        await ready(page);
        assert.equal(await moving(page), 0, path);
      }, options);
    }
  });

  test("with reduced motion a dialog has the focus, whatever is hidden while it opens", async () => {
    await at(`/agents/${id}/settings`, async (page) => {
      await page.evaluate(() => addEventListener("transitionrun", ({ propertyName }) => (window.moved = propertyName), true));
      await page.getByLabel("Instructions").fill("Changed."); // without a key or a pointer, as screen readers move the focus
      await page.getByText("1 change").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").locator("input:focus").waitFor();
      assert.equal(await page.evaluate(() => window.moved), undefined);
    });
  });
});

describe("what is said", { skip }, () => {
  const open = useSamePages();
  const texts = (page) => page.getByRole("status").filter({ visible: true }).allTextContents();

  test("while something is read, when it is saved, and how much is not", async () => {
    await open(answers(to.stuck("GET /v2/agents").loading[0]), "/agents", async (page) => {
      await page.getByRole("status", { name: "Loading" }).first().waitFor();
    });
    await open(answers(), `/agents/${id}/settings`, async (page) => {
      await to.changeSettings(page);
      assert.ok((await texts(page)).includes("1 change"), String(await texts(page)));
    });
  });

  test("an answer is said once it is there, and not while it is written", async () => {
    await open(answers(), `/agents/${id}/playground`, async (page) => {
      const spoken = page.locator("[role=status][data-testid=spoken]");
      await to.textbox(page);
      assert.equal(await spoken.textContent(), "");
      await to.askPlayground(page);
      assert.equal(await spoken.textContent(), "You can send them back within **30 days**. The label is in the parcel.");
    });
  });

  test("a failure interrupts", async () => {
    await open(answers(to.stuck("GET /v2/agents").failed[0]), "/agents", async (page) => {
      assert.match(await page.getByRole("alert").textContent(), /Request 0192f3c1/);
    });
  });

  test("the order of the focus on the sources", async () => {
    await open(answers(), list, async (page) => {
      await to.byText("handbook.pdf")(page);
      await page.locator("main").evaluate((main) => {
        main.tabIndex = -1;
        main.focus();
      });
      const order = [];
      for (let i = 0; i < 7; i++) {
        await page.keyboard.press("Tab");
        order.push(await focused(page));
      }
      assert.deepEqual(order, [
        "button Try search",
        "button Add",
        "switch Read websites again every week",
        "input Search by name",
        "button Type",
        "button State",
        "row https://shop.example",
      ]);
    });
  });
});
