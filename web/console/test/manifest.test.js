// An agent as one text: what it would change, what is wrong with it, and that it is applied as it was shown.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runnerImport } from "vite";
import { agents, answers } from "./answers.js";
import { assertSoon, launch, newPage, skip } from "./browser.js";
import { faults, manifest } from "./manifest-answers.js";
import { serveBefore } from "./proxy.js";
import { signUp, startServer } from "./server.js";
import { useSamePages } from "./setup.js";

const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const area = (page) => page.locator("textarea[name=manifest]");

test("values are lines in the way of a manifest", async () => {
  const file = join(import.meta.dirname, "../src/pages/agent-manifest/lines.ts");
  const { writeLines } = (await runnerImport(file, { configFile: false })).module;
  const value = { name: "Help desk", temp: 0.2, on: true, url: "https://a.example", none: null, list: [], text: "a\nb", steps: [{ say: "Hi" }, "x"] };
  assert.deepEqual(writeLines(value).split("\n"), [
    "name: Help desk", "temp: 0.2", "on: true", 'url: "https://a.example"', "none: null", "list: []", "text: |", "  a", "  b",
    "steps:", "  -", "    say: Hi", "  - x",
  ]);
  assert.deepEqual([undefined, null, {}, []].map(writeLines), ["", "", "", ""]);
});

test("secrets are those of the configs of actions, and no others", async () => {
  const file = join(import.meta.dirname, "../src/pages/agent-manifest/names.ts");
  const { findKey, findSecrets } = (await runnerImport(file, { configFile: false })).module;
  const elsewhere = ["settings:", "  instructions: Say ${A}.", "sources:", "  - key: manual", "    content: |", "      actions:", "        - config:", "            url: ${B}"];
  const inBlocks = ["actions:", "  - key: track", "    description: names ${C}", "    config:", "      url: https://a.example/${D}", "      headers:", "        X: ${D}", "    triggers: [${E}]"];
  const atTheEdge = ["actions:", "- config:", "    url: ${F}", "  name: ${G}"];
  const onOneLine = ["actions:", "  - {key: x, config: {url: 'https://a.example/${H}'}}", "  - key: y", "    config: {url: 'https://a.example/${I}'}"];
  const found = [elsewhere, inBlocks, atTheEdge, onOneLine].map((lines) => findSecrets(lines.join("\n")));
  assert.deepEqual(found, [[], ["D"], ["F"], ["H", "I"]]);
  assert.deepEqual(findSecrets([...onOneLine, ...elsewhere, ...inBlocks].join("\n")), ["H", "I", "D"]);
  const keyed = ["sources:", "  - key: a", "actions:", '  - key: "a"', "    name: b", "procedures:", "- key: b"].join("\n");
  assert.deepEqual([["actions", "a"], ["procedures", "b"], ["sources", "a"], ["actions", "b"]].map(([part, key]) => findKey(keyed, part, key)), [4, 7, 2, 0]);
  assert.deepEqual(findSecrets('{"actions": [{"config": {"url": "${J}"}}]}'), ["J"]);
});

