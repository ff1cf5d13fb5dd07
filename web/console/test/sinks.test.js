// What strangers write is text wherever it is shown. A row of the table is a screen, what the server answers there, and
// the places that must show the strings as they are. PARLEY_LONG takes all strings, otherwise every tenth.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers, inWorkspace, user } from "./answers.js";
import { skip, untilNothing } from "./browser.js";
import { chosen, findForbidden, findMissing, watchPage } from "./hostile.js";
import { actions, refused } from "./action-answers.js";
import { entries as inboxEntries, rows as inboxRows } from "./inbox-answers.js";
import { customers, found, leads, topics, transcript } from "./insight-answers.js";
import { modelServers } from "./model-answers.js";
import { reply as savedReply, view as savedView } from "./saved-answers.js";
import * as to from "./screen-states.js";
import { useSamePages } from "./setup.js";
import { sources } from "./source-answers.js";
import { rules, statuses, teams, ticketMessages, tickets, withTickets } from "./ticket-answers.js";
import { account, acts, agentsUsage, deliveries, invitations, keys, members, usage, webhooks } from "./workspace-answers.js";

const [{ id }] = agents;
const home = `/agents/${id}`;
const longest = 1_000; // the server takes no longer names
const most = 60; // strings on a screen at a time
const tall = { viewport: { width: 1280, height: 8_000 } }; // long lists draw what is to be seen

const main = (page) => page.locator("main");
const body = (page) => page.locator("body");
const dialog = (page) => page.getByRole("dialog").or(page.getByRole("alertdialog")).last();
const menu = (page) => page.getByRole("menu");
const open = (name) => (page) => page.getByRole("button", { name }).first().click();
const says = (text, code = "HOSTILE") => [400, { error: { code, message: text } }];
const textRegion = (page) => page.getByRole("region", { name: "Text" });
const queue = (page) => page.getByRole("region", { name: "Files on their way" });
const list = (data) => [200, { data, pagination: { cursor: null, hasMore: false, total: data.length } }];

const agentsOf = (texts) => texts.map((name, i) => ({ ...agents[0], id: `${i}-QWErTyUiOpAsD`, name }));
const sourcesOf = (texts) =>
  texts.map((text, i) => ({
    ...sources[i % sources.length],
    sourceId: `01998b2d-0000-7000-8000-0000000004${String(i).padStart(2, "0")}`,
    name: text,
    url: text,
    reason: text,
    status: i % 2 ? "failed" : "trained",
    progress: null,
  }));
const inboxID = (i) => (i === 0 ? inboxRows[0].conversationId : `0199b2d1-0000-7000-8000-0000000010${String(i).padStart(2, "0")}`);
const inboxOf = (texts) =>
  texts.map((text, i) => ({ ...inboxRows[0], conversationId: inboxID(i), customer: text, agentName: text, lastMessage: { ...inboxRows[0].lastMessage, text } }));
const saidOf = (texts) =>
  texts.map((text, i) => ({ ...inboxEntries[0], messageId: `msg_said_${i}`, seq: i + 1, parts: [{ type: "text", text }] }));
const sessionsOf = (texts) =>
  texts.map((text, i) => ({ id: `ses_${i}`, userAgent: text, address: text, createdAt: user.createdAt, lastSeenAt: "2026-11-22T08:00:00.000Z", current: i === 0 }));
const passkeysOf = (texts) => texts.map((name, i) => ({ id: `key_${i}`, name, createdAt: "2026-11-02T09:00:00.000Z", lastUsedAt: null }));
const groupsOf = (texts) => texts.slice(0, 10).map((example, i) => ({ example, count: 1, firstAsked: i, lastAsked: i }));
const membershipsOf = (texts) => texts.map((accountName, i) => ({ accountId: `acc_${i}`, accountName, role: "owner" }));
const signedOut = (more) => ({ isSignedIn: false, ...more });
const oidc = (name) => ({ features: { passkey: false, oidc: true, oidcName: name, mail: true } });
const invitation = { kind: "invitation", email: "lee@shop.example", role: "agent", mustSignIn: false, needsName: true, needsCompany: false, expiresAt: "2026-11-29T08:00:00.000Z" };

