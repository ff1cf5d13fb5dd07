// What the states of screens are made of: answers of the server, and what a person does until the state is there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answers, broken } from "./answers.js";
import { eventsOf, streamOf } from "./playground-answers.js";

const texts = JSON.parse(readFileSync(join(import.meta.dirname, "../src/locales/en.json"), "utf8"));
const accents = { a: "á", e: "é", i: "í", o: "ó", u: "ú", n: "ñ", A: "Á", E: "É", O: "Ó" };

/** The text of a key, in English and in the locales for tests. */
function said(key) {
  const letters = texts[key].replace(/[.*+?()[\]|\\^$]/g, "\\$&").replace(/\{\w+\}/g, ".*");
  return new RegExp(`^${letters.replace(/[aeiounAEO]/g, (c) => `[${c}${accents[c]}]`)}·*$`);
}

export { broken };
export const byText = (text) => (page) => page.getByText(text).first().waitFor();
export const byName = (name) => (page) => page.locator(`[name="${name}"]`).waitFor();
export const count = (selector, least) => (page) => page.locator("main").locator(selector).nth(least - 1).waitFor();
// While the console opens, its name is the heading.
export const heading = (page) => page.locator("h1").filter({ hasNotText: /^Parley$/ }).filter({ visible: true }).first().waitFor();
export const textbox = (page) => page.getByRole("textbox").first().waitFor();
export const dialog = (page) => page.getByRole("dialog").waitFor();
export const panel = (page) => page.getByRole("tabpanel").getByRole("paragraph").first().waitFor();
export const requestId = byText("0192f3c1-0000-7000-8000-000000000001");

/** The console opens: nothing is known yet of who asks. */
export const opening = (page) => page.getByRole("heading", { name: "Parley", exact: true }).waitFor({ state: "attached" });

const button = (page, key) => page.getByRole("button", { name: said(key) }).first();
// A page that is still being fetched has a skeleton as well, but no heading.
const skeletonIn = (place) => async (page) => {
  await heading(page);
  await page.locator(`${place} [role=status][aria-label]`).first().waitFor();
};
export const never = new Promise(() => {});

/** The two states of a screen whose request is not answered: while it is waited for, in a place of it, and when it fails. */
export const stuck = (route, more = {}, place = "body") => ({
  loading: [{ ...more, fail: { [route]: never } }, skeletonIn(place)],
  failed: [{ ...more, fail: { [route]: broken } }, requestId],
});

const figures = { conversations: 0, messages: 0, answers: 0, refusedAnswers: 0, escalated: 0, thumbsUp: 0, thumbsDown: 0 };
export const noInsights = {
  totals: { ...figures, resolved: 0, unresolved: 0 },
  series: [],
  unanswered: { questions: 0, withheld: false, groups: [] },
};

export const twoCompanies = {
  memberships: ["Shop", "Garage"].map((accountName, i) => ({ accountId: `acc_${i}`, accountName, role: "owner" })),
};

export const press = (key, role = "dialog") => async (page) => {
  await button(page, key).click();
  await page.getByRole(role).filter({ visible: true }).last().waitFor();
};

/** Opens what changes the ticket of a conversation: it is beside it, and on a phone in its place. */
export async function changeTicketOfConversation(page) {
  const [change, showCustomer] = [button(page, "inbox.changeTicket"), button(page, "inbox.showCustomer")];
  await change.or(showCustomer).first().waitFor();
  if (await showCustomer.isVisible()) await showCustomer.click();
  await press("inbox.changeTicket")(page);
}

export const openBy = (key) => async (page) => {
  await byText("Wholesale")(page);
  await page.keyboard.press(key);
  await dialog(page);
};

export async function openUserMenu(page) {
  await byText("192.0.2.11")(page);
  await button(page, "user.menu").click();
  await page.getByRole("menuitem").nth(3).waitFor();
}

export async function signInWrongly(page) {
  await page.locator("[name=email]").fill("owner@shop.example");
  await page.locator("[name=password]").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
}

