// Recorded answers about conversations behind figures.
import { row, thread } from "./inbox-answers.js";

const page = (data) => [200, { data, pagination: { cursor: null, hasMore: false, total: data.length } }];

const sums = { conversations: 12, messages: 40, answers: 20, refusedAnswers: 2, escalated: 1, thumbsUp: 5, thumbsDown: 1, resolved: 9, unresolved: 2 };
export const topics = [
  { ...sums, name: "Delivery", parent: null, conversations: 20 },
  { ...sums, name: "Delays", parent: "Delivery", conversations: 8 },
  { ...sums, name: "Gift cards", parent: null, conversations: 5 },
  { ...sums, name: "unspecified", parent: null, conversations: 3 },
];
const series = {
  channel: [{ ...sums, key: "Widget or Iframe" }, { ...sums, key: "API", conversations: 4 }],
  sentiment: [{ ...sums, key: "positive" }, { ...sums, key: "negative", conversations: 3 }, { ...sums, key: "unspecified", conversations: 1 }],
};

export const conversation = "01998b2d-0000-7000-8000-000000000c01";
const week = (from, to, positive, neutral, negative) => ({ from, to, positive, neutral, negative, unspecified: 1 });
export const weeks = [week("2026-11-02", "2026-11-08", 4, 2, 1), week("2026-11-09", "2026-11-15", 1, 1, 3), week("2026-11-16", "2026-11-22", 5, 1, 0)];
export const found = [
  row(1, { conversationId: conversation, title: "A parcel that is late", status: "ended", lastActivity: "2026-11-20T14:03:00Z", snippet: [] }),
  row(2, { conversationId: "01998b2d-0000-7000-8000-000000000c02", source: "API", status: "taken_over", lastActivity: "2026-11-20T14:02:00Z", userId: "4711", snippet: [] }),
];
export const transcript = ["user", "assistant", "human"].map((author, i) => ({
  messageId: `msg_${i + 1}`,
  seq: i + 1,
  type: "reply",
  author,
  state: "complete",
  parts: [{ type: "text", text: ["Where is my parcel?", "It left our warehouse on Monday.", "Hello, I have your order here."][i] }],
  files: [],
  score: null,
  citations: [],
  createdAt: `2026-11-20T14:0${i + 1}:00Z`,
}));

export const customers = [
  { customerId: "01998b2d-0000-4000-8000-000000000b01", name: "Customer 1", email: "one@example.com", phoneNumber: "+1 555 0147", userId: "4711", createdAt: "2026-11-02T09:00:00Z" },
  { customerId: "01998b2d-0000-4000-8000-000000000b02", email: "two@example.com", createdAt: "2026-11-01T09:00:00Z" },
];
const details = {
  ...customers[0],
  attributes: [{ name: "plan", label: "Plan", value: "gold" }],
  conversations: [{ conversationId: conversation, agentId: "a", source: "API", status: "ended", paused: false, messages: 3, createdAt: "2026-11-20T14:01:00Z", lastActivity: "2026-11-20T14:03:00Z" }],
  tickets: [{ ticketNumber: 118, subject: "Order 4711", status: "Open", updatedAt: "2026-11-20T14:03:00Z" }],
};
export const leads = [
  { leadId: "lead_1", conversationId: conversation, name: "Customer 1", email: "one@example.com", fields: [{ name: "company", value: "Shop" }], createdAt: "2026-11-20T14:03:00Z" },
  { leadId: "lead_2", name: "=1+1", phoneNumber: "+1 555 0147", fields: [], createdAt: "2026-11-19T14:03:00Z" },
];
const session = { accountId: "acc_1", agentId: "a", conversationId: conversation, userId: "4711", createdAt: "2026-11-20T14:01:00Z", joinedAt: "2026-11-20T14:01:02Z", endedAt: "2026-11-20T14:04:00Z", reason: "client_left", minutes: 3, credits: 1.5 };
export const voiceSessions = [
  { ...session, sessionId: "01998b2d-0000-7000-8000-000000000d01" },
  { ...session, sessionId: "01998b2d-0000-7000-8000-000000000d02", createdAt: "2026-11-19T14:01:00Z", joinedAt: null, reason: "silence", minutes: 0, credits: 0, userId: "" },
];

const sound = Buffer.from("RIFF----WAVE");
/** A recording in two parts. */
const readSound = (part) => ({ sessionId: voiceSessions[0].sessionId, name: "call.wav", mediaType: "audio/wav", bytes: sound.length, seconds: 1, part: sound.subarray(part * 8, part * 8 + 8).toString("base64") });

/** Answers what the screens of insights and people ask beyond the figures, or returns undefined. */
export function answerInsights(state, { method, path, query, body }) {
  const at = `${method} ${path.replace(/agents\/[^/]+/, "agents/ID").replace(/(conversations|customers|sessions)\/[0-9a-f-]{36}/, "$1/ID")}`;
  const isWanted = (one) => Object.values(one).some((value) => value.toLowerCase().includes((query.get("query") ?? "").toLowerCase()));
  if (/^\/v1\/conversations\/01998b2d-[^/]+\/thread$/.test(path)) return [200, thread(row(1), state.transcript ?? transcript)];
  const routes = {
    // A figure has its days; else it is the inbox that searches.
    "GET /v1/accounts/acc_1/inbox/search": () => query.has("startDate") && page(state.found ?? found),
    "GET /v1/agents/ID/insights/conversations": () =>
      page([{ conversationId: conversation, title: "A parcel that is late", source: "API", status: "ended", createdAt: "2026-11-20T14:01:00Z", lastActivity: "2026-11-20T14:03:00Z" }]),
    "GET /v1/agents/ID/customers": () => page((state.customers ?? customers).filter(isWanted)),
    "POST /v1/agents/ID/customers/ID/merge": () => {
      state.customers = (state.customers ?? customers).filter(({ customerId }) => customerId !== body.from);
      return [200, state.customers[0]];
    },
    "GET /v1/agents/ID/customers/ID": () => [200, { ...details, ...state.customer }],
    "GET /v1/agents/ID/leads": () => page(state.leads ?? leads),
    "GET /v1/voice/sessions": () => page(state.voiceSessions ?? voiceSessions),
    "GET /v1/voice/sessions/ID": () => [200, (state.voiceSessions ?? voiceSessions).find(({ sessionId }) => path.endsWith(sessionId))],
    "POST /v1/voice/sessions/ID/end": () => {
      const live = state.voiceSessions.find(({ sessionId }) => path.includes(sessionId));
      Object.assign(live, { endedAt: "2026-11-20T14:05:00Z", reason: "operator" });
      return [200, { sessionId: live.sessionId, lived: true }];
    },
    "GET /v1/voice/sessions/ID/recording": () => [200, readSound(Number(query.get("part")))],
    "GET /v1/agents/ID/insights/first-text": () => [200, state.firstText?.(query.get("from")) ?? { millis: 410, answers: 12 }],
    "GET /v1/agents/ID/insights/sentiment-weeks": () => [200, { weeks: state.weeks ?? weeks }],
    "POST /v1/agents/ID/insights/rebuild": () => {
      const judged = body.at.judged + (body.at.forgotten ? 100 : 0);
      return [200, { forgotten: true, after: { ID: "c", SortValue: judged }, judged, done: judged >= 200 }];
    },
    "GET /v2/agents/ID/insights": () => {
      const rows = series[query.get("groupBy")];
      return rows && [200, { data: { series: rows, topics: [], unanswered: { groups: [] } } }];
    },
  };
  return routes[at]?.() || undefined;
}
