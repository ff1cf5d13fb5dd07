// What the closed chat does by itself, and what a page that only shows the button pays for it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { skip } from "./browser.js";
import { snippet } from "./pages.js";
import { builtFile } from "./server.js";
import { agentId, until, useStub } from "./setup.js";
import { configOf } from "./stub.js";

const minute = 60_000; // milliseconds: whatever a page does by itself, it has done by then

const config = (changes) => ({ configs: { [agentId]: configOf(agentId, changes) } });

describe("floating messages", { skip }, () => {
  const site = useStub({ hasClock: true });
  const page = (wanted = {}) => {
    const all = { showFloatingInitialMessages: true, floatingInitialMessagesDelay: 0, ...wanted };
    return `<script>window.chatbaseConfig = ${JSON.stringify(all)};</script>${snippet(site.base, agentId)}`;
  };

  test("are shown once in a session, are announced, and open the chat", async () => {
    await site.open(page(), async (page) => {
      await page.floating.getByRole("button", { name: "Hi! How can I help?" }).waitFor();
      assert.equal(await page.floating.getAttribute("role"), "status");
      const [above, below] = [await page.floating.boundingBox(), await page.button.boundingBox()];
      assert.ok(above.y + above.height <= below.y);
      await page.floating.getByRole("button", { name: "Hi! How can I help?" }).click();
      await page.told("opened");
      assert.equal(await page.floating.textContent(), "");
      await page.evaluate(() => window.chatbase.close());
      await page.reload();
      await page.up();
      await page.clock.runFor(minute);
      assert.equal(await page.floating.count(), 0);
    });
  });

  test("can be dismissed, and come each time if the page wants it", async () => {
    await site.open(page({ floatingMessagesOncePerSession: false }), async (page) => {
      await page.floating.getByRole("button", { name: "Close" }).click();
      assert.equal(await page.floating.textContent(), "");
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
      await page.reload();
      await page.floating.getByRole("button", { name: "Close" }).waitFor();
    });
  });

  test("are those that the page has set, and none over an open window", async () => {
    const calls = 'chatbase.setInitialMessages(["One", "Two"]);';
    await site.open(`${page()}<script>${calls}</script>`, async (page) => {
      await page.floating.getByRole("button", { name: "Two" }).waitFor();
      assert.equal(await page.floating.getByRole("button").count(), 3);
    });
    await site.open(`${page({ floatingInitialMessagesDelay: 0.3 })}<script>chatbase.open();</script>`, async (page) => {
      await page.told("opened");
      await page.clock.runFor(minute);
      assert.equal(await page.floating.textContent(), "");
    });
  });
});

