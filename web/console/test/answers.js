// Recorded answers of the API, and a small server's memory for what the tests change.
import { answerEmbedding } from "./embed-answers.js";
import { answerInbox } from "./inbox-answers.js";
import { answerInsights } from "./insight-answers.js";
import { answerManifest } from "./manifest-answers.js";
import { answerActions } from "./action-answers.js";
import { answerModelServers } from "./model-answers.js";
import { answerPlayground } from "./playground-answers.js";
import { notFound } from "./serve.js";
import { answerSaved } from "./saved-answers.js";
import { answerSources, figures } from "./source-answers.js";
import { answerTickets } from "./ticket-answers.js";
import { answerWorkspace } from "./workspace-answers.js";

const agent = (id, name, status, more = {}) => ({
  id,
  name,
  status,
  model: "auto",
  visibility: "private",
  size: 48213,
  creditsUsed: 212,
  creditLimit: 5000,
  autoRetrain: false,
  createdAt: "2026-11-02T09:00:00.000Z",
  lastMessageAt: "2026-11-20T16:41:07.312Z",
  lastTrainedAt: "2026-11-19T08:12:40.050Z",
  ...more,
});

export const agents = [
  agent("5QHA6VB-DIAbBhxwqxfdi", "Help desk", "trained"),
  agent("8ZK2M1C-QWErTyUiOpAsD", "Returns", "training", { creditLimit: null, lastTrainedAt: null }),
  agent("1AbCdEf-GhIjKlMnOpQrS", "Wholesale", "failed", { size: 0, lastMessageAt: null }),
];

export const user = { id: "usr_1", name: "Owner", email: "owner@shop.example", locale: "", theme: "", hasPassword: true };

const sessions = [
  {
    id: "ses_1",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
    address: "192.0.2.10",
    createdAt: "2026-11-20T08:00:00.000Z",
    lastSeenAt: "2026-11-22T08:00:00.000Z",
    current: true,
  },
  {
    id: "ses_2",
    userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1",
    address: "192.0.2.11",
    createdAt: "2026-11-18T08:00:00.000Z",
    lastSeenAt: "2026-11-19T08:00:00.000Z",
    current: false,
  },
];

const link = (kind, more) => ({
  kind,
  email: "",
  accountName: "Shop",
  role: "agent",
  mustSignIn: false,
  needsName: false,
  needsCompany: false,
  expiresAt: "2026-11-29T08:00:00.000Z",
  ...more,
});

const links = {
  good: link("setup", { accountName: "", role: "owner", needsName: true, needsCompany: true }),
  invitation: link("invitation", { email: "lee@shop.example", needsName: true }),
  known: link("invitation", { email: "lee@shop.example", mustSignIn: true }),
  reset: link("reset", { email: "owner@shop.example", accountName: "", role: "" }),
};

const settings = {
  version: 7,
  settings: {
    name: "Help desk", instructions: "Be kind and short.", model: "auto", temp: 0.2, visibility: "private",
    allowedDomains: null, initialMessages: ["Hi! How can I help?"],
    suggestedMessages: [{ type: "single", text: "Opening hours", order: 0 }],
    styles: { chat: { headerColor: "#1A4D8F", userMessageColor: "#FFD400", displayName: "Shop help" }, centerStage: null },
    widget: { dailyCredits: 2000, dailyCreditsPerVisitor: null, blockedRanges: ["203.0.113.0/24"] },
    ipRateLimits: { limit: 20, timeframe: 240, message: "Too many messages in a row" },
    channelInstructions: { email: "Begin with a greeting, and sign as the shop.", phone: { chat: "", voice: "Say numbers one by one." } },
    creditLimit: 5000, redactConversations: true, retentionDays: 365,
    notificationsSettings: { dailyConversations: { active: true, emails: ["team@shop.example"] }, dailyLeadsCollected: { active: false, emails: [] } },
    voiceSettings: { voice: { voiceName: "Sarah", speed: 1.1 }, initialMessage: "Hello, how can I help?", maxCallDurationSeconds: 900 },
    voice: { limits: { perHour: 20, perDay: null } },
    synonyms: [["PTO", "paid time off"], ["invoice", "bill"]],
    topics: [{ name: "Delivery", keywords: ["parcel", "shipping"], topics: [{ name: "Delays", examples: ["Where is my order?"] }] }],
    insight: { model: true, againDays: 3 },
  },
};

