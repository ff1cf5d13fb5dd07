// The screen of the servers of models: connecting, testing, changing and removing them, by whom and while others do.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers } from "./answers.js";
import { assertSoon, skip } from "./browser.js";
import { EventLog } from "./event-log.js";
import { modelServers } from "./model-answers.js";
import { useSamePages } from "./setup.js";

const path = "/workspace/models";
const [, main, failing] = modelServers;
const key = "sk-of-the-tests-1234567890";

describe("servers of models", { skip }, () => {
  const open = useSamePages();
  const row = (page, name) => page.getByRole("main").getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
  const sent = (answer, method) => answer.state.asked.filter((one) => one.method === method && one.path.includes("/model-servers"));

  async function confirm(page) {
    const dialog = page.getByRole("dialog", { name: "Please confirm that it is you" });
    await dialog.getByLabel("Password").fill("correct horse battery");
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.waitFor({ state: "detached" });
  }

  test("the list says how each does, what it costs, and what is locked", async () => {
    await open(answers(), path, async (page) => {
      const good = await row(page, "Main model").textContent();
      assert.match(good, /Works since .*gpt-5\.2-chat · https:\/\/models\.example\/v1 · answers for 3 agents/);
      assert.match(good, /auto 1 credit.*gpt-5\.2 2 credits/);
      assert.match(await row(page, "Second opinion").textContent(), /Failing since .*The server does not accept the key\.the provider answered 401/);
      assert.match(await row(page, "Trial").textContent(), /Not asked yet/);
      const locked = row(page, "text-embedding-3-small");
      assert.match(await locked.textContent(), /Set by the operator, and locked here: PARLEY_EMBED_URL/);
      assert.equal(await locked.getByRole("button").or(locked.getByRole("link")).count(), 0);
      await page.getByRole("button", { name: "Connect a server" }).click();
      await assertSoon(() => page.getByRole("menuitem").allTextContents(), ["Answers", "Order of passages"]);
    });
  });

  test("a new server is tested without being stored, and connected once the person has confirmed who they are", async () => {
    const answer = answers({ state: { servers: [] } });
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "Connect a server" }).click();
      await page.getByRole("menuitem", { name: "Answers" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Mine");
      const proposed = () => page.getByLabel("Base URL").evaluate(({ list }) => [...list.options].map(({ value }) => value));
      assert.ok((await proposed()).includes("http://localhost:11434/v1"), "those of the manual are proposed");
      await page.getByLabel("Base URL").fill("https://mine.example/v1");
      await page.getByLabel("API key").fill(key);
      await page.getByLabel("Model", { exact: true }).fill("m-1");
      await page.getByLabel("Tokens that it can take in").fill("64000");
      assert.ok(await page.getByRole("checkbox", { name: "auto 1 credit" }).isChecked());
      await page.getByRole("checkbox", { name: "gpt-5.5 4 credits" }).press("Space");
      await page.getByRole("button", { name: "Test" }).click();
      await page.getByText("It works, and answered within 313 ms.").waitFor();
      assert.equal(answer.state.servers.length, 0);
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      await confirm(page);
      await row(page, "Mine").waitFor();
      const settings = { kind: "chat", name: "Mine", format: "openai", url: "https://mine.example/v1", key, model: "m-1", modelNames: ["auto", "gpt-5.5"], contextTokens: 64000 };
      for (const { body } of sent(answer, "POST")) assert.deepEqual(body, settings);
      assert.equal(sent(answer, "POST").length, 3); // the test, one that is to be confirmed, and one that is
    });
  });

  test("the server is asked for its models, and one of them is taken by a press", async () => {
    const answer = answers({ state: { listing: [200, { models: ["gpt-5.2", "gpt-5.5", ...Array.from({ length: 20 }, (_, i) => `other-${i}`)] }] } });
    await open(answer, `${path}/new/chat`, async (page) => {
      const ask = page.getByRole("button", { name: "Show the models of the server" });
      const proposals = page.getByRole("list", { name: "Models of the server" });
      assert.ok(await ask.isDisabled(), "without an address there is nobody to ask");
      await page.getByLabel("Base URL").fill("https://mine.example/v1");
      await page.getByLabel("API key").fill(key);
      await ask.click();
      await page.getByText("It has 22 models.").waitFor();
      assert.deepEqual(sent(answer, "POST").map(({ path, body }) => [path, body]), [
        ["/v1/accounts/acc_1/model-servers/models", { kind: "chat", url: "https://mine.example/v1", format: "openai", key }],
      ]);
      assert.equal(await proposals.getByRole("button").count(), 12);
      await proposals.getByText("and 10 more").waitFor();
      await page.getByLabel("Model", { exact: true }).fill("GPT");
      await assertSoon(() => proposals.getByRole("button").allTextContents(), ["gpt-5.2", "gpt-5.5"]);
      await proposals.getByRole("button", { name: "gpt-5.5" }).click();
      assert.equal(await page.getByLabel("Model", { exact: true }).inputValue(), "gpt-5.5");
      assert.equal(await page.getByLabel("Model", { exact: true }).evaluate(({ list }) => list.options.length), 22);
      await page.getByLabel("Base URL").fill("https://other.example/v1");
      await proposals.waitFor({ state: "detached" }); // they were another server's
    });
  });

  test("why an address cannot be asked for its models is said in words", async () => {
    const details = { url: "must be an http or https address without user name, password, query and fragment" };
    const listing = [400, { error: { code: "VALIDATION_INVALID_BODY", message: "", details } }];
    await open(answers({ state: { listing } }), `${path}/${main.modelServerId}`, async (page) => {
      await page.getByRole("button", { name: "Show the models of the server" }).click();
      await page.getByRole("alert").getByText("Write an address that begins with http:// or https://").waitFor();
    });
  });

  test("why there are no models to show is said in words, and the key that is asked with is the stored one", async () => {
    const answer = answers({ state: { listing: [200, { models: [], error: "the provider answered 401: no" }] } });
    await open(answer, `${path}/${main.modelServerId}`, async (page) => {
      await page.getByRole("button", { name: "Show the models of the server" }).click();
      await page.getByText("It did not list its models. Its model can still be typed.").waitFor();
      await page.getByText("The server does not accept the key.").waitFor();
      const { modelServerId, key } = sent(answer, "POST")[0].body;
      assert.deepEqual([modelServerId, key], [main.modelServerId, undefined]);
    });
  });

  test("an answer has its cost in money where the plan has a price", async () => {
    await open(answers({ state: { creditPrice: { amount: 0.02, currency: "EUR" } } }), path, async (page) => {
      await row(page, "Main model").getByText("2 credits · €0.04").waitFor();
      await page.getByRole("link", { name: "Main model" }).click();
      await page.getByRole("checkbox", { name: "gpt-5.5 4 credits · €0.08" }).waitFor();
    });
  });

  test("what the server refuses is said at its field, and what is typed is not lost", async () => {
    const answer = answers();
    const fail = { url: "must be an http or https address without user name, password, query and fragment" };
    const refusing = (asked) =>
      asked.path.endsWith("/test") ? [400, { error: { code: "VALIDATION_INVALID_BODY", message: "", details: fail } }] : answer(asked);
    await open(Object.assign(refusing, answer), `${path}/new/reranking`, async (page) => {
      assert.equal(await page.getByRole("group", { name: "Answers for these models" }).count(), 0);
      await page.getByLabel("Base URL").fill("mine");
      await page.getByRole("button", { name: "Test" }).click();
      await page.getByText("Write an address that begins with http:// or https://").waitFor();
      await page.getByRole("link", { name: "Agents", exact: true }).click();
      await page.getByRole("alertdialog", { name: "Changes are not saved" }).getByRole("button", { name: "Stay" }).click();
      assert.equal(await page.getByLabel("Base URL").inputValue(), "mine");
      await page.getByRole("link", { name: "Discard" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
      await row(page, "Main model").waitFor();
    });
  });

  test("only what was changed is sent, the key alone where one is given or deleted", async () => {
    const answer = answers({ state: { isSteppedUp: true } });
    await open(answer, `${path}/${main.modelServerId}`, async (page) => {
      const save = async (at) => {
        await page.keyboard.press("Control+s");
        await page.getByText("Saved", { exact: true }).waitFor();
        return sent(answer, "PATCH")[at].body;
      };
      await assertSoon(() => page.getByLabel("API key").inputValue(), "");
      assert.equal(await page.getByLabel("API key").getAttribute("type"), "password");
      await page.getByText(/^Set on Nov 18, 2026, .* by Kim Marlow\. A key is stored\./).waitFor();
      await page.getByLabel("Name", { exact: true }).fill("First model");
      assert.deepEqual(await save(0), { name: "First model", baseUpdatedAt: main.updatedAt });
      await page.getByRole("heading", { level: 1, name: "First model" }).waitFor();
      await page.getByLabel("API key").fill(key);
      await page.getByRole("checkbox", { name: "gpt-5.2 2 credits" }).press("Space");
      await page.getByText("2 changes").waitFor();
      assert.deepEqual(await save(1), { key, modelNames: ["auto"], baseUpdatedAt: "2026-11-22T12:00:00.000Z" });
      await assertSoon(() => page.getByLabel("API key").inputValue(), "");
      await page.getByRole("checkbox", { name: "Delete the stored key" }).press("Space");
      await assertSoon(() => page.getByLabel("API key").isDisabled(), true);
      assert.equal((await save(2)).key, "");
      await page.getByText("If the server wants one.").waitFor();
      assert.ok(!answer.state.servers[1].hasKey);
    });
  });

  test("what is not saved is tested with the stored key, and what is stored as it is", async () => {
    const answer = answers({ state: { outcome: { works: false, error: "no connection to the host", millis: 5 } } });
    await open(answer, `${path}/${main.modelServerId}`, async (page) => {
      await page.getByLabel("Model", { exact: true }).fill("gpt-5.5");
      await page.getByRole("button", { name: "Test what is not saved yet" }).click();
      await page.getByText("There is no connection to the server.").waitFor();
      const { modelServerId, model, kind } = sent(answer, "POST")[0].body;
      assert.deepEqual([modelServerId, model, kind], [main.modelServerId, "gpt-5.5", "chat"]);
      await page.getByText(/^Works since/).waitFor();
      await page.getByRole("button", { name: "Discard" }).click();
      await page.getByRole("button", { name: "Test", exact: true }).click();
      await page.getByText(/^Failing since/).waitFor();
      assert.equal(sent(answer, "POST")[1].path, `/v1/accounts/acc_1/model-servers/${main.modelServerId}/test`);
    });
  });

  test("two editors: what differs is asked, the rest of both stays", async () => {
    const answer = answers({ state: { isSteppedUp: true } });
    await open(answer, `${path}/${main.modelServerId}`, async (page) => {
      await page.getByLabel("Model", { exact: true }).fill("mine");
      await page.getByLabel("Name", { exact: true }).fill("My name");
      Object.assign(answer.state.servers[1], { model: "theirs", url: "https://theirs.example/v1", updatedAt: "2026-11-22T11:00:00.000Z" });
      await page.keyboard.press("Control+s");
      const dialog = page.getByRole("alertdialog", { name: "Someone else has saved changes" });
      await dialog.getByRole("row", { name: "Model mine theirs" }).waitFor();
      assert.equal(await dialog.getByRole("row").count(), 2);
      await dialog.getByRole("button", { name: "Save mine" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      const { name, model, url } = answer.state.servers[1];
      assert.deepEqual([name, model, url], ["My name", "mine", "https://theirs.example/v1"]);
      assert.equal(await page.getByLabel("Base URL").inputValue(), "https://theirs.example/v1");
    });
  });

  test("removing says for how many agents it answers; one that has come into use meanwhile is asked again", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      const remove = async (name) => {
        await page.getByRole("button", { name: `More: ${name}` }).click();
        await page.getByRole("menuitem", { name: "Remove" }).click();
        return page.getByRole("alertdialog", { name: `Remove: ${name}` });
      };
      const first = await remove("Main model");
      await first.getByText("It answers for 3 agents now.").waitFor();
      await first.getByRole("button", { name: "Remove" }).click();
      await row(page, "Main model").waitFor({ state: "detached" });
      const second = await remove("Trial");
      assert.equal(await second.getByText(/answers for/).count(), 0);
      answer.state.servers.at(-1).agents = 1;
      await second.getByRole("button", { name: "Remove" }).click();
      await second.getByText(/It answers for 1 agent now|By now it answers for agents/).waitFor();
      await second.getByRole("button", { name: "Remove" }).click();
      await row(page, "Trial").waitFor({ state: "detached" });
    });
  });

  test("what others do and what becomes of a server is on the screen by itself, and leaves what is typed", async () => {
    const [events, answer] = [new EventLog(), answers()];
    await open(events.with(answer), `${path}/${failing.modelServerId}`, async (page) => {
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
      await page.getByLabel("Model", { exact: true }).fill("typed");
      Object.assign(answer.state.servers[2], { failingSince: null, checkedAt: "2026-11-22T11:00:00.000Z" });
      events.send("modelServer", { id: failing.modelServerId, change: "state" });
      await page.getByText(/^Works since/).waitFor();
      assert.equal(await page.getByLabel("Model", { exact: true }).inputValue(), "typed");
      answer.state.servers.splice(2, 1);
      events.send("modelServer", { id: failing.modelServerId, change: "removed" });
      await page.getByText("There is no such model server").waitFor();
    });
  });
});
