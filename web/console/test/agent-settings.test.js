// The settings of an agent: every field that REST v2 and manifests can change has a control, what is changed there is
// read back over both, and what they change is seen there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runnerImport } from "vite";
import { agents, answers } from "./answers.js";
import { assertSoon, launch, newPage, skip } from "./browser.js";
import { serveBefore } from "./proxy.js";
import { signUp, startServer } from "./server.js";
import { useSamePages } from "./setup.js";

const root = join(import.meta.dirname, "../../..");
const { schemas } = JSON.parse(readFileSync(join(root, "internal/api/v2/openapi.json"), "utf8")).components;
const texts = JSON.parse(readFileSync(join(import.meta.dirname, "../src/locales/en.json"), "utf8"));
const { labels, channels, transcribers, voices, shape, sectionOf, sections } = (
  await runnerImport(join(import.meta.dirname, "../src/pages/agent-settings/fields.ts"), { configFile: false })
).module;

const resolve = (schema) => {
  const one = schema.oneOf?.find(({ type }) => type !== "null") ?? schema;
  return one.$ref ? resolve(schemas[one.$ref.split("/").at(-1)]) : one;
};

/** The paths of all values that a schema has. A list is one value, and so is what has several forms. */
function pathsOf(schema, path = "") {
  const { properties } = resolve(schema);
  if (!properties) return [path];
  return Object.entries(properties).flatMap(([name, one]) => pathsOf(one, path ? `${path}.${name}` : name));
}

// The control of a setting: where it is, what is put in, what that is in the settings, and how another value is seen.
const field = (page, name) => page.locator(`[name="settings.${name}"]`);
const plain = (at, mine, theirs, write = String) => ({
  at,
  mine,
  theirs,
  fill: (page, name) => field(page, name).fill(write(mine)),
  read: async (page, name) => assert.equal(await field(page, name).inputValue(), write(theirs), name),
});
const lines = (at, mine, theirs) => plain(at, mine, theirs, (list) => list.join("\n"));
const flag = (at) => ({
  at,
  mine: true,
  theirs: false,
  fill: async (page, name) => {
    const control = page.getByRole("switch", { name: texts[labels[name]], exact: true });
    if (!(await control.isChecked())) await control.press("Space");
  },
  read: async (page, name) => {
    const control = page.getByRole("switch", { name: texts[labels[name]], exact: true });
    assert.equal(await control.isChecked(), false, name);
  },
});
const choice = (at, mine, theirs, show = (id) => id) => ({
  at,
  mine,
  theirs,
  fill: async (page, name) => {
    await page.getByRole("button", { name: texts[labels[name]] }).click();
    await page.getByRole("option", { name: show(mine) }).first().click();
  },
  read: (page, name) => page.getByRole("button", { name: texts[labels[name]] }).filter({ hasText: show(theirs) }).waitFor(),
});
const model = (id) => new RegExp(`^${id}\\b`);
const looksField = (control) => ({
  ...control,
  fill: (page, name) => page.locator(`[name="${name}"]`).fill(control.text),
  read: async (page, name) => assert.equal(await page.locator(`[name="${name}"]`).inputValue(), control.shown),
});

