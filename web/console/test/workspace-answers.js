// Recorded answers about the people, the keys and the audit chain of a company, and about its server.
import { modelServers } from "./model-answers.js";

const stepUp = [403, { error: { code: "AUTH_STEP_UP_REQUIRED", message: "Please confirm that it is you." } }];
const gone = [404, { error: { code: "RESOURCE_NOT_FOUND", message: "Not found." } }];
const refusal = (code, details) => [400, { error: { code, message: "Refused.", details } }];
const list = (data) => [200, { data, pagination: { cursor: null, hasMore: false } }];

const member = (id, name, role, more) => ({
  userId: `usr_${id}`,
  accountId: "acc_1",
  email: `${name.toLowerCase()}@shop.example`,
  name,
  role,
  createdAt: "2026-11-02T09:00:00.000Z",
  lastSeenAt: "2026-11-22T07:40:00.000Z",
  signsInBy: ["password"],
  secondStep: false,
  lastOwner: false,
  ...more,
});

export const members = [
  member(1, "Owner", "owner", { signsInBy: ["password", "passkey"], secondStep: true, lastOwner: true }),
  member(2, "Admin", "admin", { signsInBy: ["singleSignOn"], lastSeenAt: "2026-11-20T16:00:00.000Z" }),
  member(3, "Helper", "agent"),
  member(4, "Reader", "viewer", { signsInBy: [], lastSeenAt: null }),
];

export const invitations = [
  { invitationId: "inv_1", email: "lee@shop.example", role: "agent", invitedBy: "owner@shop.example", createdAt: "2026-11-20T08:00:00.000Z", expiresAt: "2026-11-27T08:00:00.000Z" },
  { invitationId: "inv_2", email: "kit@shop.example", role: "owner", invitedBy: "operator", createdAt: "2026-11-21T08:00:00.000Z", expiresAt: "2026-11-28T08:00:00.000Z" },
];

const key = (id, name, more) => ({
  keyId: `key_${id}`,
  accountId: "acc_1",
  name,
  begins: `pk_3fA9x${id}`,
  scopes: null,
  createdBy: "owner@shop.example",
  createdAt: "2026-11-02T09:00:00.000Z",
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  ...more,
});

export const keys = [
  key(1, "Site backend", { scopes: ["agents:read", "chatlogs:write"], lastUsedAt: "2026-11-22T07:58:00.000Z", expiresAt: "2027-02-01T09:00:00.000Z" }),
  key(2, "Nightly export", { createdBy: "operator", lastUsedAt: "2026-11-22T02:00:00.000Z" }),
  key(3, "Old script", { createdBy: "", expiresAt: "2026-11-10T09:00:00.000Z" }),
  key(4, "Trial", { revokedAt: "2026-11-12T09:00:00.000Z" }),
];

const owner = { actor: "user:usr_1", name: "Owner", email: "owner@shop.example" };
const act = (seq, action, subject, details, more) => ({
  seq,
  at: `2026-11-${10 + seq}T14:03:00.000Z`,
  by: owner,
  action,
  subject,
  details,
  hash: String(seq).repeat(64).slice(0, 64),
  ...more,
});

export const acts = [
  act(5, "key.revoke", "key_4", {}, { subjectName: "Trial", requestId: "0192f3c1-0000-7000-8000-000000000007", address: "192.0.2.11" }),
  act(4, "member.change", "usr_3", { email: "helper@shop.example", role: "agent" }, { subjectName: "Helper" }),
  act(3, "key.create", "key_1", { name: "Site backend", scopes: ["agents:read", "chatlogs:write"] }, { subjectName: "Site backend" }),
  act(2, "session.create", "01998b2d-0000-7000-8000-000000009001", { method: "password" }),
  act(1, "account.create", "acc_1", { hipaa: false, name: "Shop", plan: "pro" }, { by: { actor: "operator" } }),
];

