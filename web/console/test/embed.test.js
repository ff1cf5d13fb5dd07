// How the chat comes to a site: what is copied, where it is shown, and how a site says who its visitors are.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { runnerImport } from "vite";
import { agents, answers, user } from "./answers.js";
import { skip } from "./browser.js";
import { useSamePages } from "./setup.js";

const id = agents[0].id;
const path = `/agents/${id}/embed`;
const origin = "https://chat.example:8443";
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const sent = (answer, method, rest) =>
  answer.state.asked.filter((a) => a.method === method && a.path === `/v1/agents/${id}/${rest}`).map(({ body }) => body);

describe("snippets", () => {
  let snippets;
  before(async () => {
    snippets = (await runnerImport(join(import.meta.dirname, "../src/pages/embed/snippets.ts"))).module;
  });

  const run = (text) => {
    const [, code] = /^<script>([\s\S]*)<\/script>$/.exec(text);
    const added = [];
    const document = { readyState: "complete", body: { appendChild: (one) => added.push(one) }, createElement: () => ({}) };
    const window = {};
    runInNewContext(code, { window, document, addEventListener() {}, Proxy });
    return { added, window };
  };

  test("load the widget with its agent, and keep what is called before it is there", () => {
    const { added, window } = run(snippets.bubble(origin, id));
    assert.deepEqual(added, [{ src: `${origin}/embed.min.js`, id }]);
    window.chatbase.open({ message: "Hi" });
    window.chatbase("close");
    assert.deepEqual(JSON.parse(JSON.stringify(window.chatbase.q)), [["getState"], ["open", { message: "Hi" }], ["close"]].slice(-2));
    const stage = run(snippets.stage(origin, id));
    assert.equal(stage.added[0].src, `${origin}/center-stage-embed.min.js`);
    assert.equal(typeof stage.window.chatbaseCenterStage.sendMessage, "function");
  });

  test("are the same on the screen, on the test page and in the manual", () => {
    const root = join(import.meta.dirname, "../../..");
    const wanted = snippets.bubble("https://agents.example.com", "AGENT_ID");
    assert.equal(`<script>${readFileSync(join(root, "internal/widget/page/snippet.js"), "utf8")}</script>`, wanted);
    assert.ok(readFileSync(join(root, "docs/manual/widget.md"), "utf8").includes(wanted));
  });

  test("the frame may hear and copy, and the help page's proxies pass on four paths", () => {
    assert.match(snippets.frame(origin, id), new RegExp(`src="${origin}/chatbot-iframe/${id}"[^>]*allow="microphone; clipboard-write"`));
    for (const [name, proxy] of Object.entries(snippets.proxies)) {
      const text = proxy(origin, id);
      for (const part of ["/help", "/__cb/", `/api/chat/${id}/`]) assert.ok(text.includes(part), `${name}: ${part}`);
      assert.ok(text.includes(origin), name);
      assert.doesNotMatch(text, /\/help\*/, `${name}: /helpful is a page of the company`);
    }
    assert.match(snippets.proxies.nginx(origin, id), /^proxy_ssl_server_name on;$/m); // else it names no host to the server
  });

  test("the sample for Node makes a token that a server of the same secret takes", () => {
    const code = snippets.samples["Node.js"].replace(/^import.*$/m, "").replace("const token", "token");
    const context = { createHmac, Buffer, process: { env: { CHAT_SECRET: "s" } }, user: { id: "anna", email: "a@b.example", name: "Anna" }, token: "" };
    runInNewContext(code, context);
    const [head, body, signature] = context.token.split(".");
    assert.equal(createHmac("sha256", "s").update(`${head}.${body}`).digest("base64url"), signature);
    assert.deepEqual(JSON.parse(Buffer.from(head, "base64url")), { alg: "HS256", typ: "JWT" });
    assert.equal(JSON.parse(Buffer.from(body, "base64url")).user_id, "anna");
    assert.equal(Object.keys(snippets.samples).length, 6);
  });
});