const [general, limits, notifications, voice, privacy, search] = ["general", "limits", "notifications", "voice", "privacy", "search"].map((name) =>
  name === "general" ? "settings" : `settings/${name}`,
);
const texts500 = "Ünï 🙂 العربية";
const controls = {
  name: plain(general, "Shop help", "Their help"),
  instructions: plain(general, `Be kind.\n${texts500}`, "Be brief."),
  model: choice(general, "gpt-5-mini", "auto", model),
  temp: plain(general, 0.35, 0.8),
  visibility: choice(general, "public", "private", (id) => texts[`agent.${id}`]),
  ...Object.fromEntries(channels.map((name) => [`channelInstructions.${name}`, plain("settings/channels", `In ${name}.`, `Theirs in ${name}.`)])),
  creditLimit: plain(limits, 5000, 12),
  "notificationsSettings.dailyConversations.active": flag(notifications),
  "notificationsSettings.dailyConversations.emails": lines(notifications, ["a@shop.example", "b@shop.example"], ["c@shop.example"]),
  "notificationsSettings.dailyLeadsCollected.active": flag(notifications),
  "notificationsSettings.dailyLeadsCollected.emails": lines(notifications, ["d@shop.example"], ["e@shop.example", "f@shop.example"]),
  "voiceSettings.voice.voiceName": plain(voice, "Nova", "Sarah"),
  "voiceSettings.voice.speed": plain(voice, 1.1, 0.9),
  "voiceSettings.voice.stability": plain(voice, 0.25, 0.75),
  "voiceSettings.voice.similarity": plain(voice, 0.5, 1),
  "voiceSettings.voice.instructions": plain(voice, "Warm.", "Cool."),
  "voiceSettings.initialMessage": plain(voice, "Hello there", "Good day"),
  "voiceSettings.errorMessage": plain(voice, "Sorry.", "Once more, please."),
  "voiceSettings.model": choice(voice, "gpt-5-mini", "auto", model),
  "voiceSettings.temperature": plain(voice, 0.4, 0.6),
  "voiceSettings.transcriber.model": choice(voice, "soniox/stt-rt-v5", "deepgram/nova-2"),
  "voiceSettings.transcriber.language": plain(voice, "pt-BR", "de"),
  "voiceSettings.transcriber.minSilenceDuration": plain(voice, 0.7, 1.5),
  "voiceSettings.transcriber.activationThreshold": plain(voice, 0.6, 0.3),
  "voiceSettings.allowInterruptions": flag(voice),
  "voiceSettings.allowTextInput": flag(voice),
  "voiceSettings.endConversationAfterSilenceSeconds": plain(voice, 30, 60),
  "voiceSettings.maxCallDurationSeconds": plain(voice, 600, 900),
  "voiceSettings.maxConcurrentSessions": plain(voice, 4, 2),
  "voiceSettings.maxDailyCallsPerUser": plain(voice, 5, 6),
  "voiceSettings.recordings.enabled": flag(voice),
  "voiceSettings.recordings.retentionDays": plain(voice, 30, 7),
  "voice.limits.perHour": plain(voice, 20, 10),
  "voice.limits.perDay": plain(voice, 100, 50),
  redactConversations: flag(privacy),
  retentionDays: plain(privacy, 365, 30),
  fileRetentionDays: plain(privacy, 90, 14),
  visitorRetentionDays: plain(privacy, 60, 7),
  synonyms: plain(search, [["PTO", "paid time off"], ["invoice", "bill"]], [["sofa", "couch"]], (groups) => groups.map((group) => group.join(", ")).join("\n")),
  topics: {
    at: search,
    mine: [{ name: "Delivery", keywords: ["parcel"], topics: [{ name: "Delays", examples: ["Where is it?"] }] }],
    theirs: [{ name: "Returns" }],
    fill: async (page) => {
      await page.getByRole("button", { name: texts["settings.addTopic"] }).click();
      await field(page, "topics.0.name").fill("Delivery");
      await field(page, "topics.0.keywords").fill("parcel");
      await page.getByRole("button", { name: texts["settings.addSubtopic"] }).click();
      await field(page, "topics.0.topics.0.name").fill("Delays");
      await field(page, "topics.0.topics.0.examples").fill("Where is it?");
    },
    read: async (page) => assert.equal(await field(page, "topics.0.name").inputValue(), "Returns"),
  },
  "insight.model": flag(search),
  "insight.againDays": plain(search, 7, 5),
  // These have screens of their own, which are tested there as well.
  allowedDomains: lines("embed", ["shop.example", "help.example"], ["other.example"]),
  "ipRateLimits.limit": plain("embed", 5, 6),
  "ipRateLimits.timeframe": plain("embed", 60, 90),
  "ipRateLimits.message": plain("embed", "Wait a little.", "Slowly."),
  "widget.dailyCredits": plain("embed", 500, 400),
  "widget.dailyCreditsPerVisitor": plain("embed", 20, 30),
  "widget.blockedRanges": lines("embed", ["198.51.100.7/32"], ["203.0.113.0/24"]),
  initialMessages: looksField({ at: "looks?tab=texts", mine: ["Hi", "Ask me."], text: "Hi\n\nAsk me.", theirs: ["Hello"], shown: "Hello" }),
  suggestedMessages: looksField({
    at: "looks?tab=texts",
    mine: [{ type: "single", text: "Opening hours", order: 0 }],
    text: "Opening hours",
    theirs: [{ type: "single", text: "Prices", order: 0 }],
    shown: "Prices",
  }),
};
const elsewhere = {
  styles: "every field of them is on the screen Looks: looks.test.js compares them with REST v2",
  autoRetrain: "is switched on the screen of the sources, by an operation of its own, and has a test of its own here",
};

