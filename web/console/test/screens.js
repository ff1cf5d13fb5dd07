// The screens of the console with their states: what the tests of accessibility and the pictures are taken of. A new
// screen is one entry: its address, and for each state what the server answers and what to wait for. The first state is
// the screen as it mostly is. screen-states.js has what states are made of.
import { refused } from "./action-answers.js";
import { answers, inWorkspace } from "./answers.js";
import { conversation, customers, topics, voiceSessions } from "./insight-answers.js";
import { modelServers } from "./model-answers.js";
import { rows as inboxRows } from "./inbox-answers.js";
import { faults } from "./manifest-answers.js";
import { explain, metadata } from "./playground-answers.js";
import { view as savedView, whoAnswers } from "./saved-answers.js";
import * as to from "./screen-states.js";
import { sources } from "./source-answers.js";
import { dueTickets, tickets, withTickets } from "./ticket-answers.js";
import { account, members, singleSignOn, troubled, usage } from "./workspace-answers.js";

const help = "5QHA6VB-DIAbBhxwqxfdi";
const ofAgent = `/agents/${help}/sources`;
const [site, , , failedSource, , text] = sources.map(({ sourceId }) => `${ofAgent}/${sourceId}`);
const routes = { list: `GET /v1${ofAgent}`, agent: `GET /v2/agents/${help}`, settings: `GET /v1/agents/${help}/settings` };
const ofPerson = `GET /v1/agents/${help}/customers/${customers[0].customerId}`;
const signedOut = { isSignedIn: false };
const sso = { features: { passkey: false, oidc: true, oidcName: "Shop ID", mail: true } };
const viewer = { session: { memberships: [{ accountId: "acc_1", accountName: "Shop", role: "viewer" }] } };
const hosted = { state: { pagesOrigin: "https://agents.example.com" } }; // the snippets name no port of the tests
const noSource = { state: { sources: [] } };
const models = "/workspace/models";
const [, main, failing] = modelServers.map(({ modelServerId }) => `${models}/${modelServerId}`);
const actions = `/agents/${help}/actions`;
const listModels = "GET /v1/accounts/acc_1/model-servers";
const support = { session: withTickets() };
const due = { ...support, state: { tickets: dueTickets } };
const people = { session: inWorkspace() };
const withProvider = { session: { ...inWorkspace(), features: sso.features } };
const shut = { session: { memberships: [{ accountId: "acc_1", accountName: "Shop", role: "agent", permissions: [], needsSingleSignOn: true }], ...sso } };
const askedForPasskey = { session: { memberships: [{ accountId: "acc_1", accountName: "Shop", role: "admin", permissions: [], passkeyStep: "add" }], features: { passkey: true, oidc: false, oidcName: "", mail: true } } };
const byOther = { session: { memberships: [{ accountId: "acc_1", accountName: "Garage", role: "agent", permissions: [], needsOtherSignIn: true, singleSignOnName: "Garage ID" }], ...sso } };
const mine = { inbox: [{ ...inboxRows[0], claimedBy: { userId: "usr_1", name: "Owner" } }] };
const views = [savedView(1, "Refunds", { shared: true }), savedView(2, "Without an agent", { gone: ["agent"] })];
const alone = { ...people, state: { members: members.slice(0, 1), invitations: [] } };
const noUsage = { credits: 0, reservedCredits: 0, forecast: null, reachesLimitAt: null, creditLimit: null, days: usage.days.map((one) => ({ ...one, credits: 0 })), models: [], plan: { ...usage.plan, name: "unlimited", voice: false, voiceSessionsPerDay: null, agents: null, storagePerAgent: null, creditsPerMonth: null } };
const nothingToday = { conversations: 0, answers: 0, resolved: 0, escalated: 0, firstTextMillis: null, waiting: 0 };
const playground = `/agents/${help}/playground`;