export const webhooks = [
  { webhookId: "hook_1", accountId: "acc_1", endpoint: "https://shop.example/hooks/leads", events: ["leads.submit"], createdAt: "2026-11-02T09:00:00.000Z", disabledAt: null, lastDay: { hours: [0, 0, 0, 0, 0, 1, 0, 2, 4, 7, 6, 3, 5, 8, 9, 4, 2, 1, 0, 0, 1, 0, 2, 3], deliveries: 58, failed: 1 } },
  { webhookId: "hook_2", accountId: "acc_1", agentId: "5QHA6VB-DIAbBhxwqxfdi", endpoint: "https://crm.example/in", events: ["forms.submit", "leads.submit"], keyId: "key_1", createdAt: "2026-11-12T09:00:00.000Z", disabledAt: "2026-11-20T09:00:00.000Z" },
];

const delivery = (id, state, attempts, more) => ({
  deliveryId: `dlv_${id}`,
  webhookId: "hook_1",
  accountId: "acc_1",
  agentId: "5QHA6VB-DIAbBhxwqxfdi",
  event: "leads.submit",
  state,
  attempts,
  nextAt: null,
  createdAt: `2026-11-2${id}T08:12:00.000Z`,
  deliveredAt: null,
  ...more,
});

export const deliveries = [
  delivery(2, "pending", 2, { nextAt: "2026-11-22T08:30:00.000Z", lastStatus: 503, lastError: "the endpoint answered with status 503" }),
  delivery(1, "delivered", 1, { lastStatus: 200, lastMillis: 240, deliveredAt: "2026-11-21T08:12:01.000Z" }),
  delivery(0, "dead", 8, { lastError: "the host’s name is not known" }),
];

const agentUsage = (id, name, credits, storage, creditLimit = null) => ({ agentId: id, name, credits, creditLimit, storage });

export const agentsUsage = [
  agentUsage("5QHA6VB-DIAbBhxwqxfdi", "Help desk", 2912, 17_400_000, 3000),
  agentUsage("7xKqPz2mWn4RtYcVbA1Ls", "Wholesale", 204.5, 3_100_000),
  agentUsage("9bTfLh6gUe8DjQwZsC3Mn", "Trial", 3, 21_000_000),
];

const days = [96, 88, 120, 131, 118, 64, 51, 142, 156, 149, 160, 171, 80, 66, 168, 190, 212, 205, 231, 98, 84, 339.5];

export const usage = {
  month: "2026-11",
  endsAt: "2026-12-01T00:00:00.000Z",
  plan: { name: "standard", unknown: false, api: true, voice: true, agents: 3, storagePerAgent: 20_971_520, creditsPerMonth: 4000, creditsPerVoiceMinute: 5, voiceSessionsPerHour: null, voiceSessionsPerDay: 40, creditPrice: null },
  agents: 3,
  creditLimit: 4000,
  ownCreditLimit: false,
  credits: 3119.5,
  reservedCredits: 2,
  forecast: 4347.6,
  reachesLimitAt: "2026-11-28T11:00:00.000Z",
  days: days.map((credits, i) => ({ day: `2026-11-${String(i + 1).padStart(2, "0")}`, credits })),
  models: [
    { kind: "answer", model: "auto", credits: 2604.5, charges: 2511 },
    { kind: "answer", model: "gpt-5.4", credits: 400, charges: 200 },
    { kind: "voice", credits: 85, charges: 6 },
    { kind: "uncounted", credits: 30, charges: 0 },
  ],
};

const noVoice = { month: "2026-10", sessions: 0, joined: 0, seconds: 0, minutes: 0, ends: [] };

export const voiceUsage = {
  ...{ month: "2026-11", sessions: 9, joined: 6, seconds: 855, minutes: 17 },
  ends: [
    { reason: "client_left", sessions: 5 },
    { reason: "silence", sessions: 3 },
    { reason: "error", sessions: 1 },
  ],
};