describe("embed", { skip }, () => {
  const open = useSamePages();

  test("what is copied names this server and this agent", async () => {
    await open(
      answers(),
      path,
      async (page, server) => {
        const code = page.getByRole("region", { name: "Bubble" });
        await code.getByText(`${server.origin}/embed.min.js`).waitFor();
        await press(page, "Copy: Bubble");
        await page.getByRole("button", { name: "Copied: Bubble" }).waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await code.textContent());
        await page.getByRole("tab", { name: "Center stage" }).click();
        await page.getByText("Center stage is off for this agent").getByRole("link", { name: "Looks" }).waitFor();
        await page.getByRole("tab", { name: "Help page" }).click();
        await page.getByText(`${server.origin}/${id}/help`, { exact: true }).waitFor();
        await page.getByText("Caddy").click();
        await page.getByRole("region", { name: "Caddy" }).getByText("reverse_proxy").first().waitFor();
        await page.getByText("The agent is private").waitFor();
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    );
  });

  test("the test page is a page of the server, with a ticket", async () => {
    await open(answers(), `${path}/test`, async (page, server) => {
      await page.waitForURL(`${server.origin}/demo/widget/${id}?ticket=ticket`);
    });
  });

  test("limits are numbers and lines, and what is wrong is said at its field", async () => {
    const answer = answers();
    const details = { "settings.widget.blockedRanges.1": "must be a range of addresses, such as 203.0.113.0/24", "settings.ipRateLimits.limit": "must be at most 200" };
    const refusal = [400, { error: { code: "VALIDATION_INVALID_BODY", message: "Some values are not allowed.", details } }];
    const refusing = (asked) => (asked.method === "PATCH" && asked.body.settings.ipRateLimits?.limit > 200 ? refusal : answer(asked));
    await open(refusing, path, async (page) => {
      const field = (name) => page.locator(`[name="settings.${name}"]`);
      await field("widget.dailyCredits").fill("500");
      await field("widget.dailyCreditsPerVisitor").fill("20x");
      await field("widget.dailyCreditsPerVisitor").fill("20");
      await field("ipRateLimits.limit").fill("201");
      await field("widget.blockedRanges").fill("198.51.100.7\nnowhere");
      await page.getByText("4 changes").waitFor();
      await press(page, "Save");
      await page.getByText("nowhere: Write a range of addresses").waitFor();
      await page.getByText("Choose 200 or less.").first().waitFor();
      await field("ipRateLimits.limit").fill("");
      await field("ipRateLimits.limit").fill("5");
      await field("widget.blockedRanges").fill("198.51.100.7");
      await press(page, "Save");
      await page.getByText("Saved").waitFor();
      assert.deepEqual(sent(answer, "PATCH", "settings")[0].settings, {
        widget: { dailyCredits: 500, dailyCreditsPerVisitor: 20, blockedRanges: ["198.51.100.7"] },
        ipRateLimits: { limit: 5 },
      });
    });
  });

  test("domains are lines, and a page is checked", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await page.locator('[name="settings.allowedDomains"]').fill("shop.example\nhelp.example");
      await page.getByText("1 change").waitFor();
      await page.locator('[name="address"]').fill("https://shop.example/a");
      await page.getByText("Asked of what is saved").waitFor();
      await press(page, "Save");
      await page.getByText("Saved").waitFor();
      assert.deepEqual(sent(answer, "PATCH", "settings")[0].settings, { allowedDomains: ["shop.example", "help.example"] });
      await page.getByRole("button", { name: "Check" }).first().click();
      await page.getByText("Yes, it is shown there.").waitFor();
      await page.locator('[name="address"]').fill("https://other.example");
      await page.locator('[name="address"]').press("Enter");
      await page.getByText("not among the domains").waitFor();
      await page.locator('[name="address"]').fill("nowhere");
      await page.locator('[name="address"]').press("Enter");
      await page.getByText("This is not the address of a page.").waitFor();
    });
  });

  test("who has nothing to confirm with is led to choose a password; a wrong one is called that", async () => {
    const use = async (page) => {
      await press(page, "Show the secret");
      await page.getByText("Choose a password on your page").waitFor();
      await page.getByRole("dialog").getByRole("link", { name: "Your page" }).click();
      await page.getByRole("heading", { level: 1, name: "Your page" }).waitFor();
    };
    await open(answers({ me: { ...user, hasPassword: false } }), path, use);
    await open(answers(), path, async (page) => {
      await press(page, "Show the secret");
      await page.getByRole("dialog").getByLabel("Password").fill("wrong");
      await press(page, "Confirm");
      await page.getByRole("alert").getByText("This is not your present password").waitFor();
    });
  });

  test("the secret is shown to who has confirmed who they are, and made anew", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await press(page, "Show the secret");
      const dialog = page.getByRole("dialog");
      await dialog.locator("[name=password]").fill("correct horse battery");
      await dialog.getByRole("button", { name: "Confirm" }).click();
      await page.getByText("secret-of-tests").waitFor();
      await press(page, "Make another secret");
      await dialog.getByRole("button", { name: /stays valid/ }).click();
      await page.getByRole("option", { name: "a week" }).click();
      await dialog.getByRole("button", { name: "Make it" }).click();
      await page.getByText("another-secret").waitFor();
      await page.getByText(/The secret before it is valid until/).waitFor();
      assert.deepEqual(sent(answer, "POST", "identity-secret/rotate"), [{ keepOldDays: 7 }]);
      await press(page, "Hide the secret");
      await page.getByText("another-secret").waitFor({ state: "detached" });
    });
  });

  test("a token is checked, and what is wrong with it is said", async () => {
    await open(answers(), path, async (page) => {
      await page.locator('[name="token"]').fill("a.b.c");
      await page.getByRole("button", { name: "Check" }).last().click();
      await page.getByText("The signature is not made with this agent’s secret.").waitFor();
      await page.locator('[name="token"]').fill("good");
      await page.getByRole("button", { name: "Check" }).last().click();
      await page.getByText("The token is right: it names anna.").waitFor();
      await page.getByText("It has no exp.").waitFor();
    });
  });

  test("a viewer may copy, and nothing else", async () => {
    const answer = answers({ role: "viewer" });
    await open(answer, path, async (page) => {
      await page.getByText("not change who may use it").waitFor();
      await page.getByText("Every site", { exact: true }).waitFor();
      for (const name of ["Show the secret", "Make another secret", "Check"]) assert.equal(await page.getByRole("button", { name }).count(), 0, name);
      assert.equal(await page.locator("main textarea").count(), 0);
    });
    assert.deepEqual(answer.state.refused, []);
  });
});