/** By name: the address and the states. */
export const screens = {
  "sign-in": screen("/", {
    full: [signedOut, to.heading],
    insecure: [{ ...signedOut, session: { insecure: true } }, to.heading],
    wrong: [signedOut, to.signInWrongly],
    ...to.stuck("GET /v1/session", signedOut),
    loading: [{ ...signedOut, fail: { "GET /v1/session": to.never } }, to.opening],
  }),
  "sign-in-sso": screen("/sign-in#oidc-domain", { full: [{ ...signedOut, session: sso }, to.heading] }),
  "sign-in-refused": screen("/", { full: [{ ...to.withRefusedPassword, session: sso }, to.signInWrongly] }),
  setup: screen("/setup#good", { full: [{ ...signedOut, session: { needsSetup: true } }, to.heading] }),
  redeem: screen("/redeem#good", { full: [signedOut, to.heading], ...to.stuck("POST /v1/session/link-state", signedOut) }),
  "redeem-half": screen("/redeem", { full: [signedOut, to.heading] }),
  agents: screen("/agents", {
    full: [{}, to.byText("Wholesale")],
    empty: [{ list: [] }, to.heading],
    viewer: [viewer, to.byText("Wholesale")],
    partial: [{ fail: { "GET /v1/agents/figures": to.broken } }, to.within("main [role=status] button")],
    ...to.stuck("GET /v2/agents"),
  }),
  inbox: screen("/inbox", {
    full: [{ state: { isCounted: true, inbox: inboxRows.map((one, i) => ({ ...one, unread: i === 1 })) } }, to.byText("Customer 2")],
    empty: [{ state: { inbox: [] } }, to.count("h2", 1)],
    saved: [{ session: whoAnswers, state: { views, isCounted: true } }, to.byText("Refunds")],
    viewer: [viewer, to.byText("Customer 2")],
    partial: [{ fail: { "GET /v1/accounts/acc_1/inbox/counts": to.broken } }, to.byText("Customer 2")],
    ...to.stuck("GET /v1/accounts/acc_1/inbox"),
  }),
  "inbox-conversation": screen(`/inbox/${inboxRows[0].conversationId}`, {
    full: [{}, to.byText("gold")],
    mine: [{ state: mine }, to.textbox],
    viewer: [viewer, to.byText("The label is in the parcel.")],
    gone: [{ state: { inbox: [] } }, to.heading],
    ...to.stuck(`GET /v1/conversations/${inboxRows[0].conversationId}/thread`),
  }),
  "dialog-saved-replies": screen(`/inbox/${inboxRows[0].conversationId}`, {
    full: [{ session: whoAnswers, state: mine }, to.press("saved.replies")],
    empty: [{ session: whoAnswers, state: { ...mine, replies: [] } }, to.press("saved.replies")],
  }),
  "dialog-inbox-ticket": screen(`/inbox/${inboxRows[0].conversationId}`, {
    full: [{ session: whoAnswers, state: { tickets: [{ ...tickets[0], ticketNumber: 118 }] } }, to.changeTicketOfConversation],
  }),
  "dialog-view": screen(`/inbox?view=all&agent=${inboxRows[0].agentId}`, {
    full: [{ session: whoAnswers }, to.press("saved.saveView")],
  }),
  "agents-manifest": screen("/agents", { full: [{}, to.openManifest] }),
  agent: screen(`/agents/${help}`, {
    full: [{}, to.byText("Do you ship to Norway?")],
    empty: [{ state: { sources: [], insights: to.noInsights, today: nothingToday } }, to.byText(help)],
    viewer: [viewer, to.byText("Do you ship to Norway?")],
    partial: [{ fail: { [`GET /v1/agents/${help}/today`]: to.broken, [`${routes.agent}/insights`]: to.broken } }, to.requestId],
    ...to.stuck(routes.agent),
  }),
  playground: screen(playground, {
    full: [{}, to.byText("How do I return shoes?")],
    empty: [noSource, to.textbox],
    answer: [{}, to.askPlayground],
    refused: [to.answering({ metadata: { ...metadata, answerState: "refused", citations: [], explain: { ...explain, refused: true, passages: [] } } }), to.ask],
    broken: [to.answering({ error: "The model did not answer.", metadata: { ...metadata, explain: null } }), to.askInVain],
    viewer: [viewer, to.heading],
    ...to.stuck(routes.settings),
  }),
  "playground-recent": screen(playground, { full: [{}, to.openRecent] }),
  "playground-stored": screen(`${playground}?conversation=conv&conversation=conv_2&pane=settings`, {
    full: [{}, to.textbox],
  }),
  "playground-lost": screen(`${playground}?conversation=conv`, {
    failed: [{ fail: { [`GET /v1${playground}/conversations/conv`]: to.broken } }, to.requestId],
  }),
  insights: screen(`/agents/${help}/insights`, {
    full: [{ state: { insights: { topics } } }, to.byText("Widget or Iframe")],
    empty: [{ state: { insights: { ...to.noInsights, topics: [] } } }, to.byText("Widget or Iframe")],
    ...to.stuck(`${routes.agent}/insights`),
  }),
  "insights-questions": screen(`/agents/${help}/insights/questions`, {
    full: [{}, to.byText("Do you ship to Norway?")],
    empty: [{ state: { insights: to.noInsights } }, to.count("h2", 1)],
    viewer: [viewer, to.byText("Do you ship to Norway?")],
  }),
  "insights-topics": screen(`/agents/${help}/insights/topics`, {
    full: [{ state: { insights: { topics } } }, to.byText("Gift cards")],
    viewer: [{ ...viewer, state: { insights: { topics } } }, to.byText("Gift cards")],
    ...to.stuck(routes.settings),
  }),
  "insights-conversations": screen(`/agents/${help}/insights/conversations?escalated=true&startDate=2026-11-01&endDate=2026-11-30`, {
    full: [{}, to.byText("A parcel that is late")],
    empty: [{ state: { found: [] } }, to.count("h2", 1)],
    ...to.stuck("GET /v1/accounts/acc_1/inbox/search"),
  }),
  "insights-counted": screen(`/agents/${help}/insights/conversations?figure=refused&startDate=2026-11-01&endDate=2026-11-30`, {
    full: [{}, to.byText("A parcel that is late")],
  }),
  "insights-conversation": screen(`/agents/${help}/insights/conversations/${conversation}`, {
    full: [{}, to.byText("Where is my parcel?")],
    ...to.stuck(`GET /v1/conversations/${conversation}/thread`),
  }),
  people: screen(`/agents/${help}/people`, {
    full: [{}, to.byText("two@example.com")],
    empty: [{ state: { customers: [] } }, to.count("h2", 1)],
    viewer: [viewer, to.byText("two@example.com")],
    ...to.stuck(`GET /v1/agents/${help}/customers`),
  }),
  person: screen(`/agents/${help}/people/${customers[0].customerId}`, {
    full: [{}, to.byText("Order 4711")],
    empty: [{ state: { customer: { attributes: [], conversations: [], tickets: [] } } }, to.byText("one@example.com")],
    gone: [{ fail: { [ofPerson]: [404, { error: { code: "NOT_FOUND", message: "" } }] } }, to.count("h2", 1)],
    ...to.stuck(ofPerson),
  }),
  "dialog-erase": screen(`/agents/${help}/people/${customers[0].customerId}`, { full: [{}, to.press("people.erasePerson", "alertdialog")] }),
  leads: screen(`/agents/${help}/people/leads`, {
    full: [{}, to.byText("company: Shop")],
    empty: [{ state: { leads: [] } }, to.count("h2", 1)],
    ...to.stuck(`GET /v1/agents/${help}/leads`),
  }),
  "voice-sessions": screen(`/agents/${help}/voice`, {
    full: [{}, to.within('main a[href*="/voice/"]')],
    empty: [{ state: { voiceSessions: [] } }, to.count("h2", 1)],
    ...to.stuck("GET /v1/voice/sessions"),
  }),
  "voice-session": screen(`/agents/${help}/voice/${voiceSessions[0].sessionId}`, {
    full: [{}, to.byText("Where is my parcel?")],
    viewer: [viewer, to.byText("Where is my parcel?")],
    ...to.stuck(`GET /v1/voice/sessions/${voiceSessions[0].sessionId}`),
  }),
  sources: screen(ofAgent, {
    full: [{}, to.byText("handbook.pdf")],
    empty: [noSource, to.count("h2", 1)],
    viewer: [viewer, to.byText("handbook.pdf")],
    partial: [{ fail: { [`POST /v1${failedSource}/refetch`]: to.broken } }, to.tryAgain],
    ...to.stuck(routes.list),
  }),
  "sources-deleting": screen(ofAgent, {
    full: [{}, to.deleteAll],
    partial: [{ fail: { [`DELETE /v2${failedSource}`]: to.broken } }, to.deleteInPart],
  }),
  source: screen(text, { failed: [{ fail: { [`${routes.list}/${sources[5].sourceId}`]: to.broken } }, to.requestId] }),
  "sources-empty": screen(`${ofAgent}?name=nothing`, { empty: [{}, (page) => page.getByRole("search").waitFor()] }),
  "source-pages": screen(site, {
    full: [{}, to.byText("https://shop.example/shipping")],
    empty: [{ state: { pages: [] } }, to.panel],
    ...to.stuck(`${routes.list}/${sources[0].sourceId}/pages`, {}, "[role=dialog]"),
  }),
  "source-settings": screen(`${site}?tab=settings`, { full: [{}, to.textbox], ...to.stuck(`${routes.list}/${sources[0].sourceId}`, {}, "[role=dialog]") }),
  "source-text": screen(`${text}?tab=text`, {
    full: [{}, to.byText("Goods may be sent back")],
    empty: [{ state: { text: "" } }, to.panel],
    ...to.stuck(`${routes.list}/${sources[5].sourceId}/text`, {}, "[role=dialog]"),
  }),
  "source-passages": screen(`${text}?tab=passages`, {
    full: [{}, to.byText("Goods may be sent back")],
    empty: [{ state: { passages: [] } }, to.panel],
    ...to.stuck(`${routes.list}/${sources[5].sourceId}/passages`, {}, "[role=dialog]"),
  }),
  "source-history": screen(`${text}?tab=history`, {
    full: [{}, to.byText("0192f3c1aa0b")],
    ...to.stuck(`${routes.list}/${sources[5].sourceId}/versions`, {}, "[role=dialog]"),
  }),
  "source-text-settings": screen(`${text}?tab=settings`, {
    full: [{}, to.textbox],
    failed: [{ fail: { [`${routes.list}/${sources[5].sourceId}/text`]: to.broken } }, to.requestId],
  }),
  "source-version": screen(`${text}?tab=history`, { full: [{}, to.compareVersions] }),
  "add-files": screen(`${ofAgent}?add=files`, { full: [{}, to.dialog] }),
  "add-website": screen(`${ofAgent}?add=website`, { full: [{}, to.dialog] }),
  "add-qna": screen(`${ofAgent}?add=qna&question=Why%3F`, { full: [{}, to.dialog] }),
  "add-text": screen(`${ofAgent}?add=text`, { full: [{}, to.dialog] }),
  "first-run": screen("/welcome", { full: [{}, to.heading] }),
  "first-run-ask": screen(`/welcome/${help}`, { full: [{}, to.textbox], answer: [{}, to.askFirst] }),
  actions: screen(actions, {
    full: [{}, to.byText("search_the_web")],
    empty: [{ state: { tools: { actions: [], procedures: [] } } }, to.count("h2", 1)],
    viewer: [viewer, to.byText("search_the_web")],
    ...to.stuck(`GET /v1${actions}`),
  }),
  action: screen(`${actions}/edit/track_order`, {
    full: [{}, to.byName("config.url")],
    tried: [{}, to.tryAction],
    refused: [{ state: { trial: refused } }, to.tryAction],
    gone: [{ state: { tools: { actions: [], procedures: [] } } }, to.within("main h2")],
    ...to.stuck(`GET /v1${actions}/track_order`),
  }),
  "action-new": screen(`${actions}/new/http`, { full: [{}, to.byName("config.url")] }),
  procedure: screen(`${actions}/procedure/refund`, { full: [{}, to.byName("steps.0.say")], tried: [{}, to.tryProcedure] }),
  "dialog-action-remove": screen(`${actions}/edit/track_order`, { full: [{}, to.press("actions.remove", "alertdialog")] }),
  looks: screen(`/agents/${help}/looks`, {
    full: [{}, to.byName("chat.headerColor")],
    viewer: [viewer, to.within("iframe")],
    ...to.stuck(routes.settings),
  }),
  "looks-stage": screen(`/agents/${help}/looks?tab=stage`, { full: [{}, to.byName("centerStage.footer")] }),
  embed: screen(`/agents/${help}/embed`, {
    full: [hosted, to.byText("https://agents.example.com")],
    viewer: [{ ...viewer, ...hosted }, to.byText("https://agents.example.com")],
    ...to.stuck(routes.settings, hosted),
  }),
  "agent-settings": screen(`/agents/${help}/settings`, {
    full: [{}, to.byName("settings.instructions")],
    changed: [{}, to.changeSettings],
    viewer: [viewer, to.byName("settings.instructions")],
    ...to.stuck(routes.settings),
  }),
  ...Object.fromEntries(
    ["channels", "limits", "notifications", "voice", "privacy", "search"].map((part) => [
      `agent-settings-${part}`,
      screen(`/agents/${help}/settings/${part}`, { full: [{}, to.within("form h2")], viewer: [viewer, to.within("form h2")] }),
    ]),
  ),
  "agent-settings-history": screen(`/agents/${help}/settings/history`, {
    full: [{}, to.within("main ol time")],
    empty: [{ state: { history: [] } }, to.count("h2", 2)],
    viewer: [viewer, to.within("main ol time")],
    ...to.stuck(`GET /v1/agents/${help}/history`),
  }),
  "agent-settings-delete": screen(`/agents/${help}/settings/delete`, { full: [{}, to.byName("confirm")] }),
  "dialog-settings-version": screen(`/agents/${help}/settings/history?version=4`, {
    full: [{}, to.within("[role=dialog] ins")],
    ...to.stuck(`GET /v1/agents/${help}/history/4`, {}, "[role=dialog]"),
  }),
  "agent-manifest": screen(`/agents/${help}/manifest`, {
    full: [{}, to.within("textarea[name=manifest]")],
    faults: [{ state: { manifestFaults: faults } }, to.compareWrongManifest],
    viewer: [viewer, to.heading],
    ...to.stuck(`GET /v1/agents/${help}/manifest`),
  }),
  "dialog-manifest-changes": screen(`/agents/${help}/manifest`, {
    full: [{}, to.compareManifest],
    empty: [{ state: { changes: [] } }, to.press("manifest.compare")],
  }),
  models: screen(models, {
    full: [{}, to.byText("Main model")],
    empty: [{ state: { servers: [] } }, to.count("h2", 1)],
    viewer: [viewer, to.heading],
    "no-keys": [{ state: { canKeepKeys: false, servers: modelServers.slice(1, 2) } }, to.within("main p[role=status]")],
    tested: [{}, to.testFirstServer],
    ...to.stuck(listModels),
  }),
  "model-new": screen(`${models}/new/chat`, { full: [{}, to.byName("url")], tested: [{ state: { outcome: to.wrongKey } }, to.testNewServer] }),
  "model-new-embedding": screen(`${models}/new/embedding`, { full: [{ state: { servers: [] } }, to.byName("dimensions")] }),
  "model-server": screen(main, {
    full: [{}, to.byName("url")],
    changed: [{}, to.changeServer],
    gone: [{ state: { servers: [] } }, to.within("main a[href]")],
    ...to.stuck(listModels),
  }),
  "model-server-failing": screen(failing, { full: [{}, to.byName("url")] }),
  members: screen("/workspace/members", {
    full: [people, to.byText("lee@shop.example")],
    empty: [alone, to.count("h2", 3)],
    viewer: [viewer, to.heading],
    removed: [{ ...people, state: { isSteppedUp: true } }, to.removeMember],
    ...to.stuck("GET /v1/members", people),
  }),
  "api-keys": screen("/workspace/keys", {
    full: [people, to.byText("Site backend")],
    empty: [{ ...people, state: { keys: [] } }, to.count("h2", 1)],
    viewer: [viewer, to.heading],
    ...to.stuck("GET /v1/keys", people),
  }),
  "api-keys-revoked": screen("/workspace/keys?list=revoked", { full: [people, to.byText("Trial")] }),
  usage: screen("/workspace/usage", {
    full: [people, to.within("tbody a")],
    empty: [{ ...people, state: { agentsUsage: [], usage: noUsage } }, to.count("dl > div", 5)],
    reached: [{ ...people, state: { usage: { credits: 4000, reachesLimitAt: null } } }, to.within("main [aria-label] svg")],
    viewer: [viewer, to.within("tbody a")],
    ...to.stuck("GET /v1/accounts/acc_1/usage", people),
  }),
  tickets: screen(`/agents/${help}/tickets`, {
    full: [support, to.byText("#4 Wrong size")],
    empty: [{ ...support, state: { tickets: [] } }, to.count("h2", 1)],
    viewer: [{ session: withTickets("viewer") }, to.byText("#4 Wrong size")],
    overdue: [due, to.byText("#4 Wrong size")],
    ...to.stuck(`GET /v1/agents/${help}/tickets`, support),
  }),
  "tickets-board": screen(`/agents/${help}/tickets?layout=board`, {
    full: [support, to.byText("#4 Wrong size")],
    overdue: [due, to.byText("#4 Wrong size")],
  }),
  "tickets-all": screen("/tickets", {
    full: [support, to.byText("#4 Wrong size")],
    empty: [{ ...support, state: { tickets: [] } }, to.count("h2", 1)],
    ...to.stuck("GET /v1/accounts/acc_1/tickets", support),
  }),
  "dialog-ticket": screen(`/agents/${help}/tickets`, { full: [support, to.press("tickets.new")] }),
  ticket: screen(`/agents/${help}/tickets/4`, {
    full: [support, to.byText("The shoes are too small.")],
    viewer: [{ session: withTickets("viewer") }, to.byText("The shoes are too small.")],
    overdue: [due, to.byText("The shoes are too small.")],
    ...to.stuck(`GET /v1/agents/${help}/tickets/4`, support),
  }),
  "helpdesk-statuses": screen(`/agents/${help}/helpdesk`, {
    full: [support, to.byText("Supplier")],
    viewer: [{ session: withTickets("viewer") }, to.byText("Supplier")],
    ...to.stuck(`GET /v1/agents/${help}/statuses`, support),
  }),
  "helpdesk-teams": screen(`/agents/${help}/helpdesk/teams`, { full: [support, to.byText("Billing")] }),
  "helpdesk-rules": screen(`/agents/${help}/helpdesk/rules`, {
    full: [support, to.byText("Important customers")],
    empty: [{ ...support, state: { rules: [] } }, to.within("[role=tabpanel] form")],
  }),
  "helpdesk-targets": screen(`/agents/${help}/helpdesk/targets`, {
    full: [support, to.within("[role=tabpanel] fieldset")],
    viewer: [{ session: withTickets("viewer") }, to.within("[role=tabpanel] fieldset")],
    ...to.stuck(`GET /v1/agents/${help}/sla-targets`, support),
  }),
  "helpdesk-replies": screen(`/agents/${help}/helpdesk/replies`, {
    full: [support, to.byText("Opening hours")],
    empty: [{ ...support, state: { replies: [] } }, to.within("[role=tabpanel] button")],
    viewer: [{ session: withTickets("viewer") }, to.byText("Opening hours")],
    ...to.stuck("GET /v1/accounts/acc_1/saved-replies", support),
  }),
  "dialog-reply": screen(`/agents/${help}/helpdesk/replies`, { full: [support, to.press("saved.addReply")] }),
  "dialog-status": screen(`/agents/${help}/helpdesk`, { full: [support, to.press("tickets.setup.addStatus")] }),
  "dialog-team": screen(`/agents/${help}/helpdesk/teams`, { full: [support, to.press("tickets.setup.addTeam")] }),
  "dialog-rule": screen(`/agents/${help}/helpdesk/rules`, { full: [support, to.press("tickets.setup.addRule")] }),
  pair: screen("/pair?code=BCDF-GHJK", {
    full: [people, to.byText("laptop")],
    gone: [{ ...people, state: { isDecided: true } }, to.within("main [role=alert]")],
    viewer: [viewer, to.heading],
  }),
  "pair-code": screen("/pair", { full: [people, to.byName("code")] }),
  "embed-channels": screen(`/agents/${help}/embed`, { full: [{ ...people, ...hosted }, to.byText("Support in Slack")] }),
  webhooks: screen("/workspace/webhooks", {
    full: [people, to.byText("https://crm.example/in")],
    empty: [{ ...people, state: { webhooks: [] } }, to.count("h2", 1)],
    viewer: [viewer, to.heading],
    ...to.stuck("GET /v1/webhooks", people),
  }),
  deliveries: screen("/workspace/webhooks/hook_1", {
    full: [people, to.count("time", 3)],
    empty: [{ ...people, state: { deliveries: [] } }, to.within("[role=tabpanel] p")],
    gone: [{ ...people, state: { webhooks: [] } }, to.count("h2", 1)],
    ...to.stuck("GET /v1/deliveries", people),
  }),
  audit: screen("/workspace/audit", {
    full: [people, to.count("li", 5)],
    empty: [{ ...people, state: { acts: [] } }, to.count("h2", 1)],
    viewer: [viewer, to.heading],
    intact: [people, to.verifyAudit],
    broken: [{ ...people, state: { verify: () => ({ checked: 2, hash: "", total: 5, done: true, broken: true }) } }, to.verifyAudit],
    ...to.stuck("GET /v1/accounts/acc_1/audit", people),
  }),
  company: screen("/workspace/general", {
    full: [people, to.byName("name")],
    viewer: [viewer, to.byName("name")],
    ...to.stuck("GET /v1/accounts", people),
  }),
  "sign-in-rules": screen("/workspace/sign-in", {
    full: [withProvider, to.within("main [role=switch]")],
    only: [{ ...withProvider, state: { account: { ...account, onlySingleSignOn: true, exemptOwner: "usr_1" } } }, to.within("main [aria-haspopup=listbox]")],
    none: [people, to.within("main [role=switch]")],
    provider: [{ ...withProvider, state: { singleSignOn } }, to.byText("shop.test")],
    viewer: [viewer, to.heading],
    ...to.stuck("GET /v1/members", people),
  }),
  "needs-sso": screen("/agents", { full: [shut, to.heading] }),
  "needs-passkey": screen("/agents", { full: [askedForPasskey, to.heading] }),
  "needs-other": screen("/agents", { full: [byOther, to.heading] }),
  server: screen("/workspace/server", {
    full: [people, to.byText("1.4.0")],
    troubled: [{ ...people, state: { server: troubled } }, to.byText("1.4.0")],
    empty: [{ ...people, state: { server: { ...troubled, version: "", disk: null, modelServers: [] } } }, to.byText("SQLite")],
    viewer: [viewer, to.heading],
    ...to.stuck("GET /v1/accounts/acc_1/server", people),
  }),
  me: screen("/me", {
    full: [{}, to.byText("192.0.2.11")],
    ...to.stuck("GET /v1/me"),
    parts: [{ fail: { "GET /v1/me/sessions": to.broken, "GET /v1/me/passkeys": to.broken } }, to.requestId],
  }),
  "not-found": screen("/nowhere", { full: [{}, to.within("main a[href]")] }),
  "sources-unknown": screen("/agents/0nobodys-AgentAtAllHere/sources", { full: [{}, to.within("main h2")] }),
  "no-company": screen("/agents", { full: [{ session: { memberships: [] } }, to.heading] }),
  "unknown-company": screen("/a/acc_7/agents", { full: [{ session: to.twoCompanies }, to.heading] }),
  commands: screen("/agents", { full: [{}, to.openBy("Control+k")] }),
  keys: screen("/agents", { full: [{}, to.openBy("?")] }),
  "user-menu": screen("/a/acc_0/me", { full: [{ session: to.twoCompanies }, to.openUserMenu] }),
  "dialog-expired": screen("/me", { full: [to.expired, to.saveName], other: [to.expired, to.signInAsOther] }),
  "dialog-step-up": screen("/me", { full: [{}, to.changePassword] }),
  "dialog-rename": screen("/me", { full: [to.withPasskeys, to.press("passkey.renameNamed")] }),
  "dialog-passkey-remove": screen("/me", { full: [to.withPasskeys, to.press("passkey.deleteNamed", "alertdialog")] }),
  "dialog-recovery-codes": screen("/me", { full: [to.withCodes, to.makeCodes] }),
  "dialog-leave": screen(`/agents/${help}/settings`, { full: [{}, to.leaveSettings] }),
  "dialog-conflict": screen(`/agents/${help}/settings`, { full: [to.changedByOthers(help), to.saveSettings] }),
  "dialog-model-remove": screen(main, { full: [{}, to.press("models.remove", "alertdialog")] }),
  "dialog-model-conflict": screen(main, { full: [to.serverChangedByOthers(modelServers[1]), to.saveServer] }),
  "dialog-invite": screen("/workspace/members", {
    full: [people, to.press("members.invite")],
    done: [{ ...people, state: { isSteppedUp: true } }, to.invite],
  }),
  "dialog-member-role": screen("/workspace/members", { full: [people, to.chooseOfMember("members.changeRole", "dialog")] }),
  "dialog-member-link": screen("/workspace/members", { full: [people, to.chooseOfMember("members.makeLink", "dialog")] }),
  "dialog-member-remove": screen("/workspace/members", { full: [people, to.chooseOfMember("members.remove", "alertdialog")] }),
  "dialog-invitation-withdraw": screen("/workspace/members", { full: [people, to.withdrawInvitation] }),
  "dialog-key": screen("/workspace/keys", { full: [people, to.newKey], done: [{ ...people, state: { isSteppedUp: true } }, to.makeKey] }),
  "dialog-key-revoke": screen("/workspace/keys", { full: [people, to.press("apiKeys.revokeNamed", "alertdialog")] }),
  "dialog-webhook": screen("/workspace/webhooks", { full: [people, to.press("webhooks.add")] }),
  "dialog-webhook-change": screen("/workspace/webhooks", { full: [people, to.chooseOfWebhook("webhooks.change", "dialog")] }),
  "dialog-webhook-secret": screen("/workspace/webhooks", { full: [people, to.chooseOfWebhook("webhooks.rotate", "dialog")] }),
  "dialog-webhook-remove": screen("/workspace/webhooks", { full: [people, to.chooseOfWebhook("webhooks.remove", "alertdialog")] }),
  "dialog-delete": screen(text, { full: [{}, to.press("sources.delete", "alertdialog")] }),
  "dialog-try-search": screen(ofAgent, { full: [{}, to.trySearch] }),
  "dialog-improve": screen(playground, { full: [{}, to.improve], done: [{}, to.improveAndSave] }),
  "sign-in-second-step": screen("/", { full: [to.withSecondStep, to.typePassword] }),
};