export const account = { accountId: "acc_1", name: "Shop", plan: "standard", credits: 4000, creditsUsed: 3119.5, hipaa: false, createdAt: "2026-11-02T09:00:00.000Z", viewersSeePersonalData: false, timeZone: "", onlySingleSignOn: false, exemptOwner: "", adminsNeedPasskey: false, noPasswords: false, plans: [], importBytes: 0 };

export const serverState = {
  version: "1.4.0",
  startedAt: "2026-11-20T06:30:00.000Z",
  database: { kind: "postgres", version: "17.6", bytes: 184_000_000, millis: 0.8 },
  queue: { waiting: 3, running: 1, dead: 0, oldestDueSeconds: 2 },
  disk: { freeBytes: 31_000_000_000, bytes: 80_000_000_000 },
  speech: { mediaServer: true, speaks: true, understands: true, warnings: [] },
  mails: true,
  canKeepSecrets: true,
  backups: {
    ...{ everyHours: 24, keep: 7, inBucket: false, lastAt: "2026-11-22T02:00:00.000Z", bytes: 61_000_000 },
    ...{ dueAt: "2026-11-23T02:00:00.000Z", failedAt: null, reason: "" },
  },
};

/** The same on a bad day, of a server that little is set up of. */
export const troubled = {
  ...serverState,
  database: { kind: "sqlite", version: "3.53.1", bytes: 12_400_000, millis: 41 },
  queue: { waiting: 812, running: 2, dead: 4, oldestDueSeconds: 1900 },
  disk: { freeBytes: 1_100_000_000, bytes: 80_000_000_000 },
  speech: { mediaServer: true, speaks: true, understands: false, warnings: ["whisper-cli is not in PATH"] },
  mails: false,
  canKeepSecrets: false,
  backups: {
    ...{ everyHours: 24, keep: 7, inBucket: true, lastAt: null, bytes: 0, dueAt: null },
    ...{ failedAt: "2026-11-22T02:00:03.000Z", reason: "list …: no space left on device" },
  },
};

export const newLink = (email) => ({ email, link: "https://shop.example/console/redeem#3UibzEGy3WeStxj3Emx9cVBfsqQPoV1r", mailed: false, expiresAt: "2026-11-29T08:00:00.000Z" });

/** Answers what is asked of members, invitations, keys and the audit chain; undefined for anything else. */
export function answerWorkspace(state, asked) {
  state.members ??= members.map((one) => ({ ...one }));
  state.invitations ??= [...invitations];
  state.keys ??= keys.map((one) => ({ ...one }));
  state.acts ??= acts;
  const path = asked.path.replace(/^\/v1(\/accounts\/[^/]+)?/, "");
  if (/^\/members(\/link)?$/.test(path)) return answerMembers(state, asked, path);
  if (path.startsWith("/invitations")) return answerInvitations(state, asked, path);
  if (path.startsWith("/keys")) return answerKeys(state, asked, path);
  if (path.startsWith("/pairings")) return answerPairing(state, asked, path);
  if (path.startsWith("/audit")) return answerAudit(state, asked, path);
  if (path === "/archive") return state.isSteppedUp ? [200, { file: "archive" }] : stepUp;
  if (path.startsWith("/webhooks")) return answerWebhooks(state, asked, path);
  if (path.startsWith("/channels")) return answerChannels(state, asked, path);
  if (path.startsWith("/deliveries")) return answerDeliveries(state, asked, path);
  if (path.startsWith("/usage")) return answerUsage(state, asked, path);
  if (path.startsWith("/single-sign-on")) return answerProvider(state, asked, path);
  if (path === "/server") return [200, { ...serverState, modelServers, ...state.server }];
  if (/^\/v1\/accounts(\/acc_1)?$/.test(asked.path)) return answerAccount(state, asked);
  return undefined;
}

const domain = (name, provedAt) => ({ domain: name, recordName: `_parley-sign-in.${name}`, recordValue: "parley-domain=of-the-tests", provedAt });

