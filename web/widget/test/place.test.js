// Where the window is, where the focus is, and what a page must allow for it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "./browser.js";
import { forms, snippet } from "./pages.js";
import { agentId, useStub } from "./setup.js";
import { configOf } from "./stub.js";

/** The contrast of two colors, "rgb(r, g, b)", by WCAG 2.2. */
function contrast(...colors) {
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const shades = colors.map((color) => {
    const [red, green, blue] = color.match(/\d+/g).map((part) => linear(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  });
  return Math.max(...shades) / Math.min(...shades);
}

const chat = (changes) => ({ configs: { [agentId]: configOf(agentId, { chat: changes }) } });
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe("the window", { skip }, () => {
  const site = useStub();
  const page = (calls = "") => snippet(site.base, agentId, calls);
  const roundBox = async (element) => Object.fromEntries(Object.entries(await element.boundingBox()).map(([k, v]) => [k, Math.round(v)]));

  test("stands above its button, on the side that the agent has", async () => {
    await site.open(page(), async (page) => {
      await page.button.click();
      await page.told("opened");
      assert.deepEqual(await roundBox(page.window), { x: 1280 - 448 - 16, y: 16, width: 448, height: 800 - 87 - 16 });
      assert.deepEqual(await page.told("size"), [{ isSmall: false, height: 800 }]);
    });
    await site.open(page(), async (page) => {
      await page.button.click();
      await page.told("opened");
      assert.deepEqual([(await roundBox(page.window)).x, (await roundBox(page.button)).x], [16, 16]);
    }, chat({ alignChatButton: "left", buttonColor: "transparent" }));
  });

  test("has a button that can be seen where no color was chosen, in the light and in the dark", async () => {
    const blue = "rgb(31, 95, 191)";
    const cases = [
      [{ buttonColor: undefined }, blue],
      [{ buttonColor: null, theme: "dark" }, blue],
      [{ buttonColor: undefined, headerColor: "#ffd166" }, "rgb(255, 209, 102)"],
      [{ buttonColor: "#1a56db", headerColor: "#ffd166" }, "rgb(26, 86, 219)"],
    ];
    for (const [looks, color] of cases) {
      for (const colorScheme of ["light", "dark"]) {
        await site.open(`<style>:root{color-scheme:light dark}</style>${page()}`, async (page) => {
          await page.up();
          const [ground, ink, behind] = await page.button.evaluate((e) => {
            const { backgroundColor, color } = getComputedStyle(e);
            return [backgroundColor, color, matchMedia("(prefers-color-scheme:dark)").matches ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)"];
          });
          assert.equal(ground, color);
          assert.ok(contrast(ground, ink) >= 4.5, `${ground} with ${ink}`);
          if (color === blue) assert.ok(contrast(ground, behind) >= 3, `${ground} on ${behind}`);
        }, { ...chat(looks), options: { colorScheme } });
      }
    }
  });

  test("takes the focus when it is opened by hand, and gives it back", async () => {
    await site.open(`<button id="own">Chat with us</button>${page("own.onclick = () => chatbase.open();")}`, async (page) => {
      await page.up();
      const hasFocus = (id) => page.waitForFunction((id) => document.activeElement.id === id, id);
      await page.locator("#own").press("Enter");
      assert.deepEqual(await page.told("opened"), [{ focus: true }]);
      await hasFocus("chatbase-bubble-window");
      await page.say("close");
      await page.waitForFunction(() => !window.chatbase.isOpen());
      await hasFocus("own");
      await page.button.focus();
      await page.keyboard.press("Enter");
      await page.told("opened", (all) => all.length === 2);
      await page.say("focus-launcher");
      await hasFocus("chatbase-bubble-button");
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => !window.chatbase.isOpen());
      await hasFocus("chatbase-bubble-button");
    });
  });

  test("a page that opens it by itself keeps the focus", async () => {
    // What tests do in a page counts as done by the visitor.
    const nobody = '<script>Object.defineProperty(navigator, "userActivation", { value: { isActive: false } });</script>';
    await site.open(`${nobody}<input id="own">${page("own.focus(); chatbase.open();")}`, async (page) => {
      assert.deepEqual(await page.told("opened"), [{ focus: false }]);
      assert.equal(await page.evaluate(() => document.activeElement.id), "own");
    });
  });

  test("takes what the keyboard leaves of a phone, and holds the page", async () => {
    const body = `<style>body{margin:0}p{height:3000px}</style><main><p>Our shop</p><a href="#">Link</a></main>${page()}`;
    await site.open(body, async (page) => {
      await page.up();
      await page.evaluate(() => scrollTo(0, 700));
      await page.button.tap();
      await page.told("opened");
      assert.deepEqual(await roundBox(page.window), { x: 0, y: 0, width: 390, height: 844 });
      const held = () => [document.documentElement.style.overflow, document.querySelector("main").inert].join();
      assert.equal(await page.evaluate(held), "hidden,true");
      await page.evaluate(() => {
        Object.defineProperties(window.visualViewport, { height: { value: 500 }, offsetTop: { value: 40 } });
        window.visualViewport.dispatchEvent(new Event("resize"));
      });
      await page.told("size", (all) => all.at(-1).height === 500);
      assert.equal((await page.told("size")).at(-1).isSmall, true);
      assert.deepEqual(await roundBox(page.window), { x: 0, y: 40, width: 390, height: 500 });
      await page.say("close");
      await page.waitForFunction(() => !window.chatbase.isOpen());
      const after = () => [document.documentElement.style.overflow, document.querySelector("main").inert, Math.round(scrollY)].join();
      assert.equal(await page.evaluate(after), ",false,700");
      assert.equal(await page.evaluate(() => document.querySelector("meta[name=viewport]").content), "width=device-width");
    }, { options: phone });
  });

  test("the button makes room for a field of the page on a phone", async () => {
    const body = `<input id="near" style="position:fixed;bottom:30px;right:20px"><input id="far">${page()}`;
    await site.open(body, async (page) => {
      await page.up();
      for (const [id, visibility] of [["near", "hidden"], ["far", "visible"]]) {
        await page.locator(`#${id}`).focus();
        assert.equal(await page.button.evaluate((e) => getComputedStyle(e).visibility), visibility);
      }
    }, { options: phone });
  });
});

describe("a strict page", { skip }, () => {
  const site = useStub();
  const others = "style-src 'none'; connect-src 'none'; font-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'";
  const types = "require-trusted-types-for 'script'; trusted-types 'none'";
  // What these forms do themselves, setting the address of a script, is what Trusted Types forbid a page.
  const setAddresses = ["the snippet", "attributes set by code"];
  const withNonce = (html) => html.replaceAll("<script", '<script nonce="n"');

  async function works(scripts, form, more = "") {
    const policy = `script-src ${scripts}; frame-src ${site.base}; ${others}; ${more}`;
    await site.open({ headers: { "Content-Security-Policy": policy }, body: withNonce(form(site.base, agentId)) }, async (page) => {
      await page.button.click();
      await page.told("opened");
      assert.equal(await page.button.evaluate((e) => getComputedStyle(e).backgroundColor), "rgb(26, 86, 219)");
      assert.equal(await page.window.evaluate((e) => getComputedStyle(e).width), "448px");
      assert.ok(site.stub.seen.includes(`/__cb/boot/${agentId}.js`));
    });
  }

  for (const [name, form] of Object.entries(forms)) {
    const isTyped = !setAddresses.includes(name);
    test(`needs script-src and frame-src alone for ${name}${isTyped ? ", and enforces Trusted Types" : ""}`, async () => {
      await works(`'nonce-n' ${site.base}`, form, isTyped ? types : "");
    });
  }

  test("may trust what trusted scripts load instead of naming the server", async () => {
    for (const name of ["the snippet", "the attribute alone"]) await works("'nonce-n' 'strict-dynamic'", forms[name]);
  });
});