// Of what the settings were: who has changed which, and all of them as they were before.
const history = [
  { version: 7, at: "2026-11-21T09:30:00.000Z", by: { kind: "member", name: "Owner" }, changed: ["instructions", "temp"] },
  { version: 6, at: "2026-11-20T16:05:00.000Z", by: { kind: "key" }, changed: ["channelInstructions", "styles"] },
  { version: 5, at: "2026-11-19T08:00:00.000Z", by: { kind: "operator" }, changed: ["voiceSettings"] },
  { version: 4, at: "2026-11-02T09:00:00.000Z", by: { kind: "unknown" }, changed: [] },
];
const earlier = {
  ...settings.settings, instructions: "Be kind.\nAnswer in one sentence.", temp: 0, redactConversations: false,
  channelInstructions: null, styles: { chat: { displayName: "Shop help" }, centerStage: null },
};

const refusal = (status, code, message, details) => [status, { error: { code, message, ...(details && { details }) } }];

// What each role may do of what the console asks, as internal/access/role.go has it.
const read = ["accounts:read", "agents:read", "sources:read", "insights:read", "conversations:read", "customers:read", "voice:read"];
const support = [...read, "conversations:write", "tickets:write", "answers:improve", "playground:use", "recordings:read", "voice:write"];
const admin = [...support, "agents:write", "agents:delete", "conversations:delete", "sources:write", "insights:write", "models:read", "models:write"];
const permissions = { viewer: read, agent: support, admin, owner: [...admin, "accounts:write"] };

// What admins and owners may besides, which the screens of the workspace are about.
const ofWorkspace = ["members:read", "members:write", "keys:read", "keys:write", "webhooks:read", "webhooks:write", "audit:read", "state:read"];

/** The membership of whoever sees the screens of the workspace, as a session. */
export const inWorkspace = (role = "owner") => {
  const more = { owner: [...ofWorkspace, "owners:manage"], admin: ofWorkspace }[role] ?? [];
  return { memberships: [{ accountId: "acc_1", accountName: "Shop", role, permissions: [...permissions[role], ...more] }] };
};