describe("the screen of a manifest", { skip }, () => {
  const open = useSamePages();
  const path = `/agents/${agents[0].id}/manifest`;
  const sent = (answer) => answer.state.asked.filter((a) => a.method === "POST" && a.path.endsWith("/manifest")).map(({ body }) => body);

  test("shows what would change, and applies it", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      assert.equal(await area(page).inputValue(), manifest);
      await area(page).fill(manifest.replace("0.2", "0.4"));
      await page.locator('[name="secret.SHOP_API_KEY"]').fill("sk-1");
      await page.keyboard.press("Control+s");
      const dialog = page.getByRole("dialog", { name: "What would change" });
      await dialog.getByText("temp: 0.4").waitFor();
      assert.deepEqual(await dialog.getByRole("heading", { level: 3 }).allTextContents(), ["Changed · Settings", "New · Action · human", "Deleted · Source · opening-hours"]);
      await press(dialog, "Apply");
      await page.getByText("Applied", { exact: true }).waitFor();
      assert.match(await area(page).inputValue(), /temp: 0.4/);
      assert.deepEqual(sent(answer).map(({ dryRun, prune, secrets }) => [dryRun, prune, secrets.SHOP_API_KEY]), [
        [true, false, "sk-1"],
        [true, false, "sk-1"],
        [false, false, "sk-1"],
      ]);
      assert.equal(await page.locator('[name="secret.SHOP_API_KEY"]').inputValue(), "");
    });
  });

  test("what has come to differ meanwhile is shown before it is applied", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await page.getByRole("switch", { name: /^Delete what has a key/ }).press("Space");
      await press(page, "See what would change");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("temp: 0.4").waitFor();
      answer.state.changes = [{ op: "update", part: "settings", before: { temp: 0.3 }, after: { temp: 0.9 } }];
      await press(dialog, "Apply");
      await dialog.getByText("Somebody has changed the agent meanwhile.").waitFor();
      assert.deepEqual(sent(answer).map(({ dryRun, prune }) => [dryRun, prune]), [[true, true], [true, true]]);
      await press(dialog, "Apply");
      await page.getByText("Applied", { exact: true }).waitFor();
    });
  });

  test("each fault has its line, which leads to it", async () => {
    await open(answers({ state: { manifestFaults: faults } }), path, async (page) => {
      await press(page, "See what would change");
      const alert = page.getByRole("alert");
      await alert.getByText("settings.temp").waitFor();
      assert.equal(await alert.getByRole("listitem").count(), 3);
      await alert.getByText("Choose a number from 0 to 1.").waitFor();
      await press(alert, "Line 6:");
      const chosen = await area(page).evaluate((one) => one.value.slice(one.selectionStart, one.selectionEnd));
      assert.equal(chosen, "  temp: 0.2");
    });
  });

  test("each line has its number, and a source that is about secrets asks for none", async () => {
    const answer = answers({ state: { manifest: manifest.replace("The shop is", "Write ${NAME} where the key is.\n      The shop is") } });
    await open(answer, path, async (page) => {
      await page.locator('[name="secret.SHOP_API_KEY"]').waitFor();
      assert.equal(await page.locator('[name^="secret."]').count(), 1);
      const lines = (await area(page).inputValue()).split("\n").length;
      assert.equal(await page.locator("pre").textContent(), Array.from({ length: lines }, (_, i) => i + 1).join("\n"));
      await area(page).fill(Array(200).fill("agent:").join("\n"));
      await area(page).evaluate((one) => one.scrollTo(0, 1000));
      await assertSoon(() => page.locator("pre").evaluate((one) => one.scrollTop), 1000);
      await press(page, "Discard");
    });
  });

  test("an action leads to its lines", async () => {
    await open(answers(), `/agents/${agents[0].id}/actions/edit/track_order`, async (page) => {
      await page.getByRole("link", { name: "As YAML" }).waitFor();
      assert.match(await page.getByRole("link", { name: "As YAML" }).getAttribute("href"), /manifest\?actions=track_order$/);
    });
    await open(answers(), `${path}?actions=track-order`, async (page) => {
      const chosen = () => area(page).evaluate((one) => one.value.slice(one.selectionStart, one.selectionEnd));
      await area(page).waitFor();
      await assertSoon(chosen, "  - key: track-order");
    });
  });

  test("it is saved as a file with the name of the agent", async () => {
    await open(answers(), path, async (page) => {
      await area(page).waitFor();
      const saved = page.waitForEvent("download");
      await press(page, "Download");
      const file = await saved;
      assert.equal(file.suggestedFilename(), "Help-desk.yaml");
      assert.equal(readFileSync(await file.path(), "utf8"), manifest);
    });
  });

  test("a new agent is made of one with the secrets that it names", async () => {
    const answer = answers({ state: { isNew: true } });
    await open(answer, "/agents", async (page) => {
      await page.getByRole("button", { name: "New agent" }).first().click();
      await page.getByRole("menuitem", { name: "From a manifest" }).click();
      const dialog = page.getByRole("dialog", { name: "From a manifest" });
      await dialog.getByRole("textbox").fill(manifest);
      await dialog.getByLabel("Value of SHOP_API_KEY").fill("sk-1");
      await press(dialog, "Create");
      await dialog.waitFor({ state: "detached" });
      assert.deepEqual(sent(answer).map(({ dryRun, secrets }) => [dryRun, secrets]), [true, false].map((one) => [one, { SHOP_API_KEY: "sk-1" }]));
    });
  });

  test("a file takes the place of the text, and leaving asks", async () => {
    await open(answers(), path, async (page) => {
      await area(page).waitFor();
      await page.locator('input[type="file"]').setInputFiles({ name: "agent.yaml", mimeType: "text/yaml", buffer: Buffer.from("agent:\n  key: other\n") });
      await page.waitForFunction(() => document.querySelector("textarea[name=manifest]").value.includes("key: other"));
      await page.getByText("1 change").waitFor();
      await page.getByRole("link", { name: "Agents", exact: true }).click();
      await press(page.getByRole("alertdialog"), "Stay");
      await press(page, "Discard");
      await assertSoon(() => area(page).inputValue(), manifest);
    });
  });
});