/** A company's own provider that counts. */
export const singleSignOn = {
  provider: { issuer: "https://id.shop.example", clientId: "parley", hasSecret: true, name: "Shop ID", joinRole: "agent", testedAt: "2026-11-12T09:00:00.000Z" },
  domains: [domain("shop.example", "2026-11-11T09:00:00.000Z"), domain("shop.test", null)],
};

function answerProvider(state, { method, body }, path) {
  const own = (state.singleSignOn ??= { provider: null, domains: [] });
  const show = (more) => [200, { ...Object.assign(own, more), redirectUrl: "https://parley.example/console/api/v1/session/oidc/callback/acc_1", canKeepSecrets: state.canKeepSecrets ?? true }];
  const name = decodeURIComponent(path.split("/")[3] ?? "");
  if (method === "GET") return show();
  if (!state.isSteppedUp) return stepUp;
  if (path.endsWith("/test")) return [200, state.providerFault ? { works: false, error: state.providerFault } : { works: true }];
  if (path.endsWith("/proof") && state.hasNoRecord) return refusal("VALIDATION_INVALID_BODY", { domain: `has no TXT record _parley-sign-in.${name} with this text yet; changes can take an hour` });
  if (path.endsWith("/proof")) return show({ domains: own.domains.map((one) => (one.domain === name ? domain(name, "2026-11-22T08:00:00.000Z") : one)) });
  if (path.endsWith("/domains")) return show({ domains: [...own.domains, domain(body.domain, null)] });
  if (name) return show({ domains: own.domains.filter((one) => one.domain !== name) });
  if (method === "DELETE") return show({ provider: null });
  if (!body.issuer.startsWith("https://")) return refusal("VALIDATION_INVALID_BODY", { issuer: "must be an https:// address" });
  const { clientSecret, ...rest } = body;
  return show({ provider: { ...rest, hasSecret: Boolean(clientSecret), testedAt: null } });
}

function answerAccount(state, { method, body }) {
  state.account ??= { ...account };
  if (method === "GET") return [200, [state.account]];
  if (!state.isSteppedUp) return stepUp;
  if (body.name === "") return refusal("VALIDATION_INVALID_BODY", { name: "must have 1 to 100 characters" });
  if (body.onlySingleSignOn && body.exemptOwner === state.refusedOwner) return refusal("VALIDATION_INVALID_BODY", { onlySingleSignOn: "needs you to sign in by single sign-on first, so that you stay in" });
  if (body.noPasswords && state.hasShownNone) return refusal("VALIDATION_INVALID_BODY", { noPasswords: "needs you to show a passkey first, so that you stay in" });
  if (body.adminsNeedPasskey && state.hasShownNone) return refusal("VALIDATION_INVALID_BODY", { adminsNeedPasskey: "needs you to show a passkey first, so that you stay in" });
  return [200, Object.assign(state.account, body)];
}

const search = (rows, query, textOf) => rows.filter((one) => textOf(one).toLowerCase().includes((query.get("query") ?? "").toLowerCase()));

function answerMembers(state, { method, query, body }, path) {
  if (method === "GET") return list(search(state.members, query, ({ name, email }) => `${name} ${email}`));
  const known = state.members.find(({ userId }) => userId === query.get("userId"));
  if (!known) return gone;
  if (!state.isSteppedUp) return stepUp;
  if (path === "/members/link") return [201, { ...newLink(known.email), mailed: state.mails ?? false }];
  if (known.lastOwner) return refusal("VALIDATION_INVALID_BODY", { member: `${known.email} is the account's only owner; make somebody else an owner first` });
  if (method === "PATCH") return [200, Object.assign(known, body)];
  state.members = state.members.filter((one) => one !== known);
  return [200, { userId: known.userId, email: known.email, teams: 1, unassigned: 1, reassigned: query.get("reassign") ? 2 : 0, rules: [{ agentId: "a", key: "vip" }] }];
}

