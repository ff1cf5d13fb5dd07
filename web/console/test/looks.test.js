// What the chat looks like: every field of the styles, what of it is saved, and the frame beside them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PNG } from "pngjs";
import { runnerImport } from "vite";
import { agents, answers } from "./answers.js";
import { launch, newPage, skip } from "./browser.js";
import { serveBefore } from "./proxy.js";
import { signUp, startServer } from "./server.js";
import { useSamePages } from "./setup.js";

/** A red picture, as the bytes of its file. */
function newPicture(width, height) {
  const png = new PNG({ width, height });
  for (let i = 0; i < png.data.length; i += 4) png.data.set([200, 16, 32, 255], i);
  return PNG.sync.write(png);
}

const id = agents[0].id;
const path = `/agents/${id}/looks`;
const settingsPath = `/v1/agents/${id}/settings`;
const sent = (answer, method, at) => answer.state.asked.filter((a) => a.method === method && a.path === at).map(({ body }) => body);

/** What the frame was told last. */
const told = async (page) => JSON.parse((await page.frameLocator("iframe").locator("#told").textContent()) || "null");
const untilTold = (page, is) => page.frameLocator("iframe").locator("#told", { hasText: is }).waitFor({ state: "attached" });
const field = (page, name) => page.locator(`[name="${name}"]`);
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const tab = (page, name) => page.getByRole("tab", { name }).click();

describe("fields", () => {
  let looksShape, presets, newShownStyles, readLines, writeLines;
  before(async () => {
    const folder = join(import.meta.dirname, "../src/pages/looks");
    ({ looksShape, presets, newShownStyles } = (await runnerImport(join(folder, "fields.ts"))).module);
    ({ readLines, writeLines } = (await runnerImport(join(folder, "suggestions.ts"))).module);
  });

  test("are those that the server takes", () => {
    const file = join(import.meta.dirname, "../../../internal/api/v2/openapi.json");
    const { schemas } = JSON.parse(readFileSync(file, "utf8")).components;
    assert.deepEqual(Object.keys(presets.chat).sort(), Object.keys(schemas.ChatStylesWrite.properties).sort());
    assert.deepEqual(Object.keys(presets.centerStage).sort(), Object.keys(schemas.StageStylesWrite.properties).sort());
  });

  test("are one value each, and back", () => {
    const styles = { chat: { headerColor: "#123456", mobile: { showAutoOpen: true } }, centerStage: { accentColor: { enabled: true, color: "#00f" } } };
    const values = looksShape.toValues({ styles, initialMessages: ["Hi"] });
    assert.equal(values["chat.headerColor"], "#123456");
    assert.equal(values["chat.showFeedback"], true);
    assert.deepEqual(values["chat.mobile"], { showAutoOpen: true });
    assert.deepEqual(values["centerStage.accentColor"], { enabled: true, color: "#00f" });
    assert.deepEqual(looksShape.toSettings({ "chat.theme": "dark", "centerStage.width": "small", initialMessages: ["Hello"] }), {
      initialMessages: ["Hello"],
      styles: { chat: { theme: "dark" }, centerStage: { width: "small" } },
    });
    assert.deepEqual(looksShape.toSettings({ "centerStage.customSurfaceColors": { enabled: true, background: "", foreground: "#000" } }), {
      styles: { centerStage: { customSurfaceColors: { enabled: true, background: null, foreground: "#000" } } },
    });
    assert.deepEqual(looksShape.toSettings({ "centerStage.notificationMessage": { enabled: false, text: "" } }).styles.centerStage, {
      notificationMessage: { enabled: false, text: "" },
    });
    const shown = newShownStyles(values).centerStage;
    assert.deepEqual([shown.accentColor, shown.accentColorEnabled], ["#00f", true]);
    for (const none of [{}, { styles: null }, { styles: { chat: null, centerStage: null } }]) {
      assert.equal(looksShape.toValues(none)["centerStage.width"], "medium");
    }
  });

  test("suggested messages are lines, and keep their icons", () => {
    const list = [
      { type: "nested", name: "Returns", order: 1, icon: "box", items: [{ text: "b", order: 1 }, { text: "a", order: 0, icon: "x" }] },
      { type: "single", text: "Opening hours", order: 0, icon: "clock" },
    ];
    const lines = "Opening hours\nReturns:\n- a\n- b";
    assert.equal(writeLines(list), lines);
    assert.deepEqual(readLines(lines, list), [
      { type: "single", text: "Opening hours", order: 0, icon: "clock" },
      { type: "nested", name: "Returns", order: 1, icon: "box", items: [{ text: "a", order: 0, icon: "x" }, { text: "b", order: 1 }] },
    ]);
    assert.deepEqual(readLines("Note:\n\n- alone").map(({ type }) => type), ["nested"]);
    assert.deepEqual(readLines("Note:\nx").map(({ type, text }) => [type, text]), [["single", "Note:"], ["single", "x"]]);
    assert.deepEqual(readLines(" \n"), []);
    assert.equal(writeLines(null), "");
  });
});