describe("a manifest and the server", { skip }, () => {
  let browser, server, front, person, id;
  before(async () => {
    [browser, server] = await Promise.all([launch(), startServer({ env: { PARLEY_SECRET_KEY: "a key of the tests" } })]);
    front = await serveBefore(process.env.PARLEY_CONSOLE_BUILD, server.ready.url);
    person = await signUp(server);
    id = (await person.call("POST", "/v2/agents", { name: "Help" })).id;
  });
  after(async () => {
    await browser?.close();
    front?.stop();
    await server?.stop();
  });

  test("what is wrong is named with its line, and what is right is applied", async () => {
    const page = await newPage(browser, front.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    await page.goto(`${front.url}/agents/${id}/manifest`);
    await area(page).waitFor();
    const whole = await area(page).inputValue();
    const lines = whole.split("\n");
    const line = lines.findIndex((one) => one.startsWith("  temp:"));
    const withTemp = (temp) => lines.with(line, `  temp: ${temp}`).join("\n");
    await area(page).fill(withTemp(7));
    await page.keyboard.press("Control+s");
    await press(page.getByRole("alert"), `Line ${line + 1}:`);
    await area(page).fill(withTemp(0.4));
    await page.keyboard.press("Control+s");
    await press(page.getByRole("dialog"), "Apply");
    await page.getByText("Applied", { exact: true }).waitFor();
    assert.equal((await person.call("GET", `/v2/agents/${id}`)).temp, 0.4);
    await area(page).fill("agent: [");
    await page.keyboard.press("Control+s");
    await page.getByRole("alert").getByText("this is not YAML").waitFor();
    const { versions } = await person.call("GET", `/v1/agents/${id}/history`);
    assert.deepEqual([versions[0].changed, versions[0].by], [["temp"], { kind: "member", name: "Owner" }]);
    assert.deepEqual([await page.reports(), page.problems], [[], []]);
    await page.context().close();
  });

  test("what would become of an agent that is there is shown before, and a new one is made at once", async () => {
    const page = await newPage(browser, front.origin, { locale: "en" });
    await page.context().addCookies([person.cookie]);
    await page.goto(`${front.url}/agents`);
    await page.getByRole("button", { name: "New agent" }).first().click();
    await page.getByRole("menuitem", { name: "From a manifest" }).click();
    const dialog = page.getByRole("dialog", { name: "From a manifest" });
    await dialog.getByRole("textbox").fill(`agent:\n  id: ${id}\nsettings:\n  name: Changed\n`);
    await press(dialog, "Create");
    const changes = page.getByRole("dialog", { name: "What would change" });
    await changes.getByText("The manifest names an agent that you have").waitFor();
    await press(changes, "Cancel");
    await changes.waitFor({ state: "detached" });
    assert.equal((await person.call("GET", `/v2/agents/${id}`)).name, "Help");
    await dialog.getByRole("textbox").fill("agent:\n  key: another\nsettings:\n  name: Another\n");
    await press(dialog, "Create");
    await page.waitForURL(/\/agents\/[\w-]{10,}$/);
    assert.equal((await person.call("GET", `/v2/agents/${page.url().split("/").at(-1)}`)).name, "Another");
    assert.deepEqual([await page.reports(), page.problems], [[], []]);
    await page.context().close();
  });
});
