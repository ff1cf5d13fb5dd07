// Files of a message: chosen, dropped, sent, taken back, and shown.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import { look, openKit, startKit } from "./kit.js";

describe("files", { skip }, () => {
  let kit, browser, page;
  before(async () => {
    [kit, browser] = await Promise.all([startKit(), launch()]);
    page = await openKit(browser, kit);
    kit.handle = (asked, reply) => {
      if (!asked.url.startsWith("/api/chat/agent/files/")) return false;
      reply
        .writeHead(200, { "Content-Type": "image/png" })
        .end(
          Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
        );
      return true;
    };
  });
  after(async () => {
    await browser?.close();
    kit?.stop();
  });
  const begin = () =>
    page.evaluate(() => {
      kit.show(null);
      kit.sent.length = kit.log.length = 0;
      window.uploads = kit.files();
    });
  const choose = (...names) =>
    page
      .locator("input[type=file]")
      .setInputFiles(names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })));

  test("files are sent with progress, and are part of the message once they have arrived", async () => {
    await begin();
    await choose("a.txt", "b.txt");
    await page.evaluate(() => kit.sent[0].progress(0.25));
    assert.equal(await page.getByRole("progressbar", { name: "Sending a.txt" }).getAttribute("value"), "0.25");
    assert.equal(await page.evaluate(() => uploads.isBusy.value), true);
    await look(page, "files-sending");
    await page.evaluate(() => kit.sent.forEach((one) => one.done()));
    await page.waitForFunction(() => !uploads.isBusy.value);
    assert.deepEqual(await page.evaluate(() => uploads.take().map((f) => f.name)), ["a.txt", "b.txt"]);
    assert.equal(await page.locator("li").count(), 0);
  });

  test("one that fails can be sent again, one on its way can be stopped", async () => {
    await begin();
    await choose("a.txt", "b.txt");
    await page.evaluate(() => kit.sent[0].fail());
    await page.getByRole("button", { name: "Send a.txt again" }).click();
    await page.waitForFunction(() => kit.sent.length === 3);
    await page.evaluate(() => kit.sent[2].done());
    await page.getByRole("button", { name: "Stop sending b.txt" }).click();
    assert.equal(await page.evaluate(() => kit.sent[1].isStopped), true);
    await page.getByRole("button", { name: "Remove a.txt" }).click();
    assert.equal(await page.locator("li").count(), 0);
    assert.equal((await page.logged("focus")).length, 2);
  });

  test("at most five files of ten megabytes are taken, and what is not is named", async () => {
    await begin();
    await choose("1", "2", "3", "4", "5", "6");
    assert.deepEqual((await page.logged("refused"))[0], [{ name: "6", reason: "file.tooMany" }]);
    assert.equal(await page.evaluate(() => kit.sent.length), 5);
    await begin();
    await page.evaluate(() =>
      kit.log.push(["refused", uploads.add([new File([new Uint8Array(10 * 1024 * 1024 + 1)], "big"), new File([], "none")])]),
    );
    assert.deepEqual((await page.logged("refused"))[0], [
      { name: "big", reason: "file.tooLarge" },
      { name: "none", reason: "file.empty" },
    ]);
  });

  test("dropped files are taken, dropped text is left alone", async () => {
    await begin();
    const prevented = await page.evaluate(() => {
      const drop = (fill) => {
        const dataTransfer = new DataTransfer();
        fill(dataTransfer);
        const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
        document.querySelector("#root button").dispatchEvent(event);
        return event.defaultPrevented;
      };
      return [drop((d) => d.items.add(new File(["x"], "dropped.txt"))), drop((d) => d.setData("text/plain", "words"))];
    });
    assert.deepEqual(prevented, [true, false]);
    assert.equal(await page.evaluate(() => kit.sent[0].name), "dropped.txt");
  });

  test("pictures of this server are shown, all else is a link or a name, and nothing is fetched from elsewhere", async () => {
    const files = [
      { id: "1", name: "cat.png", type: "image/png", size: 1200, url: "/api/chat/agent/files/1" },
      { id: "2", name: "bill.pdf", type: "application/pdf", size: 2_400_000, url: "/api/chat/agent/files/2" },
      { id: "3", name: "<img src=x>.png", type: "image/png", size: 10, url: "https://elsewhere.example/x.png" },
      { id: "4", name: "other agent.png", type: "image/png", size: 10, url: "/api/chat/another/files/4" },
      { id: "5", name: "script.png", type: "image/png", size: 10, url: "javascript:alert(1)" },
      { id: "6", name: "drawing.svg", type: "image/svg+xml", size: 10, url: "/api/chat/agent/files/6" },
    ];
    await page.evaluate((files) => kit.messageFiles(files), files);
    const image = page.locator("img");
    assert.deepEqual(
      [await image.count(), await image.getAttribute("alt"), await image.getAttribute("width")],
      [1, "Picture: cat.png", "240"],
    );
    const links = await page.locator("a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    assert.deepEqual(links, ["/api/chat/agent/files/1", "/api/chat/agent/files/2", "/api/chat/agent/files/6"]);
    assert.match(await page.locator("#root").innerText(), /<img src=x>\.png/);
    await look(page, "message-files");
    assert.deepEqual(page.problems, []);
  });
});
