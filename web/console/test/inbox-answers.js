// Recorded answers about conversations with people, and a small server's memory for what the tests change in them.
import { explain, metadata } from "./playground-answers.js";
import { members } from "./saved-answers.js";

const agentId = "5QHA6VB-DIAbBhxwqxfdi";
const at = (minute) => `2026-11-22T08:${String(minute).padStart(2, "0")}:00.000Z`;

export const row = (i, more) => ({
  conversationId: `0199b2d1-0000-7000-8000-00000000000${i}`,
  agentId,
  agentName: "Help desk",
  source: "Widget or Iframe",
  status: "ongoing",
  paused: false,
  messages: 2,
  createdAt: at(0),
  lastActivity: at(30 - i),
  claimedBy: null,
  waitingSince: null,
  snoozedUntil: null,
  unread: false,
  lastMessage: { seq: 5, author: "assistant", text: "You can send them back within 30 days.", createdAt: at(30 - i) },
  ...more,
});

export const rows = [
  row(1, {
    status: "taken_over",
    customer: "Customer 1",
    waitingSince: at(19),
    lastMessage: { seq: 3, author: "user", text: "I want to talk to a person.", createdAt: at(29) },
  }),
  row(2, { status: "taken_over", customer: "Customer 2", claimedBy: { userId: "usr_7", name: "Lee" }, waitingSince: at(20) }),
  row(3, { status: "ended", userId: "crm-3" }),
];

const entry = (seq, author, more) => ({
  messageId: `msg_${seq}`,
  seq,
  type: "reply",
  author,
  state: "complete",
  parts: [],
  files: [],
  score: null,
  citations: [],
  createdAt: at(seq),
  ...more,
});
const text = (value) => ({ parts: [{ type: "text", text: value }] });

export const entries = [
  entry(1, "user", text("How do I return shoes?")),
  entry(2, "assistant", {
    ...text("You can send them back within **30 days**. The label is in the parcel."),
    messageId: "msg_a",
    score: 0.92,
    answerState: "answered",
    citations: metadata.citations,
    feedback: "negative",
    comment: "Which label?",
  }),
  entry(3, "user", { ...text("I want to talk to a person."), files: [{ name: "shoes.txt", mediaType: "text/plain", size: 812, address: "/api/v2/helpdesk/attachments/1?token=x" }] }),
  entry(4, "system", { type: "event", event: { eventType: "escalated", doneBy: "agent", reason: "I want to talk to a person." } }),
  entry(5, "human", { ...text("Sends back often."), type: "note", name: "Lee" }),
];

const person = { customerId: "01998b2d-0000-4000-8000-000000000b01", name: "Customer 1", email: "customer-1@shop.example", phoneNumber: "+49 30 1234", createdAt: at(0) };

export const thread = (found, said = entries) => ({
  ...found,
  answering: false,
  hasEarlier: false,
  entries: said,
  person: found.customer === "Customer 1" ? person : null,
  ticketNumber: found.status === "ongoing" ? undefined : 118,
  pageOrigin: "https://shop.example/returns",
  pageTitle: "Returns",
  language: "en",
});

const refusal = (code) => [409, { error: { code, message: "" } }];
const fits = {
  waiting: ({ status, lastMessage }) => status === "taken_over" && lastMessage?.author !== "human",
  mine: ({ claimedBy, snoozedUntil }) => claimedBy?.userId === "usr_1" && !snoozedUntil,
  unassigned: ({ status, claimedBy, snoozedUntil }) => status === "taken_over" && !claimedBy && !snoozedUntil,
  snoozed: ({ snoozedUntil }) => snoozedUntil,
  live: ({ status }) => status !== "ended",
  unread: ({ unread }) => unread,
  ended: ({ status }) => status === "ended",
  all: () => true,
};