// The playground.

/** What answers in the playground as `answer` says (see eventsOf). */
export const answering = (answer) => () => {
  const base = answers();
  return (asked) => (asked.method === "POST" && /\/playground$/.test(asked.path) ? streamOf(eventsOf(answer)) : base(asked));
};

const questionField = (page) => page.getByRole("textbox", { name: said("playground.ask") });

/** Waits until the page takes the question that is written: it takes none while it opens, and while it answers. */
export const readyToAsk = (page) => button(page, "playground.send").and(page.locator(":enabled")).waitFor();

/** Writes a question and sends it, as soon as the page takes questions. */
export async function sendQuestion(page, question) {
  await questionField(page).fill(question);
  await readyToAsk(page);
  await questionField(page).press("Enter");
}

export async function ask(page) {
  await sendQuestion(page, "Do you ship to Norway?");
  await page.locator("[data-testid=spoken]", { hasText: /./ }).waitFor({ state: "attached" });
}

export async function askInVain(page) {
  await sendQuestion(page, "Do you ship to Norway?");
  await page.getByRole("alert").waitFor();
}

export async function askPlayground(page) {
  await page.locator("button bdi").first().click();
  await page.locator("[data-testid=spoken]", { hasText: "30 days" }).waitFor({ state: "attached" });
}

export async function improve(page) {
  await askPlayground(page);
  await press("playground.improve")(page);
}

export async function improveAndSave(page) {
  await improve(page);
  await page.locator("[name=answer]").fill("Within 60 days.");
  await button(page, "playground.improveSubmit").click();
  await page.getByRole("dialog").getByText("Within 60 days.").waitFor();
}

export async function askFirst(page) {
  await sendQuestion(page, "When may goods be sent back?");
  await page.locator("[data-testid=spoken]", { hasText: "30 days" }).waitFor({ state: "attached" });
  await page.locator("ol p button").first().waitFor();
}

export async function trySearch(page) {
  await byText("handbook.pdf")(page);
  await button(page, "sources.trySearch").click();
  await page.getByRole("dialog").getByRole("textbox").fill("return shoes");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("thirty days").first().waitFor();
}

// Signing in.

const secondStep = { id: "01998b2d-0000-7000-8000-000000006000", options: null };
export const withSecondStep = { isSignedIn: false, fail: { "POST /v1/session": [200, { user: null, memberships: [], features: { passkey: false, oidc: false, oidcName: "", mail: true }, secondStep }] } };

const refusal = { code: "AUTH_SINGLE_SIGN_ON_REQUIRED", message: "", details: { company: "Shop", provider: "Shop ID", accountId: "acc_1" } };
export const withRefusedPassword = { isSignedIn: false, fail: { "POST /v1/session": [403, { error: refusal }] } };

export async function typePassword(page) {
  await page.locator("[name=email]").fill("owner@shop.example");
  await page.locator("[name=password]").fill("correct horse battery");
  await page.keyboard.press("Enter");
  await page.locator("[name=code]").waitFor();
}

// The person's own page.

const refused = (status, code) => [status, { error: { code, message: "Please sign in." } }];
export const expired = { fail: { "PATCH /v1/me": refused(401, "AUTH_SIGN_IN_REQUIRED") } };
const passkey = (id, name, lastUsedAt) => ({ id, name, createdAt: "2026-11-02T09:00:00.000Z", lastUsedAt });
const passkeys = { data: [passkey("key_1", "Laptop", "2026-11-21T09:00:00.000Z"), passkey("key_2", "Phone", null)] };
export const withPasskeys = { fail: { "GET /v1/me/passkeys": [200, passkeys] } };
const codes = Array.from({ length: 10 }, (_, i) => `${"abcdefghjk"[i]}7qm-4t2x-${i}kfp`);
export const withCodes = { fail: { "POST /v1/me/recovery-codes": [200, { codes }] } };

export async function makeCodes(page) {
  await press("recovery.make")(page);
  await page.mouse.move(0, 0); // a button of the dialog is below it: whether that is hovered depends on when the browser looks
}