async function deleteAll(page) {
  await page.getByRole("checkbox").first().check({ force: true });
  await page.getByRole("button", { name: "Delete", exact: true }).click();
}

// Of a long ticket only the newest messages are shown at first.
async function showEarlier(page, texts) {
  if (texts.length > 50) await page.getByRole("button", { name: "Show earlier messages" }).click();
}

// A path ends a name, so what holds a slash is told apart by it. No browser sends control characters in a name.
const fileNames = (texts) => {
  const names = texts.filter((text) => text.isWellFormed() && text.length < 200 && !/\p{Cc}/u.test(text.replaceAll("\t", " ")));
  return names.slice(0, 24).map((text) => text.replaceAll("/", "∕").replaceAll("\t", " "));
};

async function chooseFiles(page, texts) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files" }).click();
  const files = fileNames(texts).map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.alloc(60, "a") }));
  await (await chooser).setFiles(files);
}

/**
 * The sinks. `answer` gets the strings, one by one and all in one, and returns the options of `answers`. Each step waits
 * (ready), does something (act), waits (after), and says where the strings are then: what shows Markdown has no `place`,
 * what shows the first few of them has their number (texts), and what shows others says which (shows).
 */
const sinks = {
  "agent names: cards, switch, commands": {
    path: "/agents",
    answer: (texts) => ({ list: agentsOf(texts) }),
    steps: [
      { ready: (page, texts) => main(page).getByRole("listitem").nth(texts.length - 1).waitFor(), place: main },
      { act: open(/Choose an agent/), place: menu },
      { act: async (page) => (await page.keyboard.press("Escape"), page.keyboard.press("Control+k")), place: dialog, texts: 30 },
    ],
  },
  "agent name: heading and title; questions without an answer; reasons": {
    path: home,
    answer: (texts, whole) => ({
      list: [{ ...agents[0], name: whole }],
      state: { sources: sourcesOf(texts), insights: { unanswered: { questions: 9, withheld: false, groups: groupsOf(texts) } } },
    }),
    steps: [{ ready: (page) => main(page).getByRole("link", { name: "Answer it" }).first().waitFor(), place: main, texts: 10 }],
  },
  "what an agent is reading, on its home": {
    path: home,
    answer: (texts) => ({
      list: [{ ...agents[0], status: "training" }],
      state: { sources: sourcesOf(texts).map((one) => ({ ...one, status: "untrained", reason: undefined, progress: { unit: "bytes", done: 1, total: 2 } })) },
    }),
    steps: [{ ready: (page) => main(page).getByRole("progressbar").nth(2).waitFor(), place: main, texts: 3 }],
  },
  "a question that nothing answers, where it is answered": {
    path: home,
    answer: (texts) => ({ state: { insights: { unanswered: { questions: 9, withheld: false, groups: groupsOf(texts) } } } }),
    steps: [{ act: (page) => main(page).getByRole("link", { name: "Answer it" }).first().click(), place: dialog, texts: 1 }],
  },
  "conversations of the inbox: customers, agents, last messages": {
    path: "/inbox?view=all",
    answer: (texts) => ({ state: { inbox: inboxOf(texts) } }),
    steps: [{ ready: (page, texts) => main(page).locator("[data-rows] li").nth(texts.length - 1).waitFor(), place: main }],
  },
  "what customers write in a conversation": {
    path: `/inbox/${inboxRows[0].conversationId}`,
    answer: (texts) => ({ state: { said: { [inboxRows[0].conversationId]: saidOf(texts) } } }),
    steps: [{ ready: (page) => main(page).getByRole("region", { name: "What was said" }).getByRole("listitem").first().waitFor(), place: main }],
  },
  "saved views of the inbox": {
    path: "/inbox?view=all",
    answer: (texts) => ({ state: { views: texts.map((name, i) => savedView(i, name)) } }),
    steps: [{ ready: (page, texts) => main(page).getByRole("navigation", { name: "Saved views" }).getByRole("link").nth(texts.length - 1).waitFor(), place: main }],
  },
  "saved replies": {
    path: `${home}/helpdesk/replies`,
    answer: (texts) => ({ session: withTickets(), state: { replies: texts.map((text, i) => savedReply(i, text, text)) } }),
    steps: [{ ready: (page, texts) => main(page).getByRole("list", { name: "Saved replies" }).getByRole("listitem").nth(texts.length - 1).waitFor(), place: main }],
  },
  "questions without an answer, in the insights": {
    path: `${home}/insights/questions`,
    answer: (texts) => ({ state: { insights: { unanswered: { questions: 9, withheld: false, groups: groupsOf(texts) } } } }),
    steps: [{ ready: (page) => main(page).getByRole("button", { name: "Write an answer" }).first().waitFor(), place: main, texts: 10 }],
  },
  "topics, in the insights": {
    path: `${home}/insights`,
    answer: (texts) => ({ state: { insights: { topics: texts.map((name) => ({ ...topics[0], name })) } } }),
    steps: [{ ready: (page) => main(page).getByRole("heading", { name: "What they were about" }).waitFor(), place: main }],
  },
  "conversations behind a figure, and what was said": {
    path: `${home}/insights/conversations?startDate=2026-11-01&endDate=2026-11-30`,
    answer: (texts) => ({
      state: {
        found: texts.map((text, i) => ({ ...found[0], conversationId: `01998b2d-0000-7000-8000-0000000005${String(i).padStart(2, "0")}`, title: text })),
        transcript: texts.map((text, i) => ({ ...transcript[i % 3], messageId: `msg_${i}`, seq: i + 1, parts: [{ type: "text", text }] })),
      },
    }),
    steps: [
      { ready: (page) => main(page).getByRole("link").nth(1).waitFor(), place: main },
      { act: (page) => main(page).getByRole("listitem").getByRole("link").first().click(), after: (page) => main(page).getByRole("heading", { name: "Conversation", exact: true }).waitFor(), place: main },
    ],
  },
  "what is known of a customer beside their conversation": {
    path: `/inbox/${inboxRows[0].conversationId}`,
    answer: (texts, whole) => ({
      state: {
        said: { [inboxRows[0].conversationId]: saidOf(["Hello"]) }, // without the file, whose address is no page
        customer: {
          attributes: texts.map((value, i) => ({ name: `a${i}`, label: value, value })),
          conversations: [{ conversationId: inboxID(1), agentId: "a", source: whole, status: "ended", paused: false, messages: 3, createdAt: "2026-11-20T14:01:00Z", lastActivity: "2026-11-20T14:03:00Z" }],
          tickets: texts.slice(0, 10).map((subject, i) => ({ ticketNumber: i, subject, status: subject, updatedAt: "2026-11-20T14:03:00Z" })),
        },
      },
    }),
    steps: [{ ready: (page) => page.getByRole("list", { name: "Other conversations" }).getByRole("listitem").first().waitFor(), place: (page) => page.getByRole("region", { name: "Customer" }) }],
  },
  "customers, and one of them": {
    path: `${home}/people`,
    answer: (texts, whole) => ({
      state: {
        customers: texts.map((text, i) => ({ ...customers[0], customerId: `01998b2d-0000-4000-8000-0000000006${String(i).padStart(2, "0")}`, name: "Customer", email: text, phoneNumber: text })),
        customer: { name: "Customer", email: whole, userId: whole, attributes: texts.map((value, i) => ({ name: `a${i}`, label: value, value })), tickets: texts.map((subject, ticketNumber) => ({ ticketNumber, subject, status: subject, updatedAt: "2026-11-20T14:03:00Z" })) },
      },
    }),
    steps: [
      { ready: (page) => main(page).getByRole("listitem").first().waitFor(), place: main },
      { act: (page) => main(page).getByRole("listitem").getByRole("link").first().click(), after: (page) => main(page).getByRole("heading", { name: "What is known" }).waitFor(), place: main },
    ],
  },
  leads: {
    path: `${home}/people/leads`,
    answer: (texts) => ({ state: { leads: texts.map((text, i) => ({ ...leads[0], leadId: `lead_${i}`, name: "Customer", email: text, fields: [{ name: text, value: text }] })) } }),
    steps: [{ ready: (page) => main(page).getByRole("listitem").first().waitFor(), place: main }],
  },
  "settings of an agent, and what others have changed": {
    path: `${home}/settings`,
    answer: (texts, whole) => ({
      fail: {
        [`GET /v1${home}/settings`]: [200, { version: 7, settings: { name: whole, instructions: whole, temp: 0.2, visibility: "private" } }],
        [`PATCH /v1${home}/settings`]: [409, { error: { code: "AGENT_CHANGED", message: "", details: { version: "8", "settings.name": JSON.stringify(`${whole}!`), "settings.visibility": `"${"x"}"` } } }],
      },
    }),
    steps: [
      { ready: to.byName("settings.instructions"), place: main },
      { act: to.saveSettings, place: dialog },
    ],
  },
  "instructions of channels": {
    path: `${home}/settings/channels`,
    answer: (texts, whole) => ({
      fail: { [`GET /v1${home}/settings`]: [200, { version: 7, settings: { name: whole, channelInstructions: { email: whole, api: { chat: whole, voice: whole } } } }] },
    }),
    steps: [{ ready: to.byName("settings.channelInstructions.email"), place: main }],
  },
  "words and topics": {
    path: `${home}/settings/search`,
    answer: (texts, whole) => ({
      fail: { [`GET /v1${home}/settings`]: [200, { version: 7, settings: { synonyms: [texts.slice(0, 9)], topics: [{ name: whole, keywords: texts, examples: texts }] } }] },
    }),
    steps: [{ ready: to.byName("settings.topics.0.name"), place: main }],
  },
  "suggested questions, models, actions": {
    path: `${home}/playground`,
    answer: (texts, whole) => ({
      list: [{ ...agents[0], name: whole, instructions: whole, temp: 0, suggestedMessages: texts.slice(0, 5).map((text) => ({ type: "question", text })) }],
      fail: { [`GET /v1${home}/playground`]: [200, { models: ["auto", ...new Set(texts)], backEnds: [...new Set(texts)].map((name) => ({ name, backEnd: name, connected: false })), actions: [...new Set(texts)].map((name) => ({ name, kind: name, description: name })) }] },
    }),
    steps: [{ ready: to.textbox, place: main }],
  },
  "a better answer: question, answer, sources to keep it in": {
    path: `${home}/playground`,
    answer: (texts, whole) => ({
      state: { sources: texts.map((name, i) => ({ ...sources[2], sourceId: `01998b2d-0000-7000-8000-0000000005${String(i).padStart(2, "0")}`, name })) },
      fail: { [`GET /v1${home}/playground`]: [200, { models: ["auto"], backEnds: [], actions: [] }] },
      post: { improve: [200, { source: sources[2], before: { text: whole, score: 0.1, citations: [], credits: 0 }, after: { text: whole, score: 1, citations: [], credits: 1 } }] },
    }),
    steps: [
      { ready: to.textbox, act: to.improve, place: dialog, texts: 0 },
      { act: (page) => page.getByRole("button", { name: "Save and ask again" }).click(), after: (page) => dialog(page).getByText("Now", { exact: true }).waitFor() },
    ],
  },
  "own name, sessions, passkeys": {
    path: "/me",
    answer: (texts, whole) => ({
      me: { ...user, name: whole, email: whole },
      fail: { "GET /v1/me/sessions": [200, { data: sessionsOf(texts) }], "GET /v1/me/passkeys": [200, { data: passkeysOf(texts) }] },
    }),
    steps: [
      { ready: (page) => page.getByRole("button", { name: /^Rename/ }).first().waitFor(), place: main },
      { act: (page) => page.getByRole("button", { name: /^Rename/ }).first().click(), after: to.dialog, place: dialog, texts: 1 },
      { act: async (page) => (await page.keyboard.press("Escape"), open(/^Menu of/)(page)), place: menu },
    ],
  },
  "servers of models: names, addresses, reports": {
    path: "/workspace/models",
    answer: (texts, whole) => ({
      state: { servers: texts.map((text, i) => ({ ...modelServers[2], modelServerId: `m${i}`, name: text, model: text, url: text, modelNames: [text], lastError: text })), outcome: { works: false, error: whole, millis: 1 } },
    }),
    steps: [
      { ready: (page, texts) => main(page).getByRole("heading", { level: 3 }).nth(texts.length - 1).waitFor(), place: main },
      { act: (page) => main(page).getByRole("button", { name: /^Test/ }).first().click(), after: to.byText("It does not work."), place: main },
    ],
  },
  "models that a server lists, and why it lists none": {
    path: "/workspace/models/new/chat",
    answer: (texts, whole) => ({ state: { listing: [200, { models: [...new Set(texts)].filter(Boolean), error: whole }] } }),
    steps: [
      { ready: (page) => main(page).locator("[name=url]").fill("https://models.example/v1"), place: main, texts: 0 },
      { act: (page) => main(page).getByRole("button", { name: "Show the models of the server" }).click(), after: to.byText("It did not list its models."), place: main, texts: 1 },
    ],
  },
  "actions: names, descriptions": {
    path: `${home}/actions`,
    answer: (texts) => ({
      state: {
        tools: { actions: texts.map((text, i) => ({ ...actions[0], key: `a${i}`, name: text, description: text })), procedures: [] },
      },
    }),
    steps: [
      { ready: (page, texts) => main(page).getByRole("heading", { level: 3 }).nth(texts.length - 1).waitFor(), place: main },
    ],
  },
  "an action: its fields, its failures, its trial": {
    path: `${home}/actions/edit/hostile`,
    answer: (texts, whole) => ({
      state: { trial: { ...refused, reason: whole, reply: { ...refused.reply, body: whole }, request: { method: "GET", url: whole, headers: [{ name: whole, value: whole }] } } },
      fail: { [`GET /v1${home}/actions/hostile`]: [200, { ...actions[0], name: whole, description: whole, config: { url: whole }, inputs: [], secretNames: [], secretNotes: [], lastFailures: texts.map((text) => ({ at: actions[0].updatedAt, channel: text, error: text, conversationId: "conv" })) }] },
    }),
    steps: [
      { ready: (page) => page.locator('[name="config.url"]').waitFor(), place: main },
      { act: (page) => main(page).getByRole("button", { name: "Try it now" }).click(), after: (page) => page.locator("figure").nth(1).waitFor(), place: main, texts: 1 },
    ],
  },
  "members and invitations: names, addresses": {
    path: "/workspace/members",
    answer: (texts) => ({
      session: inWorkspace(),
      state: {
        members: texts.map((text, i) => ({ ...members[2], userId: `u${i}`, name: text, email: text })),
        invitations: texts.map((text, i) => ({ ...invitations[0], invitationId: `i${i}`, email: text, invitedBy: text })),
      },
    }),
    steps: [
      { ready: (page, texts) => main(page).getByRole("heading", { level: 3 }).nth(2 * texts.length - 1).waitFor(), place: main },
      { act: to.chooseOfMember("members.remove", "alertdialog", to.heading, 0), place: dialog, texts: 0 },
    ],
  },
  "API keys: names, who has made them": {
    path: "/workspace/keys",
    answer: (texts) => ({ session: inWorkspace(), state: { keys: texts.map((text, i) => ({ ...keys[1], keyId: `k${i}`, name: text, begins: text, createdBy: text, scopes: [text] })) } }),
    steps: [{ ready: (page, texts) => main(page).getByRole("heading", { level: 2 }).nth(texts.length - 1).waitFor(), place: main }],
  },
  "usage: names of agents and of the plan": {
    path: "/workspace/usage",
    answer: (texts) => ({
      session: inWorkspace(),
      state: { agentsUsage: texts.map((text, i) => ({ ...agentsUsage[0], agentId: `a${i}`, name: text })), usage: { plan: { ...usage.plan, name: texts[0] } } },
    }),
    steps: [{ ready: (page, texts) => main(page).locator("tbody a").nth(texts.length - 1).waitFor(), place: main }],
  },
  "tickets: subjects, customers, statuses, teams": {
    path: `${home}/tickets`,
    answer: (texts) => ({
      session: withTickets(),
      state: {
        tickets: texts.map((text, i) => ({ ...tickets[0], ticketNumber: i + 1, subject: text, customer: { ...tickets[0].customer, name: text } })),
        statuses: statuses.map((one, i) => ({ ...one, label: texts[i] ?? one.label })),
        teams: texts.map((name, i) => ({ ...teams[0], teamId: `t${i}`, name, members: [] })),
      },
    }),
    steps: [{ ready: (page, texts) => main(page).getByRole("row").nth(texts.length - 1).waitFor(), place: main }],
  },
  "routing rules: names, conditions, teams": {
    path: `${home}/helpdesk/rules`,
    answer: (texts) => ({
      session: withTickets(),
      state: { rules: texts.map((text, i) => ({ ...rules[0], key: `r${i}`, name: text, team: text, all: [{ field: text, op: text, values: [text] }] })) },
    }),
    steps: [{ ready: (page, texts) => main(page).getByRole("row").nth(texts.length - 1).waitFor(), place: main }],
  },
  "a ticket: messages, notes, authors, files": {
    path: `${home}/tickets/4`,
    answer: (texts) => ({
      session: withTickets(),
      state: { ticketMessages: texts.map((text, i) => ({ ...ticketMessages[3], messageId: `m${i}`, seq: i + 1, name: text, text, files: [{ name: text, mediaType: text, size: 1, address: text }] })) },
    }),
    steps: [
      { ready: (page) => main(page).getByRole("article").first().waitFor(), place: main, shows: (texts) => texts.slice(-50) },
      { act: showEarlier, place: main },
    ],
  },
  "webhooks and deliveries: addresses, events, reasons": {
    path: "/workspace/webhooks/hook_1",
    answer: (texts) => ({
      session: inWorkspace(),
      state: {
        webhooks: [{ ...webhooks[0], endpoint: texts[0] }, ...texts.map((text, i) => ({ ...webhooks[1], webhookId: `w${i}`, endpoint: text, events: [text], agentId: text }))],
        deliveries: texts.map((text, i) => ({ ...deliveries[2], deliveryId: `d${i}`, event: text, lastError: text })),
        sent: texts,
      },
    }),
    steps: [
      { ready: (page, texts) => main(page).getByRole("listitem").nth(texts.length - 1).waitFor(), place: main },
      { act: (page) => main(page).getByRole("button", { name: /^What was sent/ }).first().click(), after: (page) => main(page).getByRole("region").first().waitFor(), place: main },
      { act: (page) => main(page).getByRole("link").first().click(), after: (page) => main(page).getByRole("heading", { level: 2 }).nth(1).waitFor(), place: main },
    ],
  },
  "the server: its model servers, their reasons, warnings": {
    path: "/workspace/server",
    answer: (texts) => ({
      session: inWorkspace(),
      state: {
        server: {
          version: texts[0],
          speech: { mediaServer: true, speaks: true, understands: false, warnings: texts },
          modelServers: texts.map((text, i) => ({ ...modelServers[2], modelServerId: `m${i}`, name: text, url: text, lastError: text })),
        },
      },
    }),
    steps: [{ ready: (page, texts) => main(page).getByRole("list").last().getByRole("listitem").nth(texts.length - 1).waitFor(), place: main }],
  },
  "the company: its name": {
    path: "/workspace/general",
    answer: (texts) => ({ session: inWorkspace(), state: { account: { ...account, plan: texts[0] } } }),
    steps: [{ ready: (page) => main(page).locator("[name=name]").waitFor(), place: main, texts: 0 }],
  },
  "sign-in rules: names of owners and of the provider": {
    path: "/workspace/sign-in",
    answer: (texts) => ({
      session: { ...inWorkspace(), ...oidc(texts[0]) },
      state: { account: { ...account, onlySingleSignOn: true, exemptOwner: "u0" }, members: texts.map((text, i) => ({ ...members[0], userId: `u${i}`, name: text, email: text })) },
    }),
    steps: [
      { ready: (page) => main(page).getByRole("switch").last().waitFor(), place: main, texts: 0 },
      { act: (page) => main(page).locator("[aria-haspopup=listbox]").last().click(), after: (page) => page.getByRole("listbox").waitFor(), place: (page) => page.getByRole("listbox"), texts: 0 },
    ],
  },
  "the audit chain: who, what, details": {
    path: "/workspace/audit",
    answer: (texts) => ({
      session: inWorkspace(),
      state: { acts: texts.map((text, i) => ({ ...acts[1], seq: i + 1, action: text, subject: text, subjectName: text, by: { actor: text, name: text, email: text }, details: { [text]: text, list: [text], object: { text } } })) },
    }),
    steps: [
      { ready: (page, texts) => main(page).getByRole("list").last().getByRole("listitem").nth(texts.length - 1).waitFor(), place: main },
      { act: (page) => page.getByRole("button", { name: /Any action/ }).click(), after: (page) => page.getByRole("listbox").waitFor(), place: (page) => page.getByRole("listbox"), texts: 0 },
    ],
  },
  "names of companies": {
    path: "/a/acc_0/me",
    answer: (texts) => ({ session: { memberships: membershipsOf([...texts, "Shop"]) } }), // one alone is not named
    steps: [{ ready: to.byText("192.0.2.11"), act: open(/^Menu of/), place: menu }],
  },
  "the name of single sign-on, and errors": {
    path: "/",
    answer: (texts, whole) => ({ ...signedOut({ session: oidc(whole) }), fail: { "POST /v1/session": says(whole) } }),
    steps: [
      { ready: to.heading, place: body },
      { act: to.signInWrongly, place: (page) => page.getByRole("alert") },
    ],
  },
  "an invitation": {
    path: "/redeem#hostile",
    answer: (texts, whole) => signedOut({ fail: { "POST /v1/session/link-state": [200, { ...invitation, accountName: whole, email: whole }] } }),
    steps: [{ ready: (page) => page.getByLabel("Your name").waitFor(), place: body }],
  },
  "errors of a list, and ids of requests": {
    path: "/agents",
    answer: (texts, whole) => ({ fail: { "GET /v2/agents": says(whole) } }),
    steps: [{ ready: (page) => page.getByRole("alert").waitFor(), place: main }],
  },
  "names of sources, and why they failed": {
    path: `${home}/sources`,
    answer: (texts) => ({ state: { sources: sourcesOf(texts) } }),
    steps: [
      { ready: (page, texts) => page.getByRole("row").nth(texts.length).waitFor(), place: main },
      { act: deleteAll, place: dialog, texts: 5 },
    ],
  },
  "pages of a website": {
    path: `${home}/sources/${sources[0].sourceId}`,
    answer: (texts) => ({ state: { pages: texts.map((url) => ({ url, state: "failed", reason: url, passages: 0, bytes: 0, readAt: null })) } }),
    steps: [{ ready: (page, texts) => dialog(page).getByRole("row").nth(Math.min(5, texts.length - 1)).waitFor(), place: dialog }],
  },
  "patterns that are wrong": {
    path: `${home}/sources/${sources[0].sourceId}?tab=settings`,
    answer: (texts, whole) => ({ fail: { [`POST /v1${home}/try-paths`]: [400, { error: { code: "X", message: whole, details: { "excludePaths.0": whole } } }] } }),
    steps: [{ ready: (page) => dialog(page).getByRole("alert").or(dialog(page).getByText(/\S/)).first().waitFor() }],
  },
  "passages, their headings, and history": {
    path: `${home}/sources/${sources[5].sourceId}?tab=passages`,
    answer: (texts) => ({
      state: { passages: texts.map((text, i) => ({ passageId: `psg_${i}`, number: i, heading: text, start: 0, end: 1, text })) },
      fail: { [`GET /v1${home}/sources/${sources[5].sourceId}/versions`]: [200, { versions: texts.map((text, i) => ({ version: `${i} ${text}`, state: "failed", reason: text, bytes: 1, createdAt: "2026-11-02T09:00:00.000Z" })) }] },
    }),
    steps: [
      { ready: (page, texts) => dialog(page).getByRole("row").nth(Math.min(5, texts.length - 1)).waitFor(), place: dialog },
      { act: (page) => page.getByRole("tab", { name: "History" }).click(), after: (page) => dialog(page).getByRole("listitem").first().or(dialog(page).getByRole("row").first()).waitFor() },
    ],
  },
  "why a version failed": {
    path: `${home}/sources/${sources[5].sourceId}?tab=history`,
    answer: (texts, whole) => ({ state: { sources: [{ ...sources[5], reason: whole }] } }),
    steps: [{ ready: to.byText("This version answers"), place: dialog }],
  },
  "a version, and what has changed since": {
    path: `${home}/sources/${sources[5].sourceId}?tab=history`,
    answer: (texts, whole) => ({ state: { text: whole } }),
    steps: [
      { act: (page) => page.getByRole("button", { name: /^Open the version of/ }).last().click(), place: textRegion },
      { act: (page) => page.getByText("Show what has changed since then").click(), after: to.byText(/^Lines added: 0/) },
    ],
  },
  "what is said of addresses": {
    path: `${home}/sources/${sources[0].sourceId}?tab=settings`,
    answer: (texts) => ({ fail: { [`POST /v1${home}/try-paths`]: [200, { verdicts: texts.map((address) => ({ address, verdict: "leftOut" })) }] } }),
    steps: [{ place: (page) => page.getByRole("list", { name: "What is read" }) }],
  },
  "names of files that are refused": {
    path: `${home}/sources?add=files`,
    answer: (texts, whole) => ({ state: { sources: [] }, post: { sources: [400, { error: { code: "X", message: "", details: { file: whole } } }] } }),
    steps: [
      { act: chooseFiles, after: (page, texts) => queue(page).getByRole("alert").nth(fileNames(texts).length - 1).waitFor(), place: queue, shows: fileNames },
    ],
  },
  "text of a source": {
    path: `${home}/sources/${sources[5].sourceId}?tab=text`,
    answer: (texts, whole) => ({ state: { text: whole } }),
    steps: [{ ready: (page) => page.getByRole("region", { name: "Text" }).waitFor(), place: dialog }],
  },
  "questions and answers": {
    path: `${home}/sources/${sources[2].sourceId}?tab=settings`,
    answer: (texts, whole) => ({
      fail: { [`GET /v1${home}/sources/${sources[2].sourceId}`]: [200, { ...sources[2], name: whole, questions: texts, answer: whole, progress: null }] },
    }),
    steps: [{ ready: (page) => dialog(page).getByRole("textbox").first().waitFor(), place: dialog }],
  },
  "what a search finds": {
    path: `${home}/sources`,
    answer: (texts, whole) => ({
      state: { foundName: whole, passages: texts.map((text, i) => ({ passageId: `psg_${i}`, number: i, heading: text, start: 0, end: 1, text: `${text} thirty days` })) },
    }),
    steps: [{ act: to.trySearch, place: dialog }],
  },
  "the first answer, and what it rests on": {
    path: `/welcome/${id}`,
    answer: (texts, whole) => ({
      list: [{ ...agents[0], name: whole }],
      state: { reply: replyOf(texts, whole) },
    }),
    steps: [{ ready: to.textbox, act: to.askFirst }],
  },
};

