// The button and its window on pages of another site: forms of loading, commands, elements.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { skip } from "./browser.js";
import { forms, snippet } from "./pages.js";
import { agentId, until, useStub } from "./setup.js";
import { configOf, otherId } from "./stub.js";

describe("the bubble", { skip }, () => {
  const site = useStub();
  const page = (calls) => snippet(site.base, agentId, calls);

  for (const [name, form] of Object.entries(forms)) {
    test(`is loaded by ${name}`, async () => {
      await site.open(form(site.base, agentId), async (page) => {
        await page.up();
        assert.equal(await page.button.count(), 1);
        assert.equal(await page.button.getAttribute("aria-label"), "Shop help");
        await page.button.click();
        await page.chat();
        assert.match(page.frames()[1].url(), new RegExp(`/chatbot-iframe/${agentId}\\?mode=bubble$`));
      });
    });
  }

  test("the attribute names the agent before the page's object does, and that before the id", async () => {
    const set = (id) => `<script>window.chatbaseConfig = { chatbotId: "${id}" };</script>`;
    const file = `src="${site.base}/embed.min.js" defer`;
    const pages = [
      `${set(otherId)}<script ${file} chatbotId="${agentId}" data-chatbot-id="${otherId}" id="${otherId}"></script>`,
      `${set(otherId)}<script ${file} data-chatbot-id="${agentId}" id="${otherId}"></script>`,
      `${set(agentId)}<script ${file} id="${otherId}"></script>`,
    ];
    for (const body of pages) {
      await site.open(body, async (page) => {
        await page.up();
        assert.deepEqual(site.stub.seen.filter((path) => path.includes("boot")), [`/__cb/boot/${agentId}.js`]);
      });
    }
  });

  test("a script that names no agent says so and does nothing", async () => {
    await site.open(`<script src="${site.base}/embed.min.js" id="chatbase-script" defer></script>`, async (page) => {
      await page.saidLine("finds no id of an agent");
      assert.equal(await page.state(), undefined);
    }, { expected: /finds no id/ });
  });

  test("tells when it is up, and speaks the language that the page sets", async () => {
    await site.open(page('window.chatbase.setLocale("ar");'), async (page) => {
      await page.up();
      await page.evaluate(async () => [await window.chatbase.ready, await window.chatbase.ready()]);
      await page.button.click();
      assert.deepEqual(await page.told("setLocale"), ["ar"]);
      await page.evaluate(() => window.chatbase.setLocale("de"));
      assert.deepEqual(await page.told("setLocale", (all) => all.length === 2), ["ar", "de"]);
      assert.equal((await page.told("page"))[0].locale, "ar");
    });
  });

  test("another host in domain is ignored", async () => {
    const element = `<script src="${site.base}/embed.min.js" id="${agentId}" domain="www.chat.example" defer></script>`;
    await site.open(element, async (page) => {
      await page.up();
      assert.ok(page.said.some((line) => line.includes("www.chat.example is ignored")));
    });
  });

  test("calls from before, from after, and pushed to the old queue are carried out", async () => {
    const calls = `
      window.heard = [];
      window.oldQueue = window.chatbase.q;
      window.oldStub = window.chatbase;
      chatbase("addEventListener", "open", (e) => heard.push(e.type));
      chatbase.setOptions({ displayName: "Ask us" });
      chatbase.q.push(["open", { message: "From the queue" }]);`;
    await site.open(page(calls), async (page) => {
      assert.deepEqual(await page.told("send"), [{ message: "From the queue", hideMessage: false }]);
      assert.deepEqual(await page.evaluate(() => window.heard), ["open"]);
      assert.equal(await page.button.getAttribute("aria-label"), "Ask us");
      await page.evaluate(() => window.oldQueue.push(["close"]));
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
      await page.evaluate(() => window.oldStub.open({ message: "From the stub" }));
      assert.equal((await page.told("send", (all) => all.length === 2))[1].message, "From the stub");
      assert.equal(await page.evaluate(() => window.chatbase.then), undefined);
      assert.equal(await page.evaluate(async () => (await window.chatbase, typeof window.chatbase)), "function");
    });
  });

  test("unknown commands warn once and throw nothing", async () => {
    await site.open(page("chatbase.dance(); chatbase('dance');"), async (page) => {
      await page.up();
      assert.equal(await page.evaluate(() => window.chatbase.sing(1, 2)), undefined);
      await page.saidLine("no command sing");
      assert.equal(page.said.filter((line) => line.includes("no command dance")).length, 1);
    }, { expected: /no command (dance|sing)/ });
  });

  test("opens, closes, toggles, says whether it is open", async () => {
    await site.open(page(), async (page) => {
      await page.up();
      const call = (...args) => page.evaluate((a) => window.chatbase(...a), args);
      assert.equal(await call("isOpen"), false);
      await call("open");
      assert.deepEqual([await call("isOpen"), await page.window.evaluate((e) => e.style.display)], [true, "block"]);
      assert.equal(await page.button.getAttribute("aria-expanded"), "true");
      await call("close");
      assert.deepEqual([await call("isOpen"), await page.window.evaluate((e) => e.style.display)], [false, "none"]);
      assert.equal(await page.button.getAttribute("aria-expanded"), "false");
      assert.equal((await page.told("closed")).length, 1);
      for (const name of ["toggle", "hide", "show", "toggle"]) await call(name);
      assert.equal(await call("isOpen"), false);
      await call("resetChat");
      await call("newConversation");
      assert.equal((await page.told("resetChat", (all) => all.length === 2)).length, 2);
    });
  });

  test("the window has the color of the chat until the chat is in it", async () => {
    for (const [theme, color] of [["light", "rgb(255, 255, 255)"], ["dark", "rgb(21, 22, 23)"]]) {
      await site.open(page(), async (page) => {
        await page.up();
        let goOn;
        const isHeld = new Promise((resolve) => (goOn = resolve));
        await page.route(({ pathname }) => pathname.startsWith("/chatbot-iframe/"), (route) => isHeld.then(() => route.continue()));
        const ground = () => page.window.evaluate((e) => getComputedStyle(e).backgroundColor);
        await page.evaluate(() => void window.chatbase.open());
        await page.window.waitFor();
        assert.equal(await ground(), color);
        goOn();
        await page.told("opened");
        assert.equal(await ground(), "rgba(0, 0, 0, 0)");
      }, { configs: { [agentId]: configOf(agentId, { chat: { theme } }) } });
    }
  });

  test("a hidden message opens the window only when the agent replies", async () => {
    await site.open(page('chatbase.open({ message: "Hello", hideMessage: true });'), async (page) => {
      assert.deepEqual(await page.told("send"), [{ message: "Hello", hideMessage: true }]);
      assert.equal(await page.evaluate(() => window.chatbase.isOpen()), false);
      await page.say("reveal");
      await page.waitForFunction(() => window.chatbase.isOpen());
    });
  });

  test("options have limits, and the last call wins", async () => {
    await site.open(page(), async (page) => {
      await page.up();
      await page.evaluate(() => window.chatbase.open());
      await page.evaluate(() => {
        const { chatbase } = window;
        chatbase.setInitialMessages(["a".repeat(600), "😀".repeat(300)]);
        chatbase.setOptions({ initialMessages: ["a".repeat(1001)], footer: "Ours", placement: 1, displayName: "x".repeat(101) });
        chatbase.setOptions({ placement: 2, notice: "Mind this", bubbleText: "Help?" });
      });
      const [[messages], options] = [await page.told("setInitialMessages"), await page.told("setOptions", (all) => all.length === 3)];
      assert.deepEqual(messages.map((text) => text.length), [600, 400]);
      assert.deepEqual(options.slice(1), [{ footer: "Ours" }, { dismissableNotice: "Mind this", bubbleText: "Help?" }]);
      assert.match(await page.button.textContent(), /Help\?/);
      assert.equal(await page.button.getAttribute("aria-label"), "Help? – Shop help");
      assert.equal(page.said.filter((line) => line.includes("no option placement")).length, 1);
      assert.equal(page.said.filter((line) => /option (initialMessages|displayName) is too long/.test(line)).length, 2);
      await page.evaluate(() => window.chatbase.resetOptions());
      await page.told("resetOptions");
      assert.equal(await page.button.textContent(), "");
    }, { expected: /no option placement|is too long/ });
  });

  test("events reach listeners and the window, with what older pages read", async () => {
    const calls = `
      window.heard = [];
      const types = ["user-message", "assistant-message", "tool-call", "tool-result", "open", "close", "unread", "handover", "error"];
      for (const type of types) {
        chatbase.addEventListener(type, () => { throw new Error("mine"); });
        chatbase.addEventListener(type, (e) => heard.push(e));
        addEventListener("chatbase:" + type, (e) => heard.push(e.detail.type));
      }
      window.never = () => heard.push("never");
      chatbase.addEventListener("unread", never);
      chatbase.removeEventListener("unread", never);`;
    await site.open(page(calls), async (page) => {
      await page.button.click();
      await page.say("user-message", { content: "Hello" });
      await page.say("tool-call", { id: "c1", name: "find", type: "tool-call", args: { a: 1 } });
      await page.say("tool-result", { toolCallId: "c1", name: "find", type: "tool-result", result: { b: 2 } });
      await page.say("unread", { count: 0 });
      await page.say("error", { code: "expired", message: "The token is too old." });
      await page.waitForFunction(() => window.heard.length === 12);
      const heard = await page.evaluate(() => window.heard);
      assert.deepEqual(heard.filter((e) => typeof e === "string"), ["open", "user-message", "tool-call", "tool-result", "unread", "error"]);
      assert.deepEqual(heard[2], { type: "user-message", data: { content: "Hello" }, content: "Hello" });
      assert.equal(heard[4].toolCallId, "c1");
      assert.equal(heard[4].data.toolCallId, "c1");
      assert.deepEqual(heard[6].data.result, { b: 2 });
    }, { expected: /mine/ });
  });

  test("its elements can be moved, hidden, clicked and watched", async () => {
    const body = `<style>#chatbase-bubble-button{bottom:150px!important} #chatbase-bubble-button::after{content:"Help?"}
      button{padding:99px;background:lime;text-transform:uppercase}</style>${page()}`;
    await site.open(body, async (page) => {
      await page.up();
      const box = await page.button.boundingBox();
      assert.equal(Math.round(box.y + box.height), 800 - 150);
      assert.equal(box.height, 55);
      const looks = await page.button.evaluate((e) => [getComputedStyle(e).backgroundColor, e.type, e.getAttribute("aria-haspopup")]);
      assert.deepEqual(looks, ["rgb(26, 86, 219)", "button", "dialog"]);
      assert.equal(await page.button.getAttribute("aria-controls"), "chatbase-bubble-window");
      await page.evaluate(() => {
        window.seen = [];
        const button = document.getElementById("chatbase-bubble-button");
        const note = () => window.seen.push(button.getAttribute("aria-expanded"));
        new MutationObserver(note).observe(button, { attributeFilter: ["aria-expanded"] });
        button.click();
      });
      await page.waitForFunction(() => window.seen.includes("true"));
      const frames = await page.evaluate(() => document.querySelector('iframe[id^="chatbase-bubble-window"]').style.display);
      assert.equal(frames, "block");
    });
  });

  test("what the page removes comes back, and loading twice is harmless", async () => {
    await site.open(page(), async (page) => {
      await page.button.click();
      await page.chat();
      await page.evaluate(() => {
        for (const element of document.querySelectorAll("[id^=chatbase]")) element.remove();
        window.chatbase.open({ message: "Still there" });
      });
      assert.deepEqual(await page.told("send"), [{ message: "Still there", hideMessage: false }]);
      assert.equal(await page.button.count(), 1);
      // A component that is mounted again: it has removed everything, and inserts the script once more.
      const again = (base) => {
        for (const element of document.querySelectorAll("[id^=chatbase]")) element.remove();
        delete window.chatbase;
        window.chatbase = (...args) => (window.chatbase.q = window.chatbase.q || []).push(args);
        window.chatbase("open", { message: "Mounted" });
        const script = Object.assign(document.createElement("script"), { src: `${base}/embed.min.js`, id: "AbCdEfGhIjKlMnOpQrStU" });
        document.body.append(script, Object.assign(script.cloneNode(), { src: script.src }));
      };
      await page.evaluate(again, site.base);
      await page.told("send", ([first]) => first?.message === "Mounted");
      assert.equal(await page.button.count(), 1);
      assert.equal(site.stub.seen.filter((path) => path.startsWith("/__cb/boot/")).length, 1);
    });
  });

  test("two agents have two buttons, one above the other", async () => {
    const body = `${page()}<script src="${site.base}/embed.min.js" chatbotId="${otherId}" defer></script>`;
    const configs = { [otherId]: configOf(otherId, { name: "Sales", chat: { buttonColor: "#ffffff" } }) };
    await site.open(body, async (page) => {
      await until(async () => (await page.locator("[id^=chatbase-bubble-button]").count()) === 2);
      const boxes = await Promise.all(["Shop help", "Sales"].map((name) => page.getByRole("button", { name }).boundingBox()));
      assert.equal(Math.abs(boxes[0].y - boxes[1].y), 71);
      await page.getByRole("button", { name: "Sales" }).click();
      const chat = await page.chat();
      assert.ok(chat.url().includes(otherId));
    }, { configs });
  });

  test("is taken down while it is on its way, and stays away", async () => {
    await site.open(page(), async (page) => {
      await page.up();
      let release;
      const held = new Promise((done) => (release = done));
      const isModule = /\/__cb\/window-/;
      await page.route(isModule, (route) => held.then(() => route.continue()));
      const [asked] = await Promise.all([page.waitForRequest(isModule), page.evaluate(() => void window.chatbase.open())]);
      await page.evaluate(() => window.chatbase.destroy());
      release();
      await (await asked.response()).finished();
      await page.evaluate(() => new Promise((done) => setTimeout(done, 100))); // the module runs
      const left = () => [document.querySelectorAll("[id^=chatbase]").length, typeof window.chatbase];
      assert.deepEqual(await page.evaluate(left), [0, "undefined"]);
    });
  });

  test("is taken down in whole", async () => {
    await site.open(page(), async (page) => {
      await page.button.click();
      await page.chat();
      await page.evaluate(() => window.chatbase.destroy());
      const count = () => [document.querySelectorAll("[id^=chatbase]").length, document.adoptedStyleSheets.length, typeof window.chatbase];
      assert.deepEqual(await page.evaluate(count), [0, 0, "undefined"]);
      await page.evaluate((base) => {
        document.body.append(Object.assign(document.createElement("script"), { src: `${base}/embed.min.js`, id: "AbCdEfGhIjKlMnOpQrStU" }));
      }, site.base);
      await page.button.click();
      await page.chat();
    });
  });
});
