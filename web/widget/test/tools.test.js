// Tools that run in the page, and forms that it describes: who is called, with what, and what comes of it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import { openKit, startKit } from "./kit.js";

describe("tools of the page", { skip }, () => {
  let kit, browser, page;
  before(async () => {
    [kit, browser] = await Promise.all([startKit(), launch()]);
    page = await openKit(browser, kit);
    await page.evaluate(() => {
      /** Makes tools whose page answers with what `answer` returns for a call; undefined for no answer. */
      window.newTools = (answer, timeLimit = 200) => {
        const said = [];
        const post = (type, data) => {
          said.push([type, data]);
          const reply = answer(data);
          const kind = type === "tool-run" ? "tool-result" : "form-schema";
          if (reply !== undefined) setTimeout(() => tools.receive(kind, { id: data.id, ...reply }), 5);
        };
        const tools = new kit.PageTools({ post, complain: (message) => said.push(["complaint", message]), timeLimit });
        tools.registerTools({ names: ["look_up"] });
        tools.registerForms({ names: ["contact"] });
        return Object.assign(tools, { said });
      };
      window.user = kit.pageUser(null, "v1");
      window.askFor = (name) => ({ toolCallId: "c1", name, args: { q: 1 } });
    });
  });
  after(async () => {
    await browser?.close();
    kit?.stop();
  });

  const run = (result) => page.evaluate((result) => newTools(() => ({ result })).run(askFor("look_up"), user), result);

  test("the page is told the name, the arguments and who asks", async () => {
    const said = await page.evaluate(async () => {
      const tools = newTools(() => ({ result: 1 }));
      const identity = { user_id: "u1", user_hash: "h", user_metadata: { plan: "pro" }, token: "secret", email: "a@b.c" };
      await tools.run(askFor("look_up"), kit.pageUser(identity, "v1"));
      return tools.said;
    });
    const user = { user_id: "u1", user_hash: "h", user_metadata: { plan: "pro" }, anon_user_id: "v1", chatbase_anon_id: "v1" };
    assert.deepEqual(said, [["tool-run", { id: "tool-run-1", name: "look_up", args: { q: 1 }, user }]]);
  });

  test("results of all forms that pages use arrive", async () => {
    assert.deepEqual(await run({ status: "success", data: { a: [1, null] } }), { status: "success", data: { a: [1, null] } });
    assert.deepEqual(await run({ status: "success" }), { status: "success" });
    assert.deepEqual(await run({ status: "error", error: "no" }), { status: "error", error: "no" });
    assert.deepEqual(await run({ status: "error", message: "old" }), { status: "error", error: "old" });
    assert.deepEqual(await run("just text"), { status: "success", data: "just text" });
    assert.deepEqual(await run(null), { status: "success", data: null });
  });

  test("a tool that is missing, silent, too large or broken is an error, never a stop", async () => {
    const results = await page.evaluate(async () => {
      const circle = {};
      circle.self = circle;
      const tools = newTools(() => undefined);
      const missing = await newTools(() => undefined, 86_400_000).run(askFor("other"), user); // nobody waits a day for it
      return {
        missing,
        silent: await tools.run(askFor("look_up"), user),
        large: kit.limitOutput({ status: "success", data: "é".repeat(10_001) }),
        fits: kit.limitOutput("x".repeat(19_000)).status,
        circle: kit.limitOutput(circle),
        big: kit.limitOutput(10n),
        late: tools.receive("tool-result", { id: "tool-run-1", result: 1 }) ?? "dropped",
        strange: [null, 1, { id: 5 }, { id: "no" }].map((data) => tools.receive("tool-result", data) ?? "dropped"),
      };
    });
    assert.deepEqual(results.missing, { status: "error", error: "the page has no tool other" });
    assert.match(results.silent.error, /did not answer in 0.2 seconds/);
    assert.match(results.large.error, /larger than 20 kB/);
    assert.equal(results.fits, "success");
    assert.match(results.circle.error, /not JSON/);
    assert.match(results.big.error, /not JSON/);
    assert.deepEqual([results.late, ...results.strange], Array(5).fill("dropped"));
  });

  test("names that are told later replace all earlier ones", async () => {
    const has = await page.evaluate(() => {
      const tools = newTools(() => undefined);
      tools.registerTools({ names: ["b", 5, null] });
      tools.registerForms("nothing");
      return [tools.hasTool("look_up"), tools.hasTool("b"), tools.hasForm("contact")];
    });
    assert.deepEqual(has, [false, true, false]);
  });

  test("two calls at a time get each their own result", async () => {
    const results = await page.evaluate(() => {
      const tools = newTools(({ args }) => ({ result: args.q }));
      return Promise.all([1, 2, 3].map((q) => tools.run({ ...askFor("look_up"), args: { q } }, user)));
    });
    assert.deepEqual(
      results.map((r) => r.data),
      [1, 2, 3],
    );
  });

  test("a form is described by the page, and what is wrong with it is said to its developer", async () => {
    const said = await page.evaluate(async () => {
      const good = newTools(() => ({
        schema: { fields: [{ name: "f", type: "text", label: "L", validation: { pattern: { value: "(a)\\1" } } }] },
      }));
      const schema = await good.describeForm(askFor("contact"), user);
      const tries = [() => ({ schema: { fields: [] } }), () => ({ error: "thrown" }), () => ({}), () => undefined];
      const failures = [];
      for (const answer of tries) {
        const tools = newTools(answer);
        await tools.describeForm(askFor("contact"), user).catch((error) => failures.push([error.message, tools.said.at(-1)]));
      }
      await good.describeForm(askFor("other"), user).catch((error) => failures.push(error.message));
      return { fields: schema.fields.length, complaint: good.said.at(-1), failures };
    });
    assert.equal(said.fields, 1);
    assert.match(said.complaint[1], /^form contact: fields\[0\].validation.pattern.value is left out: it refers to a group/);
    assert.match(said.failures[0][1][1], /^form contact: fields must be an array with at least one field/);
    assert.match(said.failures[1][1][1], /^form contact: thrown/);
    assert.match(said.failures[2][1][1], /^form contact: schema must be an object/);
    assert.match(said.failures[3][1][1], /^form contact: the page did not answer/);
    assert.match(said.failures[4], /the page has no form other/);
  });
});