/** Answers what is asked of the inbox; undefined for anything else. */
export function answerInbox(state, { method, path, query, body }) {
  state.inbox ??= rows.map((one) => ({ ...one }));
  state.said ??= {};
  if (method === "GET" && path === "/v1/accounts/acc_1/inbox") {
    const data = state.inbox.filter(fits[query.get("view")]).filter((one) => !query.get("agentId") || one.agentId === query.get("agentId"));
    if (query.get("order") === "longest") data.sort((a, b) => Date.parse(a.waitingSince) - Date.parse(b.waitingSince));
    return [200, { data, pagination: { cursor: null, hasMore: false } }];
  }
  if (method === "GET" && path === "/v1/accounts/acc_1/inbox/counts") {
    // Only where a test asks for it: the number is beside the inbox on every screen.
    const count = (view) => state.counted ?? (state.isCounted ? state.inbox.filter(fits[view]).length : 0);
    return [200, { waiting: count("waiting"), mine: count("mine"), unassigned: count("unassigned"), unread: state.isCounted ? state.inbox.filter(fits.unread).length : 0 }];
  }
  if (method === "GET" && path === "/v1/accounts/acc_1/inbox/search") {
    const data = state.foundRows ?? state.inbox.map((one) => ({ ...one, snippet: [] }));
    return [200, { data, pagination: { cursor: null, hasMore: false }, withheld: state.withheld ?? 0 }];
  }
  if (method === "GET" && path === "/v1/accounts/acc_1/inbox/unread") {
    const isUnread = (id) => state.unread?.includes(id) || state.inbox.some((one) => one.conversationId === id && one.unread);
    return [200, query.get("conversationIds").split(",").filter(isUnread).map((conversationId) => ({ conversationId }))];
  }
  if (method === "PUT" && /^\/v1\/conversations\/conv_\d+\/read-mark$/.test(path)) return ofTicketMark(state, path.split("/")[3], body);
  if (method === "POST" && /\/tickets\/118\/messages$/.test(path)) return addEntry(state, state.inbox[0], "human", { ...text(body.text), type: "note", name: "Owner" });
  if (/^\/v1\/conversations\/conv_\d+\/drafts$/.test(path)) return ofDrafts(state, method, body); // of a ticket
  const [, id, rest] = /^\/v1\/conversations\/([^/]+)\/([a-z-]+)$/.exec(path) ?? [];
  if (!id) return undefined;
  const found = state.inbox.find((one) => one.conversationId === id);
  if (!found) return undefined;
  return ofConversation(state, found, `${method} ${rest}`, body);
}

function ofDrafts(state, method, body) {
  if (method === "GET") return [200, { drafts: (state.drafts ?? []).filter((one) => one.text) }];
  state.drafts = [...(state.drafts ?? []).filter(({ kind }) => kind !== body.kind), { ...body, updatedAt: at(50) }];
  return [200, { kept: body.text !== "" }];
}

/** `state.unread` has the conversations of tickets that are unread. */
function ofTicketMark(state, id, { unread }) {
  state.unread = [...(state.unread ?? []).filter((one) => one !== id), ...(unread ? [id] : [])];
  return [200, { unread }];
}

function ofConversation(state, found, what, body) {
  switch (what) {
    case "GET thread":
      return [200, thread(found, state.said[found.conversationId] ?? entries)];
    case "GET explain":
      return [200, { conversationId: found.conversationId, turns: [explain] }];
    case "PUT claim":
      if (state.isOthers && found.claimedBy && found.claimedBy.userId !== body.former) return refusal("CONVERSATION_CLAIMED");
      if (state.winner && found.claimedBy?.userId !== "usr_7") {
        Object.assign(found, { status: "taken_over", claimedBy: state.winner });
        return refusal("CONVERSATION_CLAIMED");
      }
      Object.assign(found, { status: "taken_over", claimedBy: { userId: "usr_1", name: "Owner" } });
      return [200, found];
    case "PUT snooze":
      found.snoozedUntil = body.until;
      return [200, found];
    case "PUT assignee":
      Object.assign(found, { status: "taken_over", claimedBy: members.find(({ userId }) => userId === body.memberId) ?? null });
      return [200, found];
    case "PUT state":
      Object.assign(found, { status: body.step === "end" ? "ended" : "ongoing", claimedBy: null });
      return [200, found];
    case "PUT read-mark":
      found.unread = body.unread;
      return [200, { unread: body.unread }];
    case "GET drafts":
      return ofDrafts(state, "GET");
    case "PUT drafts":
      return ofDrafts(state, "PUT", body);
    case "POST typing":
      return [200, {}];
    case "POST messages":
      if (state.colleague && body.seen < state.colleague) return refusal("CONVERSATION_ANSWERED");
      return addEntry(state, found, "human", { ...text(body.text), name: "Owner" });
  }
  return undefined;
}

function addEntry(state, found, author, more) {
  const said = state.said[found.conversationId] ?? entries;
  const next = entry(said.at(-1).seq + 1, author, more);
  state.said[found.conversationId] = [...said, next];
  return [201, { messageId: next.messageId }];
}