function replyOf(texts, whole) {
  const end = Buffer.byteLength(whole);
  const citations = texts.map((text, i) => ({ sourceId: `${i}${text}`, name: text, url: text, versionHash: text, start: 0, end: 1, answerStart: 0, answerEnd: end }));
  const metadata = { conversationId: "conv", citations, finishReason: "stop", score: 0.9, userId: null, userMessageId: "msg_0", answerState: "sure", usage: { credits: 1 } };
  return { id: "msg_1", role: "assistant", parts: [{ type: "text", text: whole }], metadata };
}

describe("strings of strangers", { skip }, () => {
  const show = useSamePages(watchPage);
  Object.entries(sinks).forEach(([name, { path, answer, steps }], offset) => {
    test(name, async () => {
      const all = [...new Set(chosen(offset % 10))].map((text) => text.slice(0, longest));
      for (let i = 0; i < all.length; i += most) await check(path, answer, steps, all.slice(i, i + most));
    });
  });

  async function check(path, answer, steps, texts) {
    const { post, ...options } = answer(texts, texts.join("\n"));
    const base = answers(options);
    const ending = (asked) => post?.[asked.path.split("/").at(-1)];
    const reply = Object.assign((asked) => (asked.method === "POST" && ending(asked)) || base(asked), base);
    const use = async (page) => {
      for (const { ready, act, after, place, texts: count = texts.length, shows = () => texts.slice(0, count) } of steps) {
        await ready?.(page, texts);
        await act?.(page, texts);
        await after?.(page, texts);
        if (place) {
          await place(page).waitFor();
          const missing = await untilNothing(() => place(page).evaluate(findMissing, shows(texts)));
          assert.equal(missing, null, "is not shown as it is");
        }
        assert.deepEqual(await page.evaluate(findForbidden), []);
        assert.match(page.url(), /^http:\/\/localhost:\d+\/console\//);
      }
    };
    await show(reply, path, use, tall);
  }
});

assert.ok(Object.keys(sinks).length >= 23, "a sink is missing");