function answerInvitations(state, { method, query, body }, path) {
  const [, , id, isLink] = path.split("/");
  const known = state.invitations.find(({ invitationId }) => invitationId === id);
  if (method === "GET") return list(search(state.invitations, query, ({ email }) => email));
  if (method === "DELETE") return ((state.invitations = state.invitations.filter((one) => one !== known)), [200, known ?? {}]);
  if (!state.isSteppedUp) return stepUp;
  if (isLink) return [201, newLink(known.email)];
  if (state.members.some(({ email }) => email === body.email)) return [409, { error: { code: "RESOURCE_ALREADY_EXISTS", message: "Is a member." } }];
  if (!body.email.includes(".")) return refusal("VALIDATION_INVALID_BODY", { email: "must be an e-mail address" });
  state.invitations = [...state.invitations, { ...invitations[0], invitationId: "inv_9", ...body }];
  return [201, { ...newLink(body.email), ...(state.mails && { link: "", mailed: true }) }];
}

function answerKeys(state, { method, query, body }, path) {
  if (method === "GET") return list(state.keys.filter(({ revokedAt }) => Boolean(revokedAt) === (query.get("revoked") === "true")));
  if (method === "DELETE") {
    const known = state.keys.find(({ keyId }) => path.endsWith(keyId));
    known.revokedAt = "2026-11-22T12:00:00.000Z";
    return [200, { keyId: known.keyId }];
  }
  if (!state.isSteppedUp) return stepUp;
  if (body.scopes?.length === 0) return refusal("VALIDATION_INVALID_BODY", { scopes: "must name at least one scope; leave it out for full access" });
  state.keys = [key(9, body.name, { scopes: body.scopes ?? null, expiresAt: body.expiresAt ?? null }), ...state.keys];
  return [201, { keyId: "key_9", apiKey: "pk_of-the-tests-0123456789" }];
}

/** A command line that waits with a code. */
export const pairing = {
  ...{ code: "BCDF-GHJK", deviceName: "laptop", address: "203.0.113.7", keyDays: 90 },
  ...{ createdAt: "2026-11-22T07:59:00.000Z", expiresAt: "2026-11-22T08:14:00.000Z" },
};

function answerPairing(state, { method }, path) {
  const [, , code, act] = path.split("/");
  if (code !== pairing.code || state.isDecided) return [404, { error: { code: "NOT_FOUND", message: "No command line waits with this code." } }];
  if (method === "GET") return [200, { ...pairing, ...state.pairing }];
  if (act === "approval" && !state.isSteppedUp) return stepUp;
  state.isDecided = true;
  return [200, {}];
}

const agentOfChannels = "5QHA6VB-DIAbBhxwqxfdi";

export const channels = [
  {
    ...{ channelId: "channel_1", accountId: "acc_1", agentId: agentOfChannels, name: "Support in Slack", source: "Slack" },
    ...{ endpoint: "https://bridge.example/parley", path: "/api/channels/channel_1/messages", createdAt: "2026-11-02T08:00:00.000Z", disabledAt: null },
  },
];

function answerChannels(state, { method, body }, path) {
  state.channels ??= channels.map((one) => ({ ...one }));
  if (method === "GET") return [200, state.channels];
  const known = state.channels.find(({ channelId }) => path.includes(channelId));
  if (method === "DELETE") return ((state.channels = state.channels.filter((one) => one !== known)), [200, { channelId: known.channelId }]);
  if (!state.isSteppedUp) return stepUp;
  if (method === "PATCH") {
    const { enabled, ...rest } = body;
    return [200, Object.assign(known, rest, enabled !== undefined && { disabledAt: enabled ? null : "2026-11-22T08:00:00.000Z" })];
  }
  if (!body.endpoint.startsWith("http")) return refusal("VALIDATION_INVALID_BODY", { endpoint: "must be an http or https URL" });
  const made = { ...channels[0], ...body, channelId: "channel_9", path: "/api/channels/channel_9/messages", disabledAt: null };
  state.channels = [...state.channels, made];
  return [201, { channelId: made.channelId, path: made.path, secret: "whsec_of-the-tests" }];
}