// The first that fits says what a request needs.
const needs = [
  [/^GET \/v1\/(members|accounts\/[^/]+\/invitations)$/, "members:read"],
  [/^(POST|PATCH|DELETE) .*\/(members|members\/link|invitations(\/.*)?)$/, "members:write"],
  [/^GET \/v1\/keys$/, "keys:read"],
  [/^(POST|DELETE) .*\/keys(\/[^/]+)?$/, "keys:write"],
  [/^(GET|POST) .*\/pairings\//, "keys:write"],
  [/^POST .*\/person\/(export|erase)$/, "conversations:delete"],
  [/^POST .*\/customers\/[^/]+\/merge$/, "conversations:delete"],
  [/^GET .*\/audit/, "audit:read"],
  [/^GET \/v1\/(webhooks|deliveries|channels)/, "webhooks:read"],
  [/^(POST|PATCH|DELETE) \/v1\/(webhooks|deliveries|channels)/, "webhooks:write"],
  [/^GET .*\/usage/, "accounts:read"],
  [/^GET .*\/recording$/, "recordings:read"],
  [/^GET .*\/server$/, "state:read"],
  [/^PATCH \/v1\/accounts\/[^/]+$/, "accounts:write"],
  [/^GET .*\/model-servers/, "models:read"],
  [/^(POST|PATCH|DELETE) .*\/model-servers/, "models:write"],
  [/^GET .*\/manifest$|^POST .*\/manifest$/, "agents:write"],
  [/^GET .*\/(actions|procedures)\/[^/]+$/, "agents:write"],
  [/^POST .*\/try-search$/, "sources:read"],
  [/^POST .*\/(preview-ticket|domain-check)$/, "agents:read"],
  [/^GET .*\/identity-secret$/, "agents:write"],
  [/^(GET|POST) .*\/(playground|compare)$/, "playground:use"],
  [/^POST .*\/improve$/, "answers:improve"],
  [/^(POST|PUT) .*\/(chat|feedback)$/, "conversations:write"],
  [/^(POST|PUT) \/v1\/conversations\/[^/]+\/(claim|assignee|snooze|state|messages|typing|drafts|read-mark)$/, "conversations:write"],
  [/^POST .*\/tickets\/\d+\/messages$/, "tickets:write"],
  [/^(POST|DELETE) \/v1\/agents\/[^/]+\/files/, "conversations:write"],
  [/^(POST|PATCH|DELETE) .*\/saved-views/, "conversations:write"],
  [/^(POST|PATCH|DELETE) .*\/saved-replies/, "helpdesk:write"],
  [/^(POST|PUT|PATCH|DELETE) \/v\d\/agents\/[^/]+\/sources/, "sources:write"],
  [/^(POST|PATCH) \/v1\/agents\/[^/]+\/tickets/, "tickets:write"],
  [/^POST \/v1\/agents\/[^/]+\/route$/, "helpdesk:read"],
  [/^(POST|PUT|PATCH|DELETE) \/v1\/agents\/[^/]+\/(statuses|teams|rules|sla-targets)/, "helpdesk:write"],
  [/^DELETE \/v2\/agents\/[^/]+$/, "agents:delete"],
  [/^(POST|PUT|PATCH|DELETE) \/v\d\/agents/, "agents:write"],
];

/** The providers by which a person may sign in: that of the server. */
function identitiesOf({ hasSingleSignOn, singleSignOnSince }, { features }) {
  const at = hasSingleSignOn ? (singleSignOnSince ?? "2026-11-01T08:00:00.000Z") : null;
  return features?.oidc ? [{ accountId: "", accountName: "", name: features.oidcName, connectedAt: at, lastUsedAt: at }] : [];
}

/** Answers as a server would to whom `session` says. `fail` maps a path to an answer that takes the place of its own. */
export function answers({ isSignedIn = true, list = agents, fail = {}, session = {}, me = user, role = "owner", state: more = {} } = {}) {
  const state = { isSignedIn, me: { ...me }, isExpired: false, sessions: [...sessions], list: list.map((one) => ({ ...one })), asked: [], refused: [], strange: [], isSteppedUp: false, ...more };
  const memberships = session.memberships ?? [{ accountId: "acc_1", accountName: "Shop", role }];
  const whole = () => ({
    user: state.isSignedIn ? state.me : null,
    features: { passkey: false, oidc: false, oidcName: "", mail: true },
    needsSetup: false,
    insecure: false,
    uploads: { minBytes: 50, maxBytes: 20 << 20 },
    ...session,
    memberships: state.isSignedIn ? memberships.map((one) => ({ permissions: permissions[one.role], ...one })) : [],
  });
  const routes = {
    "GET /v1/session": () => [200, whole()],
    "POST /v1/session": ({ body }) => {
      if (body.password !== "correct horse battery") return refusal(401, "AUTH_SIGN_IN_FAILED", "That is not right.");
      state.isSignedIn = true;
      state.isExpired = false;
      if (body.email !== state.me.email) state.me = { ...user, id: "usr_2", name: "", email: body.email };
      return [200, whole()];
    },
    "DELETE /v1/session": () => ((state.isSignedIn = false), [204]),
    "POST /v1/session/link": () => [204],
    "POST /v1/session/provider": ({ body }) => [200, body.email.endsWith("@shop.example") ? { accountId: "acc_1", name: "Shop ID" } : { accountId: "", name: "" }],
    "POST /v1/session/link-state": ({ body }) =>
      links[body.token] ? [200, links[body.token]] : refusal(410, "AUTH_INVALID_LINK", "The link is not valid any more."),
    "POST /v1/session/redeem": ({ body }) => {
      if (body.token !== "good") return refusal(410, "AUTH_INVALID_LINK", "The link is not valid any more.");
      if (body.email === "taken@shop.example") {
        return refusal(400, "VALIDATION_INVALID_BODY", "See details.", { email: "must be an e-mail address" });
      }
      state.isSignedIn = true;
      return [200, whole()];
    },
    "POST /v1/session/step-up": ({ body }) => {
      if (body.password !== "correct horse battery") return refusal(401, "AUTH_SIGN_IN_FAILED", "That is not right.");
      state.isSteppedUp = true;
      return [204];
    },
    "GET /v1/me": () => [200, state.me],
    "PATCH /v1/me": ({ body }) => (Object.assign(state.me, body), [200, state.me]),
    "PUT /v1/me/password": () =>
      state.isSteppedUp ? [204] : refusal(403, "AUTH_STEP_UP_REQUIRED", "Please confirm that it is you."),
    "GET /v1/me/passkeys": () => [200, { data: [] }],
    "GET /v1/me/single-sign-on": () => [200, { data: state.identities ?? identitiesOf(state.me, session) }],
    "DELETE /v1/me/single-sign-on": ({ query }) => {
      if (!state.isSteppedUp) return refusal(403, "AUTH_STEP_UP_REQUIRED", "Please confirm that it is you.");
      state.identities.find(({ accountId }) => accountId === (query.get("account") ?? "")).connectedAt = null;
      return [204];
    },
    "GET /v1/me/sessions": () => [200, { data: state.sessions }],
    "GET /v1/agents/figures": ({ query }) => figures(query.get("agentIds").split(",")),
    "GET /v2/agents": ({ query }) => {
      const [from, limit] = [Number(query.get("cursor") ?? 0), Number(query.get("limit") ?? 20)];
      const hasMore = from + limit < state.list.length;
      const pagination = { cursor: hasMore ? String(from + limit) : null, hasMore, total: state.list.length };
      return [200, { data: state.list.slice(from, from + limit), pagination }];
    },
    "POST /v2/agents": ({ body }) => {
      state.list = [agent("9NewAgent-AbCdEfGhIjK", body.name, "untrained", { size: 0 }), ...state.list];
      return [201, { id: state.list[0].id }];
    },
  };
  const answer = (asked) => {
    state.asked.push(asked);
    const name = `${asked.method} ${asked.path}`;
    if (fail[name]) return fail[name];
    const isOpen = asked.path.startsWith("/v1/session");
    // What is read again by itself does not meet it, so that it is met when the test says so.
    if (state.isExpired && !isOpen && asked.method !== "GET") return refusal(401, "AUTH_SIGN_IN_REQUIRED", "Please sign in.");
    const drawnFor = asked.headers?.["parley-user"];
    if (drawnFor && state.isSignedIn && drawnFor !== state.me.id && name !== "GET /v1/session" && !state.isExpired) {
      state.strange.push(name);
      return refusal(409, "AUTH_USER_CHANGED", "Somebody else has signed in.");
    }
    const need = needs.find(([pattern]) => pattern.test(name))?.[1];
    if (need && !memberships.some((one) => (one.permissions ?? permissions[one.role]).includes(need))) {
      state.refused.push(name);
      return refusal(403, "AUTH_INSUFFICIENT_PERMISSIONS", "Your role may not do this.");
    }
    if (routes[name]) return routes[name](asked);
    if (/^GET \/v1\/agents\/[^/]+\/settings$/.test(name)) return [200, settings];
    if (/^GET \/v1\/agents\/[^/]+\/retention(\?|$)/.test(name)) return [200, { parts: [] }];
    if (/^GET \/v1\/agents\/[^/]+\/history$/.test(name)) return [200, { versions: state.history ?? history }];
    const version = Number(/^GET \/v1\/agents\/[^/]+\/history\/(\d+)$/.exec(name)?.[1]);
    if (version) return [200, { version, settings: earlier }];
    if (/^POST \/v1\/agents\/[^/]+\/history\/\d+\/restore$/.test(name)) return [200, { version: 8, settings: earlier }];
    const ofSaved = answerSaved(state, asked);
    if (ofSaved) return ofSaved;
    const ofInsights = answerInsights(state, asked);
    if (ofInsights) return ofInsights;
    const ofInbox = answerInbox(state, asked);
    if (ofInbox) return ofInbox;
    const ofTickets = answerTickets(state, asked);
    if (ofTickets) return ofTickets;
    const ofManifests = answerManifest(state, asked);
    if (ofManifests) return ofManifests;
    if (/^DELETE \/v2\/agents\/[^/]+$/.test(name)) {
      if (!state.isSteppedUp) return refusal(403, "AUTH_STEP_UP_REQUIRED", "Please confirm that it is you.");
      state.list = state.list.filter(({ id }) => !asked.path.endsWith(id));
      return [200, { success: true }];
    }
    const ofActions = answerActions(state, asked);
    if (ofActions) return ofActions;
    const ofModels = answerModelServers(state, asked);
    if (ofModels) return ofModels;
    const ofWorkspace = answerWorkspace(state, asked);
    if (ofWorkspace) return ofWorkspace;
    const ofEmbedding = answerEmbedding(state, asked);
    if (ofEmbedding) return ofEmbedding;
    const ofSources = answerSources(state, asked);
    if (ofSources) return ofSources;
    const [, place, id] = /^(.*)\/([^/]+)$/.exec(asked.path);
    const found = place === "/v2/agents" && state.list.find((one) => one.id === id);
    if (found && asked.method === "PUT") Object.assign(found, asked.body);
    if (found) return [200, found];
    if (name.startsWith("DELETE /v1/me/sessions/")) {
      state.sessions = state.sessions.filter((one) => one.id !== id);
      return [204];
    }
    return answerPlayground(asked) ?? [404, notFound];
  };
  return Object.assign(answer, { state });
}

export const broken = [500, { error: { code: "INTERNAL_SERVER_ERROR", message: "Something went wrong." } }];