export async function saveName(page) {
  await page.locator("input[autocomplete=name]").fill("Somebody");
  await page.keyboard.press("Control+s");
  await dialog(page);
}

export async function signInAsOther(page) {
  await saveName(page);
  const dialog = page.getByRole("dialog");
  await dialog.locator("[name=email]").fill("lee@shop.example");
  await dialog.locator("[name=password]").fill("correct horse battery");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
}

export async function changePassword(page) {
  await page.locator("[name=present]").fill("correct horse battery");
  await page.locator("[name=password]").fill("correct horse staple");
  await page.keyboard.press("Enter");
  await dialog(page);
}

// The settings of an agent.

export async function changeSettings(page) {
  await page.locator(`[name="settings.name"]`).fill("Help centre");
  await page.getByRole("region").filter({ has: page.getByRole("status") }).waitFor();
}

export async function leaveSettings(page) {
  await changeSettings(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("textbox").or(page.getByRole("searchbox")).fill("Wholesale");
  await page.getByRole("dialog").getByRole("menuitem", { name: "Wholesale" }).first().waitFor();
  await page.locator("[role=dialog] input[aria-activedescendant]").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor();
}

export const changedByOthers = (agent) => {
  const details = { version: "8", "settings.name": `"Support"` };
  return { fail: { [`PATCH /v1/agents/${agent}/settings`]: [409, { error: { code: "AGENT_CHANGED", message: "", details } }] } };
};

export async function saveSettings(page) {
  await changeSettings(page);
  await page.keyboard.press("Control+s");
  await page.getByRole("alertdialog").waitFor();
}

export const within = (selector) => (page) => page.locator(selector).first().waitFor();

// In the language of the tests for text from the right, words are found by a part that it leaves as it is.
export async function openManifest(page) {
  await byText("Wholesale")(page);
  await page.locator("main button").first().click();
  await page.getByRole("menuitem").nth(2).click();
  await page.getByRole("dialog").waitFor();
}

export async function tryAgain(page) {
  const row = page.getByRole("row", { name: /pricing/ });
  await row.waitFor();
  await row.getByRole("button").last().click();
  await page.getByRole("menuitem").nth(1).click();
  await requestId(page);
}

export async function deleteAll(page) {
  await byText("handbook.pdf")(page);
  await page.getByRole("row").nth(1).focus();
  await page.keyboard.press("Control+a");
  await page.getByRole("region").filter({ has: page.getByRole("status") }).last().getByRole("button").last().click();
  await page.getByRole("alertdialog").waitFor();
}

export async function deleteInPart(page) {
  await deleteAll(page);
  await page.getByRole("alertdialog").getByRole("button").last().click();
  await requestId(page);
}

export async function compareVersions(page) {
  await byText("71c0ffee")(page);
  await page.getByRole("tabpanel").getByRole("button").last().click();
  await page.getByRole("tabpanel").getByRole("switch").press("Space");
  await page.locator("ins").waitFor();
}

export async function openRecent(page) {
  await page.locator("button bdi").first().waitFor();
  await page.locator("#main h1 ~ div button").first().click();
  await page.getByRole("dialog").getByRole("listitem").first().waitFor();
}

// Actions and procedures.

const section = (page, key) => page.locator("main section").filter({ has: page.getByRole("heading", { name: said(key) }) });

export async function tryAction(page) {
  await byName("config.url")(page);
  await section(page, "actions.try").getByRole("textbox").fill("4711");
  await section(page, "actions.try").getByRole("button", { name: said("actions.send") }).click();
  await section(page, "actions.try").locator("figure").nth(1).waitFor();
}

export async function tryProcedure(page) {
  await byName("steps.0.say")(page);
  const trial = section(page, "actions.try");
  await trial.getByRole("textbox").fill("4711");
  for (const number of [1, 2, 3]) {
    await trial.getByRole("button", { name: said("actions.tryStep") }).click();
    await trial.getByRole("listitem").nth(number - 1).waitFor();
  }
}

// Servers of models.

export const wrongKey = { works: false, error: "the provider answered 401 (is the model key right?): {}", millis: 80 };

export async function testFirstServer(page) {
  await byText("Main model")(page);
  await page.locator("main li button").first().click();
  await page.getByText("OK", { exact: true }).waitFor();
}

export async function testNewServer(page) {
  await page.locator("[name=url]").fill("https://models.example/v1");
  await page.locator("form button").last().click();
  await byText("the provider answered 401")(page);
}

export async function changeServer(page) {
  await page.locator("[name=model]").fill("gpt-5.5");
  await page.getByRole("region").filter({ has: page.getByRole("status") }).last().waitFor();
}

/** Somebody else has given the server another model. */
export const serverChangedByOthers = (server) => {
  const path = `/v1/accounts/acc_1/model-servers/${server.modelServerId}`;
  const theirs = { ...server, model: "gpt-5-mini", updatedAt: "2026-11-22T11:59:00.000Z" };
  return { fail: { [`PATCH ${path}`]: [409, { error: { code: "MODEL_SERVER_CHANGED", message: "" } }], [`GET ${path}`]: [200, theirs] } };
};

export async function saveServer(page) {
  await changeServer(page);
  await page.keyboard.press("Control+s");
  await page.getByRole("alertdialog").waitFor();
}

// The workspace.

export const chooseOfMember = (key, role, ready = byText("lee@shop.example"), place = 2) => async (page) => {
  await ready(page);
  await page.getByRole("button", { name: said("members.more") }).nth(place).click(); // the helper
  await page.getByRole("menuitem", { name: said(key) }).click();
  await page.getByRole(role).filter({ visible: true }).last().waitFor();
};

export async function removeMember(page) {
  await chooseOfMember("members.remove", "alertdialog")(page);
  await page.getByRole("alertdialog").getByRole("button", { name: said("members.remove") }).click();
  await page.locator("main > div > [role=status] p").nth(3).waitFor();
  await page.locator("main li").nth(4).waitFor({ state: "attached" });
}

export async function withdrawInvitation(page) {
  await byText("lee@shop.example")(page);
  await page.getByRole("button", { name: said("members.more") }).last().click();
  await page.getByRole("menuitem", { name: said("members.withdraw") }).click();
  await page.getByRole("alertdialog").waitFor();
}

export async function invite(page) {
  await press("members.invite")(page);
  await page.locator("[name=email]").fill("new@shop.example");
  await page.getByRole("dialog").getByRole("button", { name: said("members.invite") }).click();
  await page.getByRole("dialog").locator("pre").waitFor();
}

export async function newKey(page) {
  await press("apiKeys.new")(page);
  await page.getByRole("radio").last().press("Space");
  await page.getByRole("checkbox").last().waitFor();
}

export async function makeKey(page) {
  await press("apiKeys.new")(page);
  await page.locator("[name=name]").fill("Shop system");
  await page.getByRole("button", { name: said("apiKeys.create") }).click();
  await page.getByRole("dialog").locator("pre").waitFor();
}

export async function verifyAudit(page) {
  await page.locator("main li").first().waitFor();
  await button(page, "audit.verify").click();
  await page.locator("main [role=status] p").first().waitFor();
}

// Manifests.

export async function compareManifest(page) {
  await page.locator("textarea[name=manifest]").waitFor();
  await button(page, "manifest.compare").click();
  await page.getByRole("dialog").getByRole("region").first().waitFor();
}

export async function compareWrongManifest(page) {
  await page.locator("textarea[name=manifest]").waitFor();
  await button(page, "manifest.compare").click();
  await page.getByRole("alert").waitFor();
}

export const chooseOfWebhook = (key, role) => async (page) => {
  await page.getByRole("button", { name: said("webhooks.more") }).first().click();
  await page.getByRole("menuitem", { name: said(key) }).click();
  await page.getByRole(role).filter({ visible: true }).last().waitFor();
};
