// What each role is offered: every screen says what the role may not do, and has nothing that the server would refuse.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { agents, answers, inWorkspace } from "./answers.js";
import { skip, waitForQuiet } from "./browser.js";
import { rows as inboxRows } from "./inbox-answers.js";
import { conversation, voiceSessions } from "./insight-answers.js";
import { modelServers } from "./model-answers.js";
import { screens as seen } from "./screens.js";
import { useSamePages } from "./setup.js";
import { sources } from "./source-answers.js";
import { withTickets } from "./ticket-answers.js";

const help = agents[0].id;
const ofAgent = `/agents/${help}`;
const text = (found) => (page) => page.getByText(found).first().waitFor();

async function changeDraft(page) {
  await page.locator("button bdi").first().click();
  await page.locator("[data-testid=spoken]", { hasText: "30 days" }).waitFor({ state: "attached" });
  await page.getByLabel("Instructions").fill("Be short.");
  await page.getByText("1 change").waitFor();
}

async function showCommands(page) {
  await text("Wholesale")(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Commands" }).getByRole("menuitem").first().waitFor();
}

/**
 * By name: the address, and by role what must be done there, what an owner is offered and the role is not, and what the
 * screen says of the role. A screen that is not for a role at all has the sentence alone, which is then all there is.
 */
const screens = {
  agents: ["/agents", text("Wholesale"), {
    agent: [["button New agent", "link Manifest", "link Models"], "not make or change any"],
    viewer: [["button New agent", "link Manifest", "link Models", "link Playground"], "not make or change any"],
  }],
  inbox: [`/inbox/${inboxRows[0].conversationId}`, text("The label is in the parcel."), {
    agent: [["link Manifest", "link Models"], ""],
    viewer: [["button Assign", "button Bad answer", "button Good answer", "button Improve answer", "button Mark as unread", "button Snooze", "button Take over", "checkbox", "link Manifest", "link Models", "link Playground", "link Unread"], "not answer in them"],
  }],
  home: [ofAgent, text("Do you ship to Norway?"), {
    agent: [["link Answer it", "link Manifest", "link Models"], "not change what it knows"],
    viewer: [["link Answer it", "link Manifest", "link Models", "link Playground", "link Try it"], "not change what it knows"],
  }],
  playground: [`${ofAgent}/playground`, changeDraft, {
    agent: [["button Save", "link Manifest", "link Models"], "not save them"],
    viewer: [null, "cannot ask the agent here"],
  }],
  questions: [`${ofAgent}/insights/questions`, text("Do you ship to Norway?"), {
    agent: [["button Write an answer", "link Manifest", "link Models"], "not answer them"],
    viewer: [["button Write an answer", "link Manifest", "link Models", "link Playground"], "not answer them"],
  }],
  topics: [`${ofAgent}/insights/topics`, text("Delays"), {
    agent: [["button Add a topic", "button More", "button Sort again", "link Manifest", "link Models"], "not change them"],
    viewer: [["button Add a topic", "button More", "button Sort again", "link Manifest", "link Models", "link Playground"], "not change them"],
  }],
  "a conversation": [`${ofAgent}/insights/conversations/${conversation}`, text("Where is my parcel?"), {
    agent: [["link Manifest", "link Models"], ""],
    viewer: [["link Manifest", "link Models", "link Playground"], ""],
  }],
  people: [`${ofAgent}/people`, text("two@example.com"), {
    agent: [["link Manifest", "link Models"], ""],
    viewer: [["link Manifest", "link Models", "link Playground"], ""],
  }],
  "a voice session": [`${ofAgent}/voice/${voiceSessions[0].sessionId}`, text("Where is my parcel?"), {
    agent: [["link Manifest", "link Models"], ""],
    viewer: [["button Listen to it", "link Manifest", "link Models", "link Playground"], "not listen to recordings"],
  }],
  sources: [`${ofAgent}/sources`, text("handbook.pdf"), {
    agent: [["button Add", "button Try again", "checkbox", "link Manifest", "link Models", "switch"], "not add, change or delete any"],
    viewer: [["button Add", "button Try again", "checkbox", "link Manifest", "link Models", "link Playground", "switch"], "not add, change or delete any"],
  }],
  "a source": [`${ofAgent}/sources/${sources[5].sourceId}?tab=settings`, (page) => page.getByRole("tabpanel").waitFor(), {
    agent: [["button Add", "button Delete", "button Save", "button Try again", "checkbox", "link Manifest", "link Models", "switch", "textbox"], "not add, change or delete any"],
    viewer: [["button Add", "button Delete", "button Save", "button Try again", "checkbox", "link Manifest", "link Models", "link Playground", "switch", "textbox"], "not add, change or delete any"],
  }],
  actions: [`${ofAgent}/actions`, text("search_the_web"), {
    agent: [["button Add", "link Manifest", "link Models", "link call_a_person", "link keep_contact", "link refund", "link search_the_web", "link track_order", "switch"], "not change or try it"],
    viewer: [["button Add", "link Manifest", "link Models", "link Playground", "link call_a_person", "link keep_contact", "link refund", "link search_the_web", "link track_order", "switch"], "not change or try it"],
  }],
  action: [`${ofAgent}/actions/edit/track_order`, (page) => page.locator('[name="config.url"]').waitFor(), {
    agent: [null, "not change or try it"],
    viewer: [null, "not change or try it"],
  }],
  "new action": [`${ofAgent}/actions/new/http`, (page) => page.locator('[name="config.url"]').waitFor(), {
    agent: [null, "not change or try it"],
    viewer: [null, "not change or try it"],
  }],
  procedure: [`${ofAgent}/actions/procedure/refund`, (page) => page.locator('[name="steps.0.say"]').waitFor(), {
    agent: [null, "not change or try it"],
    viewer: [null, "not change or try it"],
  }],
  looks: [`${ofAgent}/looks`, (page) => page.locator("iframe").waitFor(), {
    agent: [null, "not change it"],
    viewer: [null, "not change it"],
  }],
  embed: [`${ofAgent}/embed`, (page) => page.locator('[name="token"]').waitFor(), {
    agent: [null, "not change who may use it"],
    viewer: [null, "not change who may use it"],
  }],
  settings: [`${ofAgent}/settings`, (page) => page.locator('[name="settings.instructions"]').waitFor(), {
    agent: [["button Private Who can use it", "button auto Model", "link Delete", "link Manifest", "link Models", "textbox"], "not change them"],
    viewer: [["button Private Who can use it", "button auto Model", "link Delete", "link Manifest", "link Models", "link Playground", "textbox"], "not change them"],
  }],
  manifest: [`${ofAgent}/manifest`, (page) => page.locator("textarea[name=manifest]").waitFor(), {
    agent: [null, "a manifest may hold secrets"],
    viewer: [null, "a manifest may hold secrets"],
  }],
  history: [`${ofAgent}/settings/history`, (page) => page.locator("main ol time").first().waitFor(), {
    agent: [["link Delete", "link Manifest", "link Models"], "not change them"],
    viewer: [["link Delete", "link Manifest", "link Models", "link Playground"], "not change them"],
  }],
  channels: [`${ofAgent}/settings/channels`, (page) => page.locator('[name="settings.channelInstructions.email"]').waitFor(), {
    agent: [["button Add instructions", "button Chat on a site Channel", "button Remove the instructions of E-mail", "button Remove the instructions of Phone", "link Delete", "link Manifest", "link Models", "switch", "textbox"], "not change them"],
    viewer: [["button Add instructions", "button Chat on a site Channel", "button Remove the instructions of E-mail", "button Remove the instructions of Phone", "link Delete", "link Manifest", "link Models", "link Playground", "switch", "textbox"], "not change them"],
  }],
  "settings of the search": [`${ofAgent}/settings/search`, (page) => page.locator('[name="settings.synonyms"]').waitFor(), {
    agent: [["button Add a subtopic", "button Add a topic", "button Remove Delays", "button Remove Delivery", "link Delete", "link Manifest", "link Models", "switch", "textbox"], "not change them"],
    viewer: [["button Add a subtopic", "button Add a topic", "button Remove Delays", "button Remove Delivery", "link Delete", "link Manifest", "link Models", "link Playground", "switch", "textbox"], "not change them"],
  }],
  "first run": ["/welcome", text("What should it know?"), {
    agent: [null, "not make or change any"],
    viewer: [null, "not make or change any"],
  }],
  "first question": [`/welcome/${help}`, text("Ask what a customer would ask."), {
    agent: [[], ""],
    viewer: [null, "cannot ask the agent here"],
  }],
  models: ["/workspace/models", text("Main model"), {
    agent: [null, "cannot see which model servers"],
    viewer: [null, "cannot see which model servers"],
  }],
  "new model server": ["/workspace/models/new/chat", (page) => page.locator("[name=url]").waitFor(), {
    agent: [null, "cannot see which model servers"],
    viewer: [null, "cannot see which model servers"],
  }],
  "model server": [`/workspace/models/${modelServers[1].modelServerId}`, (page) => page.locator("[name=url]").waitFor(), {
    agent: [null, "cannot see which model servers"],
    viewer: [null, "cannot see which model servers"],
  }],
  members: ["/workspace/members", text("lee@shop.example"), {
    agent: [null, "cannot see who the members are"],
    viewer: [null, "cannot see who the members are"],
  }],
  keys: ["/workspace/keys", text("Site backend"), {
    agent: [null, "cannot see the API keys"],
    viewer: [null, "cannot see the API keys"],
  }],
  pairing: ["/pair?code=BCDF-GHJK", text("laptop"), {
    agent: [null, "cannot let command lines have API keys"],
    viewer: [null, "cannot let command lines have API keys"],
  }],
  usage: ["/workspace/usage", (page) => page.locator("tbody a").first().waitFor(), { agent: [["link API keys", "link Audit", "link Change the limit", "link Company", "link Manifest", "link Members", "link Models", "link Server", "link Set a limit", "link Sign-in", "link Webhooks"], ""], viewer: [["link API keys", "link Audit", "link Change the limit", "link Company", "link Manifest", "link Members", "link Models", "link Playground", "link Server", "link Set a limit", "link Sign-in", "link Webhooks"], ""] }],
  webhooks: ["/workspace/webhooks", text("https://crm.example/in"), {
    agent: [null, "cannot see the webhooks"],
    viewer: [null, "cannot see the webhooks"],
  }],
  deliveries: ["/workspace/webhooks/hook_1", (page) => page.locator("main time").first().waitFor(), {
    agent: [null, "cannot see the webhooks"],
    viewer: [null, "cannot see the webhooks"],
  }],
  audit: ["/workspace/audit", (page) => page.getByRole("main").getByRole("listitem").first().waitFor(), {
    agent: [null, "cannot see what was done"],
    viewer: [null, "cannot see what was done"],
  }],
  tickets: [`${ofAgent}/tickets`, text("#4 Wrong size"), {
    agent: [[], ""],
    viewer: [["button New ticket", "checkbox"], "not open, change or answer any"],
  }],
  "tickets of all agents": ["/tickets", text("#4 Wrong size"), {
    agent: [[], ""],
    viewer: [["checkbox"], "not open, change or answer any"],
  }],
  ticket: [`${ofAgent}/tickets/4`, text("The shoes are too small."), {
    agent: [[], ""],
    viewer: [["button Add files", "button General Team", "button High Priority", "button New Status", "button Nobody Assignee", "button Saved replies", "radio Note", "radio Reply", "textbox"], "not open, change or answer any"],
  }],
  "set-up of the helpdesk": [`${ofAgent}/helpdesk`, text("Supplier"), {
    agent: [["button Add a status", "button More"], "not change it"],
    viewer: [["button Add a status", "button More"], "not change it"],
  }],
  company: ["/workspace/general", (page) => page.locator("[name=name]").waitFor(), {
    admin: [["button Export everything", "link How an archive is imported", "switch", "textbox"], "an owner does"],
    agent: [["button Export everything", "link API keys", "link Audit", "link Company", "link How an archive is imported", "link Manifest", "link Members", "link Models", "link Server", "link Sign-in", "link Webhooks", "switch", "textbox"], "an owner does"],
    viewer: [["button Export everything", "link API keys", "link Audit", "link Company", "link How an archive is imported", "link Manifest", "link Members", "link Models", "link Playground", "link Server", "link Sign-in", "link Webhooks", "switch", "textbox"], "an owner does"],
  }],
  "sign-in rules": ["/workspace/sign-in", (page) => page.getByRole("main").getByRole("switch").last().waitFor(), {
    admin: [["button Add the domain", "button Copy", "button New people do not join by themselves People of your domains who are no members", "button Save", "switch", "textbox"], "an owner does"],
    agent: [null, "cannot see who the members are"],
    viewer: [null, "cannot see who the members are"],
  }],
  server: ["/workspace/server", text("1.4.0"), {
    agent: [null, "cannot see how the server does"],
    viewer: [null, "cannot see how the server does"],
  }],
  "own page": ["/me", text("192.0.2.11"), { agent: [["link Manifest", "link Models"], ""], viewer: [["link Manifest", "link Models", "link Playground"], ""] }],
  commands: ["/agents", showCommands, {
    agent: [["button New agent", "link Manifest", "link Models", "menuitem Manifest", "menuitem Models", "menuitem New agent"], "not make or change any"],
    viewer: [["button New agent", "link Manifest", "link Models", "link Playground", "menuitem Manifest", "menuitem Models", "menuitem New agent", "menuitem Playground"], "not make or change any"],
  }],
  "no page": ["/nowhere", text("There is no such page"), { agent: [["link Manifest", "link Models"], ""], viewer: [["link Manifest", "link Models", "link Playground"], ""] }],
};

/** What may be done in the page, as "button Save", each once and without the name of what it is done to. */
const offered = (page) =>
  page.evaluate(() => {
    const roles = { A: "link", BUTTON: "button", TEXTAREA: "textbox", INPUT: "textbox" };
    const seen = (e) => {
      const copy = e.cloneNode(true);
      for (const part of copy.querySelectorAll("[aria-hidden=true]")) part.remove();
      return copy.textContent;
    };
    const name = (e) => {
      const ids = e.getAttribute("aria-labelledby")?.split(" ") ?? [];
      const words = ids.map((id) => document.getElementById(id)?.textContent).join(" ");
      return words || (e.getAttribute("aria-label") ?? seen(e)).split(":")[0].trim();
    };
    const all = [...document.querySelectorAll("a[href],button,input,textarea,[role=menuitem]")].flatMap((e) => {
      if (e.disabled || e.readOnly || e.hidden) return [];
      if (e.tagName === "INPUT" && e.type !== "hidden") {
        const role = e.getAttribute("role") ?? (e.type === "checkbox" ? "checkbox" : "textbox");
        return e.type === "search" ? [] : [role];
      }
      const role = e.getAttribute("role") ?? roles[e.tagName];
      return role === "textbox" ? [role] : e.type === "hidden" ? [] : [`${role} ${name(e)}`];
    });
    return [...new Set(all)].sort();
  });

describe("roles", { skip }, () => {
  const open = useSamePages();

  async function look(role, path, ready) {
    const ofTickets = /\/(tickets|helpdesk)(\/|$)/.test(path) && { session: withTickets(role) };
    const answer = answers({ role, ...ofTickets, ...(/^\/(workspace\/|pair\b)/.test(path) && { session: { ...inWorkspace(role), features: { passkey: false, oidc: true, oidcName: "Shop ID", mail: true } } }) });
    let found;
    await open(answer, path, async (page) => {
      await ready(page);
      await waitForQuiet(page);
      const who = page.getByText("An owner or an admin of Shop can change your role.");
      found = { offered: await offered(page), notes: await who.allTextContents() };
    }, { timezoneId: "UTC" }); // no other zone is proposed then
    assert.deepEqual(answer.state.refused, [], `the ${role} asks for what is refused`);
    return found;
  }

  for (const [name, [path, ready, roles]] of Object.entries(screens)) {
    test(name, async () => {
      // An admin is offered what an owner is, except on the screens that say so: only those are opened as both.
      const owner = await look(roles.admin ? "owner" : "admin", path, ready);
      assert.deepEqual(owner.notes, []);
      for (const [role, [lacks, note]] of Object.entries(roles)) {
        const found = await look(role, path, lacks ? ready : text(note));
        assert.deepEqual(found.notes.map((one) => one.includes(note)), note ? [true] : [], `${role}: ${found.notes}`);
        if (!lacks) continue;
        assert.deepEqual(found.offered.filter((one) => !owner.offered.includes(one)), [], `only the ${role}`);
        assert.deepEqual(owner.offered.filter((one) => !found.offered.includes(one)), lacks, `the ${role} lacks`);
      }
    });
  }
});

test("every address is seen in each role, and in each state", () => {
  const text = readFileSync(join(import.meta.dirname, "../src/app.tsx"), "utf8");
  const routes = [...text.matchAll(/<Route\s+path="([^"]+)"/g)].map(([, path]) => path).filter((path) => path !== "/");
  assert.ok(routes.length >= 20);
  const pattern = (route) => new RegExp(`^${route.replace(/\/:\w+\?/g, "(/[^/]+)?").replace(/:\w+/g, "[^/]+")}$`);
  const without = (paths) => routes.filter((route) => !paths.some((path) => pattern(route).test(path.replace(/[?#].*$/, ""))));
  const leadsAway = ["/agents/:id/embed/test"];
  assert.deepEqual(without(Object.values(screens).map(([path]) => path)), leadsAway);
  assert.deepEqual(without(Object.values(seen).map(({ path }) => path)), leadsAway);
});
