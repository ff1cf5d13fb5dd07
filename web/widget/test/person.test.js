// What is shown around a person who answers, and the wish for one.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import { look, openKit, startKit } from "./kit.js";

describe("people", { skip }, () => {
  let kit, browser, page;
  before(async () => {
    [kit, browser] = await Promise.all([startKit(), launch()]);
    page = await openKit(browser, kit);
  });
  after(async () => {
    await browser?.close();
    kit?.stop();
  });
  const text = () => page.locator("#root").innerText();

  test("each change of who answers has its line, with a name where there is one", async () => {
    const lines = [
      ["joined", "Kim", "You are now talking to Kim"],
      ["joined", null, "You are now talking to a person"],
      ["left", "Kim", "Kim has handed the conversation back to the assistant"],
      ["left", null, "You are talking to the assistant again"],
      ["ended", "Kim", "Kim has ended the conversation"],
      ["ended", null, "This conversation has ended"],
    ];
    for (const [change, name, line] of lines) {
      await page.evaluate(([change, name]) => kit.person(change, { name, picture: null }), [change, name]);
      assert.equal(await text(), line);
    }
  });

  test("a name is text, whatever is in it", async () => {
    await page.evaluate(() => kit.person("joined", { name: "<b>x</b>", picture: null }));
    assert.equal(await text(), "You are now talking to <b>x</b>");
  });

  test("that somebody types is shown until it is over", async () => {
    const shown = await page.evaluate(() => {
      kit.typing({ name: "Kim", picture: null }, Date.now() + 400);
      return document.getElementById("root").innerText;
    });
    assert.match(shown, /Kim is typing/);
    await page.waitForFunction(() => !document.getElementById("root").innerText.includes("typing"));
    await page.evaluate(() => kit.typing({ name: "Kim", picture: null }, Date.now() - 1));
    await page.waitForFunction(() => !document.getElementById("root").innerText.includes("typing"));
  });

  test("that the customer types is told once in three seconds", async () => {
    const sent = await page.evaluate(() => {
      let [count, now] = [0, 0];
      const type = kit.limitTyping(
        () => count++,
        () => now,
      );
      for (; now <= 9_000; now += 100) type();
      return count;
    });
    assert.equal(sent, 4);
  });

  test("who asks for a person learns what happens next, with the number of the request", async () => {
    await page.evaluate(
      () => (
        (kit.log.length = 0),
        kit.handover({ status: "pending", ticketNumber: 1024, isAway: false, canAnswerByEmail: true }, true)
      ),
    );
    await look(page, "handover");
    await page.getByLabel("What is it about?").fill("My order");
    await page.getByRole("button", { name: "Ask for a person" }).click();
    await page.getByText("Your request has the number 1024.").waitFor();
    assert.deepEqual(await page.logged("ask"), [{ reason: "My order" }]);
    assert.equal(await page.getByRole("textbox", { name: "E-mail" }).count(), 0);
    await page.locator(":focus", { hasText: "the number 1024" }).waitFor();
    await page.getByRole("button", { name: "Back to the chat" }).click();
    assert.equal((await page.logged("close")).length, 1);
  });

  test("a program that fills in what people do not see asks for nobody", async () => {
    await page.evaluate(() => {
      kit.show(null);
      kit.log.length = 0;
      kit.handover({ status: "pending", ticketNumber: 1024, isAway: false, canAnswerByEmail: true }, true);
    });
    await page.locator("input[name=website]").evaluate((field) => (field.value = "https://shop.example"));
    await page.getByRole("button", { name: "Ask for a person" }).click();
    await page.getByText("Form submitted successfully").waitFor();
    assert.deepEqual(await page.logged("ask"), []);
  });

  test("an address is asked for only where nobody is there, none is known, and the company can write", async () => {
    const cases = [
      [true, false, true, 1],
      [true, false, false, 0],
      [true, true, true, 0],
      [false, false, true, 0],
    ];
    for (const [isAway, canAnswerByEmail, hasEmail, count] of cases) {
      await page.evaluate(
        ([answer, hasEmail]) => (kit.show(null), (kit.log.length = 0), kit.handover(answer, hasEmail)),
        [{ status: "pending", ticketNumber: null, isAway, canAnswerByEmail }, hasEmail],
      );
      await page.getByRole("button", { name: "Ask for a person" }).click();
      await page.getByRole("button", { name: "Back to the chat" }).waitFor();
      assert.equal(await page.getByRole("textbox", { name: "E-mail" }).count(), count, `${isAway} ${canAnswerByEmail} ${hasEmail}`);
      if (count === 0) continue;
      await look(page, "handover-away");
      await page.getByRole("textbox", { name: "E-mail" }).fill("no address");
      await page.getByRole("button", { name: "Answer me by e-mail" }).click();
      assert.match(await text(), /name@example.com/);
      await page.getByRole("textbox", { name: "E-mail" }).fill("anna@example.com");
      await page.getByRole("button", { name: "Answer me by e-mail" }).click();
      await page.getByText("We will answer by e-mail.").waitFor();
      assert.deepEqual((await page.logged("ask"))[1], { email: "anna@example.com" });
    }
    assert.deepEqual(page.problems, []);
  });
});