function screen(path, states) {
  return { path, states };
}

/** A theme, a direction and a width. Text from the right is that of the locale for tests, so that it is readable. */
export const looks = ["light", "dark"].flatMap((colorScheme) =>
  ["ltr", "rtl"].flatMap((direction) => [1280, 390].map((width) => ({ colorScheme, direction, width }))),
);

/** Every screen in every state and every look. */
export function everyView() {
  return everyState().flatMap(({ name, state, path, found }) => looks.map((look) => view(name, path, state, found, look)));
}

/** Every screen in every state. */
export function everyState() {
  return Object.entries(screens).flatMap(([name, { path, states }]) =>
    Object.entries(states).map(([state, found]) => ({ name, state, path, found })),
  );
}

/** Each screen once, dark, from the right and on a phone, in a state that differs from screen to screen. */
export function fewViews() {
  return Object.entries(screens).map(([name, { path, states }], i) => {
    const all = Object.entries(states);
    return view(name, path, ...all[i % all.length], { colorScheme: "dark", direction: "rtl", width: 390 });
  });
}

/** A state of a screen in a look: what opens it. */
export function view(name, path, state, [answer, ready], look) {
  const { colorScheme, direction, width } = look;
  return {
    name: `${name} ${state} ${colorScheme} ${direction} ${width}`,
    path,
    direction,
    ready,
    answer: () => {
      if (typeof answer === "function") return answer();
      const made = answers(answer);
      return Object.assign(made, { state: Object.assign(made.state, answer.state) });
    },
    options: {
      colorScheme,
      locale: direction === "rtl" ? "ar-XB" : "en",
      viewport: { width, height: 844 },
      reducedMotion: "reduce",
    },
  };
}