describe("the closed chat", { skip }, () => {
  const site = useStub({ hasClock: true });
  const page = () => `<input id="own" autofocus>${snippet(site.base, agentId)}`;

  test("opens by itself once a day, and takes no focus", async () => {
    await site.open(page(), async (page) => {
      await page.locator("#own").focus();
      assert.equal((await page.told("opened"))[0].focus, false);
      assert.equal(await page.evaluate(() => document.activeElement.id), "own");
      await page.evaluate(() => window.chatbase.close());
      await page.reload();
      await page.up();
      await page.clock.runFor(minute);
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
    }, config({ chat: { autoOpenChatWindowAfter: 0.05 } }));
  });

  test("does not open by itself after somebody has opened and closed it", async () => {
    await site.open(page(), async (page) => {
      await page.button.click();
      await page.told("opened");
      await page.evaluate(() => window.chatbase.close());
      await page.clock.runFor(minute);
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
    }, config({ chat: { autoOpenChatWindowAfter: 30 } }));
  });

  test("is open after a reload if it was, without the focus", async () => {
    await site.open(page(), async (page) => {
      await page.button.click();
      await page.told("opened");
      await page.reload();
      assert.equal((await page.told("opened"))[0].focus, false);
    });
  });

  test("on phones has what the agent wants there: when it opens, and what it says first", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const mobile = (more) => ({ autoOpenChatWindowAfter: 0.05, mobile: { showAutoOpen: true, ...more } });
    const floating = "<script>window.chatbaseConfig = { showFloatingInitialMessages: true, floatingInitialMessagesDelay: 0 };</script>";
    const there = { enabled: true, value: ["Only on phones"] };
    const chat = mobile({ showAutoOpen: false, initialMessages: there });
    await site.open(floating + page(), async (page) => {
      await page.floating.getByRole("button", { name: "Only on phones" }).waitFor();
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
    }, { ...config({ chat }), options: phone });
    await site.open(page(), async (page) => {
      assert.equal((await page.told("opened"))[0].focus, false);
    }, { ...config({ chat: { ...mobile({ autoOpenChatWindowAfter: { enabled: true, value: 0.05 } }), autoOpenChatWindowAfter: null } }),
      options: phone });
  });

  test("says how much is unread, in its title as well if the page wants it", async () => {
    await site.open(page(), async (page) => {
      await page.up();
      await page.evaluate(() => window.chatbase.setOptions({ title: true }));
      await page.button.hover();
      await page.say("unread", { count: 2 });
      await page.waitForFunction(() => document.title === "(2) A shop");
      assert.equal(await page.button.getAttribute("aria-label"), "Shop help (2)");
      assert.equal(await page.button.textContent(), "2");
      assert.match(await page.floating.textContent(), /Shop help \(2\)/);
      const isCalled = (title) => page.waitForFunction((want) => document.querySelector("iframe").title === want, title);
      await page.say("title", { text: "(2) New messages" });
      await isCalled("(2) New messages");
      await page.say("unread", { count: 0 });
      await page.waitForFunction(() => document.title === "A shop");
      await page.say("title", { text: "" });
      await isCalled("Shop help"); // a frame without a name is none for those who hear the page
    });
  });

  test("is loaded while a person has the conversation, stays closed, and says what is unread", async () => {
    await site.open(page(), async (page) => {
      const note = (until) =>
        page.evaluate(([key, value]) => localStorage.setItem(key, value), [`parley:${agentId}:person`, String(until)]);
      await page.up();
      await note(Date.now() + 60 * minute);
      await page.reload();
      await page.say("unread", { count: 1 });
      await until(async () => (await page.button.textContent()) === "1");
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
      await note(Date.now() - minute);
      await page.reload();
      await page.up();
      await page.clock.runFor(minute);
      assert.equal(await page.locator("iframe").count(), 0);
    });
  });

  test("costs two requests, 8 kB, and no shift of the page", async () => {
    await site.open(`<p>Our shop</p>${page()}<p>More</p>`, async (page) => {
      await page.up(); // with all that it asks for
      await page.addInitScript(observe);
      site.stub.seen.length = 0;
      await page.reload();
      await page.up();
      await page.button.waitFor();
      await page.clock.runFor(minute);
      assert.deepEqual(site.stub.seen, ["/embed.min.js", `/__cb/boot/${agentId}.js`]);
      assert.equal(await page.locator("iframe").count(), 0);
      assert.equal(await page.evaluate(() => window.shifts), 0);
      const boot = JSON.stringify(configOf(agentId));
      const sum = [builtFile("/embed.min.js").text, boot].map((text) => gzipSync(text, { level: 9 }).length).reduce((a, b) => a + b);
      assert.ok(sum + 2 * 500 <= 8000, `${sum} bytes and the headers`);
    }, { isLast: true });
  });

  test("is on the pages of agents that are available alone", async () => {
    await site.open(page(), async (page) => {
      await page.saidLine("not available on this page (domain)");
      assert.deepEqual([await page.state(), await page.button.count()], [undefined, 0]);
    }, { expected: /not available/, ...config({ isAvailable: false, reason: "domain" }) });
  });

  test("asks the frame where the boot script does not come", async () => {
    await site.open(page(), async (page) => {
      site.stub.fail.push("/__cb/boot/");
      await page.reload();
      await page.up();
      assert.equal(await page.button.getAttribute("aria-label"), "Shop help");
      assert.equal((await page.told("page"))[0].needsConfig, true);
      await page.button.click();
      await until(async () => (await page.told("opened")).length);
    }, { expected: /404/ });
  });

  test("is a link in browsers that are too old for it", async () => {
    await site.open(`<script>delete CSSStyleSheet.prototype.replaceSync;</script>${page()}`, async (page) => {
      const link = page.locator("a#chatbase-bubble-button");
      assert.equal(await link.textContent(), "Shop help");
      assert.equal(await link.evaluate((e) => e.href), `${site.base}/${agentId}/help`);
      assert.equal(await page.state(), "initialized");
      await page.evaluate(() => void window.chatbase.open());
      assert.equal(await page.locator("iframe").count(), 0);
    });
  });
});

// observe counts shifts of the page. It runs before anything else does.
function observe() {
  window.shifts = 0;
  new PerformanceObserver((list) => (window.shifts += list.getEntries().length)).observe({ type: "layout-shift", buffered: true });
}