describe("looks", { skip }, () => {
  const open = useSamePages();

  test("the frame shows what is not saved, and only what was changed is saved", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await untilTold(page, "#1A4D8F");
      await page.getByText("Text on it is white, contrast 8.3.").first().waitFor();
      await page.getByText("Text on it is black, contrast 14.6.").first().waitFor();
      await field(page, "chat.headerColor").fill("#ffee00");
      await untilTold(page, "#ffee00");
      await page.getByText("Left", { exact: true }).click();
      await page.getByText("Files can be sent").click();
      await page.getByText("3 changes").waitFor();
      assert.equal((await told(page)).styles.chat.alignChatButton, "left");
      await press(page, "Save");
      await page.getByText("Saved").waitFor();
      assert.deepEqual(sent(answer, "PATCH", settingsPath), [
        { baseVersion: 7, settings: { styles: { chat: { headerColor: "#ffee00", alignChatButton: "left", showAttachments: true } } } },
      ]);
    });
  });

  test("what is no color changes nothing, and says so", async () => {
    await open(answers(), path, async (page) => {
      await field(page, "chat.headerColor").fill("red");
      await page.getByText("Write a color such as #1a4d8f.").waitFor();
      assert.equal(await page.getByText("1 change").count(), 0);
      assert.equal((await told(page)).styles.chat.headerColor, "#1A4D8F");
      await field(page, "chat.headerColor").fill("#abc");
      await page.getByText("1 change").waitFor();
    });
  });

  test("a color is given up again, and is null to the server", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await press(page, "Clear the color: Header");
      await untilTold(page, '"headerColor":""');
      await field(page, "chat.userMessageColor").fill("");
      await page.getByText("2 changes").waitFor();
      assert.equal(await page.getByRole("button", { name: "Clear the color: Header" }).count(), 0);
      await press(page, "Save");
      await page.getByText("Saved").waitFor();
      assert.deepEqual(sent(answer, "PATCH", settingsPath)[0].settings, { styles: { chat: { headerColor: null, userMessageColor: null } } });
    });
  });

  test("pictures are checked, sent at once, and taken away again", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      const icon = page.getByRole("group", { name: "Icon on the button" });
      const choose = (name, mimeType, buffer) => icon.locator("input[type=file]").setInputFiles({ name, mimeType, buffer });
      await choose("notes.txt", "text/plain", Buffer.from("x"));
      await icon.getByText("This is no PNG, JPEG or WebP picture.").waitFor();
      await choose("wide.png", "image/png", newPicture(20, 10));
      await icon.getByText("must be square: it is 20 × 10 pixels").waitFor();
      await choose("large.png", "image/png", Buffer.concat([newPicture(4, 4), Buffer.alloc(1 << 20)]));
      await icon.getByText("larger than 1 MB").waitFor();
      assert.deepEqual(sent(answer, "PUT", `/v1/agents/${id}/icon`), []);
      answer.state.refusedPicture = "must be square: it is 8 pixels wide and 9 high";
      const picture = newPicture(16, 16);
      await choose("icon.png", "image/png", picture);
      await icon.getByRole("alert").getByText("This one is 8 pixels wide and 9 pixels high.").waitFor();
      answer.state.refusedPicture = "";
      await icon.getByText("A new icon sets the color").click();
      await choose("icon.png", "image/png", picture);
      await icon.getByRole("img", { name: "Icon on the button" }).waitFor();
      assert.deepEqual(sent(answer, "PUT", `/v1/agents/${id}/icon`).at(-1), { image: picture.toString("base64"), syncAccent: true });
      await icon.getByRole("button", { name: "Remove" }).click();
      await icon.getByRole("button", { name: "Choose a picture" }).waitFor();
      assert.equal(sent(answer, "DELETE", `/v1/agents/${id}/icon`).length, 1);
    });
  });

  test("the tab stands in the address, and the frame shows its part", async () => {
    await open(answers(), path, async (page) => {
      await tab(page, "Center stage");
      await page.waitForURL(/tab=stage/);
      await untilTold(page, '"part":"centerStage"');
      await page.getByText("Background and text have colors of their own").click();
      await field(page, "centerStage.customSurfaceColors.background").fill("#ffffff");
      await field(page, "centerStage.customSurfaceColors.foreground").fill("#eeeeee");
      await page.getByText(/Contrast 1\.1 cannot be read: #[0-9a-f]{6} is shown instead\./).waitFor();
      await tab(page, "Help page");
      await untilTold(page, '"part":"help"');
      await press(page, "Discard");
      await page.reload();
      await untilTold(page, '"part":"help"');
    });
  });

  test("texts are counted, and greetings and suggestions are lines", async () => {
    const answer = answers();
    await open(answer, `${path}?tab=texts`, async (page) => {
      await field(page, "chat.displayName").fill("Ünï 🙂");
      await page.getByText("5 of 100 characters.").waitFor();
      await field(page, "initialMessages").fill("Hello\nthere\n\nAsk me.");
      await field(page, "suggestedMessages").fill("Hours\nReturns:\n- How long?");
      await untilTold(page, "How long?");
      await press(page, "Save");
      await page.getByText("Saved").waitFor();
      const [{ settings }] = sent(answer, "PATCH", settingsPath);
      assert.deepEqual(settings.initialMessages, ["Hello\nthere", "Ask me."]);
      assert.deepEqual(settings.suggestedMessages[1], { type: "nested", name: "Returns", order: 1, items: [{ text: "How long?", order: 0 }] });
      assert.equal(settings.styles.chat.displayName, "Ünï 🙂");
    });
  });

  test("state, size, scheme, direction and language are the frame's alone", async () => {
    await open(answers(), path, async (page) => {
      await untilTold(page, "#1A4D8F");
      await page.getByRole("radio", { name: "Phone" }).click();
      await page.getByRole("radio", { name: "Dark" }).last().click();
      await page.getByRole("radio", { name: "RTL" }).click();
      await page.getByRole("button", { name: /What is shown/ }).click();
      await page.getByRole("option", { name: "A person answers" }).click();
      await page.getByRole("button", { name: /Language of the chat/ }).click();
      await page.getByRole("option", { name: "français" }).click();
      await untilTold(page, '"locale":"fr"');
      const { isSmall, state, dir, styles } = await told(page);
      assert.deepEqual([isSmall, state, dir, styles.chat.theme], [true, "person", "rtl", "dark"]);
      assert.equal(await page.getByText("1 change").count(), 0);
    });
  });

  test("the frame has no origin: it reaches neither the console nor what browsers keep", async () => {
    await open(answers(), path, async (page) => {
      await untilTold(page, "#1A4D8F");
      assert.equal(await page.locator("iframe").getAttribute("sandbox"), "allow-scripts allow-forms");
      const reached = JSON.parse(await page.frameLocator("iframe").locator("#reached").textContent());
      assert.deepEqual(reached, ["SecurityError", "SecurityError", "SecurityError"]);
    });
  });

  test("others who change the same field are told of, field by field", async () => {
    const answer = answers();
    const theirs = { chat: { headerColor: "#000000", userMessageColor: "#FFD400", displayName: "Shop help", footer: "Call us" }, centerStage: null };
    const refusal = [409, { error: { code: "AGENT_CHANGED", message: "Changed.", details: { version: "9", "settings.styles": JSON.stringify(theirs) } } }];
    const refusing = (asked) => (asked.method === "PATCH" && asked.body.baseVersion === 7 ? refusal : answer(asked));
    await open(refusing, path, async (page) => {
      await field(page, "chat.headerColor").fill("#ff0000");
      await press(page, "Save");
      const dialog = page.getByRole("alertdialog").or(page.getByRole("dialog"));
      await dialog.getByText("#000000").waitFor();
      await dialog.getByText("Header").waitFor();
      assert.equal(await dialog.getByText("Call us").count(), 0, "what only they have changed is kept");
    });
  });

  test("a viewer sees the chat, and nothing to change it with", async () => {
    const answer = answers({ role: "viewer" });
    await open(answer, path, async (page) => {
      await untilTold(page, "#1A4D8F");
      await page.getByText("not change it").waitFor();
      assert.equal(await page.locator("main input, main textarea").count(), 0);
    });
    assert.deepEqual(answer.state.refused, []);
  });

  test("a ticket that is refused is said, and asked for again", async () => {
    const fail = { [`POST /v1/agents/${id}/preview-ticket`]: [500, { error: { code: "INTERNAL_SERVER_ERROR", message: "" } }] };
    await open(answers({ fail }), path, async (page) => {
      const again = page.getByRole("button", { name: "Try again" });
      await again.waitFor();
      for (const name of Object.keys(fail)) delete fail[name];
      await again.click();
      await untilTold(page, "#1A4D8F");
    });
  });
});

