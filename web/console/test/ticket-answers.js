// Recorded answers about the tickets of an agent, its statuses, teams and rules.
import { notFound } from "./serve.js";

const gone = [404, { error: { code: "TICKET_NOT_FOUND", message: "Ticket not found." } }];
const changed = [409, { error: { code: "TICKET_CHANGED", message: "The ticket has changed in the meantime. Read it again." } }];

const invalid = (details) => [400, { error: { code: "VALIDATION_INVALID_BODY", message: "Invalid request body: see details.", details } }];

const read = ["tickets:read", "helpdesk:read", "agents:read", "sources:read"];
const admin = [...read, "tickets:write", "helpdesk:write"];
const permissions = { viewer: read, agent: [...read, "tickets:write"], admin, owner: admin };

/** A session of a member who works on tickets, by their role. */
export const withTickets = (role = "admin") => ({
  memberships: [{ accountId: "acc_1", accountName: "Shop", role, permissions: permissions[role] }],
});

const status = (id, category, label, more) => ({ statusId: `st_${id}`, category, label, externalLabel: label, default: true, position: 0, ...more });

export const statuses = [
  status(1, "new", "New"),
  status(2, "on_you", "In progress"),
  status(3, "on_customer", "Waiting for customer"),
  status(4, "on_hold", "Supplier", { color: "#7755CC", externalLabel: "We are looking into it" }),
  status(5, "closed", "Solved"),
  status(6, "cancelled", "Spam"),
  status(7, "on_hold", "Old one", { default: false, position: 1, archivedAt: "2026-11-10T09:00:00.000Z" }),
];

const member = (id, name) => ({ userId: `usr_${id}`, email: `${name.toLowerCase()}@shop.example`, name, maxOpen: null, hours: [], away: false, joinedAt: "2026-11-02T09:00:00.000Z" });

export const teams = [
  { teamId: "team_1", name: "General", default: true, strategy: "round_robin", maxOpen: null, hours: [], members: [member(3, "Helper")] },
  {
    teamId: "team_2",
    name: "Billing",
    default: false,
    strategy: "balanced",
    maxOpen: 10,
    hours: [{ days: ["mon", "tue"], from: "09:00", to: "17:00", zone: "Europe/Berlin" }],
    members: [],
  },
];

const rule = (key, name, more) => ({ key, name, enabled: true, all: [], any: [], ...more });

export const rules = [
  rule("vip", "Important customers", { all: [{ field: "domain", op: "is", values: ["big.example"] }], team: "Billing", teamId: "team_2" }),
  rule("invoices", "Invoices", { any: [{ field: "subject", op: "contains", values: ["invoice", "bill"] }], team: "Billing", teamId: "team_2" }),
];

const ticket = (ticketNumber, subject, statusId, more) => ({
  ticketNumber,
  agentId: "5QHA6VB-DIAbBhxwqxfdi",
  subject,
  statusId,
  statusCategory: statuses.find((one) => one.statusId === statusId).category,
  assigneeId: null,
  teamId: "team_1",
  priority: "none",
  channel: "iframe",
  customer: { id: `per_${ticketNumber}`, name: `Customer ${ticketNumber}`, email: `customer${ticketNumber}@mail.example`, phoneNumber: null },
  conversationId: `conv_${ticketNumber}`,
  createdAt: "2026-11-20T08:00:00.000Z",
  updatedAt: "2026-11-21T08:00:00.000Z",
  lastMessageAt: "2026-11-21T08:00:00.000Z",
  ...more,
});

export const tickets = [
  ticket(4, "Wrong size", "st_1", { priority: "high" }),
  ticket(3, "Order 4711", "st_2", { assigneeId: "usr_3" }),
  ticket(2, "Invoice", "st_3", { teamId: "team_2", priority: "low" }),
  ticket(1, "Old question", "st_5"),
];

/** The same with what is due in them: one is overdue, one is due, and of one the first reply was missed. */
export const dueTickets = tickets.map((row, i) => ({
  ...row,
  ...[
    { dueAt: "2026-11-22T14:00:00.000Z", firstReplyDueAt: "2026-11-22T14:00:00.000Z", resolutionDueAt: "2026-11-24T09:00:00.000Z" },
    {
      dueAt: "2026-11-21T16:00:00.000Z",
      resolutionDueAt: "2026-11-21T16:00:00.000Z",
      firstReplyBreachedAt: "2026-11-21T09:00:00.000Z",
      resolutionBreachedAt: "2026-11-21T16:00:00.000Z",
    },
  ][i],
}));

export const targets = [
  { priority: "none", resolutionMinutes: 2400 },
  { priority: "high", firstReplyMinutes: 90, resolutionMinutes: 480 },
];

const message = (id, type, from, more) => ({ messageId: `msg_${id}`, seq: id, type, from, createdAt: `2026-11-20T08:0${id}:00.000Z`, ...more });