const at = (settings, path) => path.split(".").reduce((value, name) => value?.[name], settings);
function tree(read) {
  const all = {};
  for (const [path, control] of Object.entries(controls)) {
    const names = path.split(".");
    const last = names.pop();
    names.reduce((one, name) => (one[name] ??= {}), all)[last] = read(control);
  }
  return all;
}

describe("fields of the settings", () => {
  test("REST v2 can change nothing that has no control", () => {
    assert.deepEqual(pathsOf(schemas.AgentChangeBody).filter((path) => !(path in controls)), []);
  });

  test("channels and models of speech are those of the server", () => {
    assert.deepEqual([...channels].sort(), Object.keys(schemas.ChannelInstructions.properties).sort());
    assert.deepEqual([...transcribers].sort(), [...resolve(schemas.Transcriber.properties.model).enum].sort());
  });

  test("voices are those that the server has an engine's voice for", () => {
    const table = readFileSync(join(import.meta.dirname, "../../../internal/speech/voices.yaml"), "utf8");
    const rows = table.slice(table.indexOf("\nvoices:"), table.indexOf("\nmodels:")).matchAll(/^ {2}(\w+): \{/gm);
    assert.ok(voices.includes("Sarah"));
    assert.deepEqual([...voices].sort(), [...rows].map(([, name]) => name).filter((name) => name !== "default").sort());
  });

  test("what was never set is what the server takes for it", () => {
    const values = shape.toValues({ voiceSettings: {} });
    for (const path of pathsOf(schemas.VoiceSettings)) {
      const name = `voiceSettings.${path}`;
      assert.ok(name in values, name);
      const schema = path.split(".").reduce((one, step) => resolve(resolve(one).properties[step]), schemas.VoiceSettings);
      if ("default" in schema) assert.deepEqual(values[name], schema.default, name);
    }
  });

  test("what is replaced as a whole is sent as a whole, and the rest by its fields", () => {
    const stored = shape.toValues({ voiceSettings: { voice: { voiceName: "Nova" } }, channelInstructions: { email: "Hello.", api: "Short." } });
    const sent = shape.toSettings({ "voiceSettings.voice.speed": 1.2, "channelInstructions.api": null, "insight.model": true }, stored);
    assert.deepEqual(sent.voiceSettings.voice, { voiceName: "Nova", speed: 1.2, stability: 0.5, similarity: 0.75 });
    assert.equal("initialMessage" in sent.voiceSettings, false);
    assert.deepEqual([sent.channelInstructions, sent.insight], [{ email: "Hello." }, { model: true }]);
    assert.deepEqual(shape.toSettings({ "voiceSettings.on": false, "voiceSettings.voice.speed": 1 }, stored), { voiceSettings: null });
    assert.deepEqual(shape.toSettings({ "channelInstructions.api": null, "channelInstructions.email": null }, stored), { channelInstructions: null });
    const split = (voice) => shape.toSettings({ "channelInstructions.api": { chat: "", voice } }, stored).channelInstructions;
    assert.deepEqual([split(""), split("Slowly.")], [{ email: "Hello." }, { email: "Hello.", api: { chat: "", voice: "Slowly." } }]);
  });

  test("each setting has a name and a section", () => {
    for (const [name, { at: screen }] of Object.entries(controls)) {
      if (!screen.startsWith("settings")) continue;
      assert.equal(sectionOf(name), screen.split("/")[1] ?? "general", name);
      if (!name.startsWith("channelInstructions.")) assert.ok(texts[labels[name]], name);
    }
    assert.equal(sections.length, new Set(sections).size);
  });
});

describe("settings and REST v2", { skip }, () => {
  let browser, server, front, person, id;
  before(async () => {
    [browser, server] = await Promise.all([launch(), startServer()]);
    front = await serveBefore(process.env.PARLEY_CONSOLE_BUILD, server.ready.url);
    person = await signUp(server);
    id = (await person.call("POST", "/v2/agents", { name: "Help" })).id;
  });
  after(async () => {
    await browser?.close();
    front?.stop();
    await server?.stop();
  });

  async function open(path, use) {
    const page = await newPage(browser, front.origin, { locale: "en" });
    try {
      await page.context().addCookies([person.cookie]);
      await page.goto(`${front.url}/agents/${id}/${path}`);
      await use(page);
      // The browser says which of its processes the frame of a preview has.
      const problems = page.problems.filter((text) => !text.includes("Origin-Agent-Cluster"));
      assert.deepEqual([await page.reports(), problems], [[], []]);
    } finally {
      await page.context().close();
    }
  }

  // What must be on the page before the fields are.
  async function prepare(page, screen) {
    if (screen === voice) {
      const isOn = page.getByRole("switch", { name: texts["settings.voiceOn"] });
      await isOn.waitFor();
      if (!(await isOn.isChecked())) await isOn.press("Space");
    }
    if (screen !== "settings/channels") return;
    const add = page.getByRole("button", { name: texts["settings.addChannel"] });
    await page.getByRole("heading", { name: texts["settings.channels"] }).waitFor();
    while (await add.count()) await add.click();
  }

  const screens = [...new Set(Object.values(controls).map((one) => one.at))];
  const onScreen = (screen) => Object.entries(controls).filter(([, control]) => control.at === screen);

  test("all that is set in the browser is read back over REST v2 and the manifest", async () => {
    // All at once: what others have saved meanwhile is kept.
    const set = (screen) =>
      open(screen, async (page) => {
        await prepare(page, screen);
        for (const [name, control] of onScreen(screen)) await control.fill(page, name);
        await page.keyboard.press("Control+s");
        await page.getByText(texts["settings.saved"], { exact: true }).waitFor();
      });
    await Promise.all(screens.map(set));
    const [agent, { document }] = await Promise.all([person.call("GET", `/v2/agents/${id}`), person.call("GET", `/v1/agents/${id}/manifest`)]);
    for (const [path, { mine }] of Object.entries(controls)) {
      assert.deepEqual(at(document.settings, path), mine, `the manifest's ${path}`);
      if (path.split(".")[0] in schemas.AgentChangeBody.properties) assert.deepEqual(at(agent, path), mine, `REST's ${path}`);
    }
    const covered = Object.keys(document.settings).filter((name) => !Object.keys(controls).some((path) => path.split(".")[0] === name));
    assert.deepEqual(covered.filter((name) => !elsewhere[name]), [], "settings of the manifest without a control");
  });

  test("all that is set over REST v2 and a manifest is seen in the browser", async () => {
    const theirs = tree(({ theirs }) => theirs);
    const own = Object.entries(theirs).filter(([name]) => name in schemas.AgentChangeBody.properties);
    await person.call("PUT", `/v2/agents/${id}`, Object.fromEntries(own));
    const rest = Object.entries(theirs).filter(([name]) => !(name in schemas.AgentChangeBody.properties));
    const { memberships } = await person.call("GET", "/v1/session");
    const reply = await person.call("POST", `/v1/accounts/${memberships[0].accountId}/manifest`, {
      documents: [{ agent: { id }, settings: Object.fromEntries(rest) }],
      prune: false,
      dryRun: false,
    });
    assert.ok(reply.agents, JSON.stringify(reply));
    const see = (screen) =>
      open(screen, async (page) => {
        await page.getByRole("heading", { level: 1 }).waitFor();
        await prepare(page, screen === "settings/channels" ? screen : "");
        if (screen === voice) await field(page, "voiceSettings.voice.voiceName").waitFor();
        for (const [name, control] of onScreen(screen)) await control.read(page, name);
      });
    await Promise.all(screens.map(see));
  });

  test("reading websites again every week is switched on the screen of the sources, and read back over both", async () => {
    await person.call("POST", `/v2/agents/${id}/sources`, { type: "text", name: "Returns", content: "Goods may be sent back within thirty days." });
    const agent = () => person.call("GET", `/v2/agents/${id}`);
    await assertSoon(async () => (await agent()).status, "trained");
    const control = (page) => page.getByRole("switch", { name: texts["sources.resync"], exact: true });
    await open("sources", async (page) => {
      await control(page).press("Space");
      await assertSoon(async () => (await agent()).autoRetrain, true);
      await assertSoon(() => control(page).isChecked(), true);
    });
    const { document } = await person.call("GET", `/v1/agents/${id}/manifest`);
    assert.equal(document.settings.autoRetrain, true);
    await person.call("PUT", `/v2/agents/${id}/auto-retrain`, { enabled: false });
    await open("sources", async (page) => {
      await control(page).waitFor();
      assert.equal(await control(page).isChecked(), false);
    });
  });
});

describe("the screen of the settings", { skip }, () => {
  const open = useSamePages();
  const id = agents[0].id;
  const path = `/agents/${id}/settings`;
  const part = (page, name) => page.getByRole("navigation", { name: texts["settings.parts"] }).getByRole("link", { name });
  const sent = (answer) => answer.state.asked.filter((a) => a.method === "PATCH" && a.path === `/v1${path}`).map(({ body }) => body);

  test("sections are addresses, and what is changed in one is kept and saved in another", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await field(page, "name").fill("Help centre");
      await part(page, "Privacy").click();
      await page.waitForURL(/\/settings\/privacy$/);
      assert.equal(await part(page, "Privacy").getAttribute("aria-current"), "page");
      await field(page, "retentionDays").fill("30");
      await page.getByText("2 changes").waitFor();
      await page.goBack();
      assert.equal(await field(page, "name").inputValue(), "Help centre");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      assert.deepEqual(sent(answer), [{ baseVersion: 7, settings: { name: "Help centre", retentionDays: 30 } }]);
    });
  });

  test("a fault in another section is marked there, and said at its field", async () => {
    const details = { "settings.notificationsSettings.dailyConversations.emails.1": "must be an e-mail address" };
    const refusal = [400, { error: { code: "VALIDATION_INVALID_BODY", message: "Some values are not allowed.", details } }];
    await open(answers({ fail: { [`PATCH /v1${path}`]: refusal } }), `${path}/notifications`, async (page) => {
      await page.getByRole("switch", { name: texts["settings.dailyConversations"], exact: true }).press("Space");
      await field(page, "notificationsSettings.dailyConversations.emails").fill("a@shop.example\nnobody");
      await part(page, "General").click();
      await page.keyboard.press("Control+s");
      await part(page, "Notifications").getByRole("img", { name: texts["settings.wrongHere"] }).waitFor();
      await part(page, "Notifications").click();
      await page.getByText(texts["fault.email"]).waitFor();
    });
  });

  test("a model that nobody has connected is said, with the way to connect one", async () => {
    await open(answers(), path, async (page) => {
      const link = page.getByRole("link", { name: texts["models.connectOne"] });
      await field(page, "temp").waitFor();
      assert.equal(await link.count(), 0);
      await page.getByRole("button", { name: /Model/ }).press("Enter");
      await page.getByRole("option", { name: /gpt-5/ }).press("Enter");
      await page.getByText(texts["playground.builtInHint"]).waitFor();
      assert.match(await link.getAttribute("href"), /\/workspace\/models$/);
      await page.getByRole("button", { name: "Discard" }).click();
    });
  });

  test("why a model is refused is said below it", async () => {
    const details = { "settings.model": "is not a model that an agent can be given" };
    const refusal = [400, { error: { code: "VALIDATION_INVALID_BODY", message: "", details } }];
    await open(answers({ fail: { [`PATCH /v1${path}`]: refusal } }), path, async (page) => {
      await field(page, "temp").fill("0.5");
      await page.keyboard.press("Control+s");
      await page.getByText(texts["fault.model"]).waitFor();
      await page.getByRole("button", { name: "Discard" }).click();
    });
  });

  test("numbers are typed as people type them", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await field(page, "temp").fill("0,");
      assert.equal(await field(page, "temp").inputValue(), "0,");
      await field(page, "temp").fill("0,5");
      await field(page, "temp").fill("0,5x");
      assert.equal(await field(page, "temp").inputValue(), "0,5");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      assert.deepEqual(sent(answer)[0].settings, { temp: 0.5 });
    });
  });

  test("an address that is no section is no page", async () => {
    await open(answers(), `${path}/nowhere`, async (page) => {
      await page.getByText(texts["notFound.title"]).first().waitFor();
    });
  });

  test("an earlier version is compared with what is in force, and restored", async () => {
    const answer = answers();
    await open(answer, `${path}/history`, async (page) => {
      await page.getByText("Instructions and Creativity").waitFor();
      await page.getByText("A program with an API key").waitFor();
      await page.getByRole("button", { name: /^Compare with current/ }).last().click();
      await page.waitForURL(/version=4$/);
      const dialog = page.getByRole("dialog");
      const instructions = dialog.getByRole("region", { name: "Instructions" });
      await instructions.getByRole("insertion").first().waitFor();
      assert.deepEqual(await instructions.getByRole("deletion").allTextContents(), ["Be kind and short."]);
      assert.deepEqual(await instructions.getByRole("insertion").allTextContents(), ["Be kind.", "Answer in one sentence."]);
      await dialog.getByRole("button", { name: "Restore these settings" }).click();
      await page.getByText("Restored", { exact: true }).waitFor();
      const [restore] = answer.state.asked.filter(({ method }) => method === "POST").filter(({ path }) => path.endsWith("/restore"));
      assert.deepEqual([restore.path, restore.body], [`/v1${path.replace("settings", "history/4/restore")}`, { baseVersion: 7 }]);
      await part(page, "General").click();
      assert.equal(await field(page, "instructions").inputValue(), "Be kind.\nAnswer in one sentence.");
    });
  });

  test("a viewer compares, and restores nothing", async () => {
    await open(answers({ role: "viewer" }), `${path}/history?version=4`, async (page) => {
      await page.getByRole("dialog").getByRole("insertion").first().waitFor();
      assert.equal(await page.getByRole("button", { name: "Restore these settings" }).count(), 0);
      assert.equal(await part(page, "Delete").count(), 0);
    });
    await open(answers({ role: "agent" }), `${path}/delete`, (page) => page.getByText(texts["notFound.heading"]).waitFor());
  });

  test("an agent is deleted by its name, by who confirms who they are", async () => {
    const answer = answers();
    await open(answer, `${path}/delete`, async (page) => {
      const remove = page.getByRole("button", { name: "Delete the agent for good" });
      await page.locator("[name=confirm]").fill("Help");
      assert.equal(await remove.isDisabled(), true);
      await page.locator("[name=confirm]").fill("Help desk");
      await remove.click();
      const dialog = page.getByRole("dialog");
      await dialog.locator("[name=password]").fill("correct horse battery");
      await dialog.getByRole("button", { name: "Confirm" }).click();
      await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
      await page.getByRole("main").getByRole("link", { name: "Help desk" }).waitFor({ state: "detached" });
      assert.equal(answer.state.list.some(({ name }) => name === "Help desk"), false);
    });
  });
});