describe("the chat itself as a preview", { skip }, () => {
  let browser, server, front, agent, cookie;
  before(async () => {
    [browser, server] = await Promise.all([launch(), startServer()]);
    front = await serveBefore(process.env.PARLEY_CONSOLE_BUILD, server.ready.url);
    const person = await signUp(server);
    cookie = person.cookie;
    agent = (await person.call("POST", "/v2/agents", { name: "Shop help" })).id;
  });
  after(async () => {
    await browser?.close();
    front?.stop();
    await server?.stop();
  });

  async function look(use) {
    const page = await newPage(browser, front.origin, { locale: "en", viewport: { width: 1280, height: 900 } });
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    try {
      await page.context().addCookies([cookie]);
      await page.goto(`${front.url}/agents/${agent}/looks`);
      await use(page, page.frameLocator("iframe"));
      assert.deepEqual(asked.filter((path) => path.startsWith("/api/chat/")), [], "the frame asks for nothing");
      // The browser says which of its processes a frame without an origin has.
      const problems = page.problems.filter((text) => !text.includes("Origin-Agent-Cluster"));
      assert.deepEqual([await page.reports(), problems], [[], []]);
    } finally {
      await page.context().close();
    }
  }

  test("shows a private agent in every state, with the looks that are not saved", async () => {
    await look(async (page, chat) => {
      await chat.getByRole("heading", { name: "Shop help" }).first().waitFor();
      await field(page, "chat.headerColor").fill("#ffee00");
      await chat.locator("html[data-theme=light]").waitFor({ state: "attached" });
      await chat.locator('html[style*="--chat-header-bg: #ffee00"]').waitFor({ state: "attached" });
      const show = async (name, text) => {
        await page.getByRole("button", { name: /What is shown/ }).click();
        await page.getByRole("option", { name, exact: true }).click();
        // The list is gone: a click would close it, while it is not.
        await page.getByRole("listbox").waitFor({ state: "detached" });
        await page.getByRole("button", { name: /What is shown/ }).filter({ hasText: name }).waitFor();
        await chat.getByText(text).first().waitFor();
      };
      await show("An answer", "Where is my order?");
      await show("An answer being written", "Where is my order?");
      await show("A person answers", "Hello, I have found your order");
      await show("No network", "You are offline");
      await show("Files", "invoice.pdf");
      await show("A form", "Where is my order?");
      await show("An answer that failed", "Where is my order?");
      await page.getByRole("radio", { name: "Dark" }).last().click();
      await chat.locator("html[data-theme=dark]").waitFor({ state: "attached" });
      await page.getByRole("radio", { name: "RTL" }).click();
      await chat.locator("html[dir=rtl]").waitFor({ state: "attached" });
    });
  });
});