function answerWebhooks(state, { method, body }, path) {
  state.webhooks ??= [...webhooks];
  if (method === "GET") return [200, state.webhooks];
  const known = state.webhooks.find(({ webhookId }) => path.includes(webhookId));
  if (path.endsWith("/test")) return [200, { deliveryId: "dlv_2" }];
  if (path.endsWith("/secret")) return state.isSteppedUp ? [201, { webhookId: known.webhookId, secret: "whsec_another" }] : stepUp;
  if (method === "PATCH") {
    const { enabled, ...rest } = body;
    if (!state.isSteppedUp) return stepUp;
    return [200, Object.assign(known, rest, enabled !== undefined && { disabledAt: enabled ? null : "2026-11-22T08:00:00.000Z" })];
  }
  if (method === "DELETE") return ((state.webhooks = state.webhooks.filter(({ webhookId }) => !path.endsWith(webhookId))), [200, {}]);
  if (!state.isSteppedUp) return stepUp;
  if (body.events.length === 0) return refusal("VALIDATION_INVALID_BODY", { events: "must name an event" });
  state.webhooks = [...state.webhooks, { ...body, webhookId: "hook_9", createdAt: "2026-11-22T08:00:00.000Z" }];
  return [201, { webhookId: "hook_9", secret: "whsec_of-the-tests" }];
}

function answerDeliveries(state, { method, query }, path) {
  state.deliveries ??= deliveries.map((one) => ({ ...one }));
  if (path === "/deliveries") return list(state.deliveries.filter((one) => [one.state, null].includes(query.get("state"))));
  const known = state.deliveries.find(({ deliveryId }) => path.includes(deliveryId));
  if (method === "GET") return [200, { ...known, body: JSON.stringify(state.sent ?? { event: known.event, data: { email: "customer@mail.example" } }), answer: state.answered ?? "" }];
  Object.assign(known, { state: "pending", attempts: 0, nextAt: "2026-11-22T08:15:00.000Z" });
  return [200, { deliveryId: known.deliveryId }];
}

function answerUsage(state, { query }, path) {
  if (path === "/usage/export") return [200, { file: "usage" }];
  if (path === "/usage/agents") return list(state.agentsUsage ?? agentsUsage);
  if (path === "/usage/voice") return [200, state.voiceUsage ?? (query.get("month") ? noVoice : voiceUsage)];
  const month = query.get("month");
  if (month && month !== "2026-10") return refusal("VALIDATION_INVALID_BODY", { month: "must be a month that has begun, such as 2026-11" });
  const past = month && { month, endsAt: "2026-11-01T00:00:00.000Z", credits: 0, reservedCredits: 0, forecast: null, reachesLimitAt: null, days: [], models: [] };
  const ofOne = query.get("agentId") && { days: usage.days.slice(0, 3), models: usage.models.slice(0, 1) };
  return [200, { ...usage, ...past, ...ofOne, ...state.usage }];
}

function answerAudit(state, { query }, path) {
  if (path === "/audit/choices") {
    const actors = [{ actor: "operator" }, owner];
    return [200, { actors, actions: [...new Set(state.acts.map(({ action }) => action))].toSorted() }];
  }
  if (path === "/audit/verify") return [200, state.verify?.(Number(query.get("after") ?? 0)) ?? { checked: 5, hash: "5".repeat(64), total: 5, done: true, broken: false, found: false }];
  if (path === "/audit/export") return state.isSteppedUp ? [200, { file: query.get("format") }] : stepUp;
  const fits = ({ by, action }) => [by.actor, undefined].includes(query.get("actor") ?? undefined) && [action, undefined].includes(query.get("action") ?? undefined);
  return list(state.acts.filter(fits));
}