export const ticketMessages = [
  message(1, "reply", "customer", { name: "Customer 4", text: "The shoes are too small." }),
  message(2, "event", "system", { event: { eventType: "assign", doneBy: "api", assignedTo: "usr_3" } }),
  message(3, "note", "agent", { name: "Helper", email: "helper@shop.example", text: "Asked the warehouse." }),
  message(4, "reply", "agent", { name: "Helper", email: "helper@shop.example", text: "We send another pair.", files: [{ name: "label.pdf", mediaType: "application/pdf", size: 1200, address: "/api/v2/helpdesk/attachments/2?token=x" }] }),
];

/** A ticket as the operator's API has it. */
function detailsOf(state, row, query = new URLSearchParams()) {
  const { customer, assigneeId, teamId, ...rest } = row;
  const label = statuses.find((one) => one.statusId === row.statusId)?.label ?? row.statusId;
  const assignee = state.teams.flatMap((one) => one.members).find((one) => one.userId === assigneeId)?.email;
  return {
    status: label,
    ...rest,
    ...(assigneeId && { assigneeId, assignee: assignee ?? "owner@shop.example" }),
    ...(teamId && { teamId, team: state.teams.find((one) => one.teamId === teamId)?.name }),
    customer: { customerId: customer.id, name: customer.name, email: customer.email, createdAt: row.createdAt },
    ...pageOf(state.ticketMessages, query),
  };
}

function pageOf(messages, query) {
  const before = Number(query.get("before") ?? 0);
  const known = messages.filter(({ seq }) => before === 0 || seq < before);
  const page = known.slice(-Number(query.get("limit") ?? 100));
  return { messages: page, hasEarlier: page.length < known.length };
}

/** The tickets of all agents, each with the names of its own. */
function answerAll(state, query) {
  const agents = [
    { agentId: "5QHA6VB-DIAbBhxwqxfdi", agentName: "Help desk" },
    { agentId: "8ZK2M1C-QWErTyUiOpAsD", agentName: "Returns" },
  ];
  const rows = (state.tickets ?? tickets).map((row, i) => ({
    ...row,
    ...agents[i % 2],
    status: statuses.find((one) => one.statusId === row.statusId)?.label,
    ...(row.assigneeId && { assigneeName: "Helper" }),
  }));
  const words = query.get("query")?.toLowerCase();
  if (words) return [200, { data: rows.filter(({ subject }) => subject.toLowerCase().includes(words)), pagination: { cursor: null, hasMore: false } }];
  return [200, { data: rows.filter((row) => isWanted(row, query)), pagination: { cursor: null, hasMore: false } }];
}

const isLate = ({ dueAt }) => Boolean(dueAt) && Date.parse(dueAt) <= Date.now();

function isWanted(row, query) {
  const [wanted, assigneeId, team] = ["statusCategories", "assigneeId", "team"].map((name) => query.get(name));
  return (
    (!wanted || wanted.split(",").includes(row.statusCategory)) &&
    (!assigneeId || (row.assigneeId ?? "none") === assigneeId) &&
    (!team || (row.teamId ?? "none") === team) &&
    (query.get("overdue") !== "true" || isLate(row))
  );
}

export function answerTickets(state, { method, path, query, body }) {
  if (method === "GET" && path === "/v1/accounts/acc_1/tickets") return answerAll(state, query);
  const [, rest] = /^\/v1\/agents\/[^/]+\/((?:tickets|statuses|teams|rules|route|sla-targets)(?:\/.*)?)$/.exec(path) ?? [];
  if (!rest) return undefined;
  state.tickets ??= tickets.map((one) => ({ ...one }));
  state.statuses ??= statuses.map((one) => ({ ...one }));
  state.teams ??= teams.map((one) => ({ ...one }));
  state.rules ??= rules.map((one) => ({ ...one }));
  state.ticketMessages ??= [...ticketMessages];
  const [kind, name, act] = rest.split("/").map(decodeURIComponent);
  if (kind === "statuses") return answerStatuses(state, method, name, act, body);
  if (kind === "teams") return answerTeams(state, method, name, act, body);
  if (kind === "rules") return answerRules(state, method, name, act, body);
  if (kind === "sla-targets") return answerTargets(state, method, body);
  if (kind === "route") return [200, state.route ?? { candidates: [], defaultTeam: true, team: "General", teamId: "team_1", rules: [], why: "" }];
  if (method === "GET" && !name) return answerList(state, query);
  return answerTicket(state, method, name, act, body, query);
}

function answerList(state, query) {
  const words = query.get("query")?.toLowerCase();
  const isShown = (row) => (words ? row.subject.toLowerCase().includes(words) : isWanted(row, query));
  const data = state.tickets.filter(isShown).map((row) => {
    const { messages: _, hasEarlier: __, ...shown } = detailsOf(state, row);
    return shown;
  });
  return [200, { data, pagination: { cursor: null, hasMore: false } }];
}

function answerTargets(state, method, body) {
  state.targets ??= [...targets];
  const names = ["firstReplyMinutes", "resolutionMinutes"];
  const tooLong = (body?.targets ?? []).flatMap((one, i) => names.filter((name) => one[name] > 43200).map((name) => `targets.${i}.${name}`));
  if (tooLong.length > 0) return invalid(Object.fromEntries(tooLong.map((field) => [field, "must be from 0 to 43200"])));
  if (method === "PUT") state.targets = body.targets.filter((one) => names.some((name) => one[name] > 0));
  return [200, state.targets];
}

function answerTicket(state, method, name, act, body, query) {
  if (method === "POST" && !name) {
    const made = { ...tickets[0], ticketNumber: 5, subject: body.subject };
    state.tickets = [made, ...state.tickets];
    return [201, detailsOf(state, made)];
  }
  const row = state.tickets.find((one) => String(one.ticketNumber) === name);
  if (!row) return gone;
  if (act === "messages") {
    if (body.type === "reply" && state.isNotTakenOver) return [409, { error: { code: "CONVERSATION_NOT_TAKEN_OVER", message: "Not taken over." } }];
    state.ticketMessages = [...state.ticketMessages, { ...ticketMessages[3], messageId: `msg_${state.ticketMessages.length + 1}`, seq: state.ticketMessages.length + 1, type: body.type, text: body.text, files: [] }];
    return [201, { messageId: "msg_9" }];
  }
  if (method === "GET") return [200, detailsOf(state, row, query)];
  const refused = state.refusedTickets?.[name];
  if (refused) return refused;
  if (body.baseUpdatedAt && body.baseUpdatedAt !== row.updatedAt) return changed;
  changeRow(state, row, body);
  return [200, detailsOf(state, row)];
}

function changeRow(state, row, { status, statusCategory, assignee, team, priority }) {
  const to = state.statuses.find((one) => (status ? one.statusId === status : one.category === statusCategory && one.default));
  if (to) Object.assign(row, { statusId: to.statusId, statusCategory: to.category });
  const person = state.teams.flatMap((one) => one.members).find((one) => one.userId === assignee);
  if (assignee) row.assigneeId = assignee === "none" ? null : (person?.userId ?? assignee);
  if (team) row.teamId = team === "none" ? null : team;
  if (priority) row.priority = priority;
  const minutes = String(Number(row.updatedAt.slice(14, 16)) + 1).padStart(2, "0");
  row.updatedAt = `${row.updatedAt.slice(0, 14)}${minutes}${row.updatedAt.slice(16)}`;
}

function answerStatuses(state, method, name, act, body) {
  if (method === "GET") return [200, state.statuses];
  if (method === "POST" && !name) {
    const made = status(8, body.category, body.label, { default: false, position: 9, externalLabel: body.externalLabel || body.label });
    state.statuses = [...state.statuses, made];
    return [201, made];
  }
  const known = state.statuses.find((one) => one.statusId === name);
  if (!known) return [404, notFound];
  if (act === "archive") return [200, Object.assign(known, { archivedAt: "2026-11-22T08:00:00.000Z" })];
  if (act === "default") {
    for (const one of state.statuses) if (one.category === known.category) one.default = one === known;
    return [200, known];
  }
  return [200, Object.assign(known, body)];
}

function answerTeams(state, method, name, act, body) {
  if (method === "GET") return [200, state.teams];
  if (method === "POST") {
    const made = { ...teams[0], teamId: "team_9", members: [], ...body };
    state.teams = [...state.teams, made];
    return [201, made];
  }
  const known = state.teams.find((one) => one.teamId === name);
  if (!known) return [404, notFound];
  if (act === "members") return [200, known];
  if (method === "PATCH") return [200, Object.assign(known, body, { default: known.default || body.default })];
  state.teams = state.teams.filter((one) => one !== known);
  return [200, {}];
}

function answerRules(state, method, name, act, body) {
  const at = state.rules.findIndex((one) => one.key === name);
  if (method === "POST" && !name) state.rules = [...state.rules, rule(`rule_${state.rules.length + 1}`, body.name, { ...body, teamId: body.team })];
  else if (method !== "GET" && at < 0) return [404, notFound];
  else if (method === "PUT" && !act) Object.assign(state.rules[at], body, { teamId: body.team });
  else if (act === "enabled") state.rules[at].enabled = body.on;
  else if (act === "move") state.rules.splice(body.to - 1, 0, ...state.rules.splice(at, 1));
  else if (method === "DELETE") state.rules.splice(at, 1);
  return [method === "POST" && !name ? 201 : 200, state.rules];
}
