// What the chat API answers in tests of the frame: an agent with an earlier conversation, and answers that stream.
import { eventsOf, streamOf } from "../../console/test/playground-answers.js";
import { notFound } from "./frame-server.js";

export const agentId = "agent_0123456789abcde";
const day = Date.parse("2026-11-22T08:00:00Z");
export const conversationId = "0192f3c1-0000-7000-8000-0000000000c1";

export const config = (more = {}, chat = {}) => ({
  agentId,
  name: "Shop help",
  isAvailable: true,
  reason: "",
  styles: {
    chat: {
      theme: "light", displayName: "Shop help", headerColor: "#1a4d8f", userMessageColor: "#1a4d8f", buttonColor: "#1a4d8f",
        alignChatButton: "right",
      messagePlaceholder: null, footer: null, dismissableNotice: null, showFeedback: true, showCopyButton: true, showDictation: false,
      showAttachments: true, showVoiceMode: false, ...chat,
    },
    centerStage: null,
  },
  initialMessages: ["Hi! How can I help?"],
  suggestedMessages: [{ type: "text", text: "Opening hours" }, { type: "text", text: "Track my order" }],
  leads: null,
  features: { files: true, dictation: false, voice: false, handover: true, email: true },
  locale: "",
  picture: null,
  icon: null,
  voiceURL: null,
  ...more,
});

const said = "You can send them back within **30 days**. The label is in the parcel.";
const bytes = (text) => Buffer.byteLength(text);

export const citations = [
  { sourceId: "0192f3c1-0000-7000-8000-000000000001", name: "Returns policy", url: "https://shop.example/returns",
    quote: "Goods may be returned within 30 days of delivery.", answerStart: 0, answerEnd: 42 },
  { sourceId: "0192f3c1-0000-7000-8000-000000000002", name: "Shipping FAQ", url: null, quote: "Each parcel holds a label for returns.",
    answerStart: 43, answerEnd: bytes(said) },
];

let seq = 0;
const message = (author, text, more = {}) => ({
  id: `msg_${++seq}`, seq, author, state: "complete", parts: [{ type: "text", text }], createdAt: day,
  ...(author === "assistant" && { metadata: { answerState: "sure", citations: [] } }),
  ...more,
});

export const user = (text, more) => message("user", text, more);
export const agent = (text = said, more = {}) => message("assistant", text, { metadata: { answerState: "sure", citations }, ...more });
export const person = (text, more) => message("human", text, { person: { name: "Kim", picture: null }, ...more });

/** A stored conversation. */
export const history = (messages, more = {}) => ({
  id: conversationId, title: "Returning shoes", status: "ongoing", createdAt: day, updatedAt: day, answer: null, messages, hasMore: false,
    ...more,
});

/** The events that are streamed of an answer. `metadata` is what the last one says beside the usual. */
export const answerEvents = ({ answer = said, size = 0, tools = [], error, metadata = {} } = {}) =>
  eventsOf({
    answer, size, tools, error,
    metadata: {
      messageId: "msg_a", userMessageId: "msg_u", conversationId, finishReason: error ? "error" : "stop", usage: { credits: 1 }, score: 0.9,
      answerState: "sure", citations: answer === said ? citations : [], ...metadata,
    },
  });

/** A stream of events, in pieces of so many bytes; one that is open has no end. */
export function stream(events, { isOpen = false, pieces = 0 } = {}) {
  if (!isOpen) return streamOf(events, pieces);
  return [200, { chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`), isOpen }, { "Content-Type": "text/event-stream" }];
}

/** The first events of an answer: as many words of it as are named. */
export const beginning = (events, count) => events.slice(0, count);

/** An open stream of what happens in a conversation: [event, data] each. */
export const following = (events) => [
  200,
  { chunks: events.map(([event, data]) => `event: ${event}\n${data.seq ? `id: ${data.seq}\n` : ""}data: ${JSON.stringify(data)}\n\n`),
    isOpen: true },
  { "Content-Type": "text/event-stream" },
];

export const refusal = (status, code, text, headers = {}, details = undefined) =>
  [status, { error: { code, message: text, details } }, headers];

/** Answers what the chat asks; `routes` has "METHOD /path" of what differs, with {id} for any part of a path. */
export function answers(routes = {}) {
  const all = { ...usual, ...routes };
  return async (asked) => {
    const found = Object.keys(all).find((route) => patternOf(route).test(`${asked.method} ${asked.path}`));
    const use = found && all[found];
    return found ? (typeof use === "function" ? use(asked) : use) : [404, notFound];
  };
}

const patternOf = (route) => new RegExp(`^${route.replaceAll("/", "\\/").replaceAll("{id}", "[^/]+")}$`);

const usual = {
  "POST /visitor": [200, { data: { token: "visitor-token", userId: null } }],
  "POST /identify": [200, { data: { token: "visitor-token-2", userId: "user_1" } }],
  "POST /messages": () => stream(answerEvents()),
  "POST /retry": () => stream(answerEvents()),
  "GET /conversations": [200, { data: [] }],
  "GET /conversation/{id}": [200, { data: history([user("How do I return shoes?"), agent()]) }],
  "GET /conversation/{id}/events": following([["status", { status: "ongoing" }]]),
  "POST /conversation/{id}/typing": [204],
  "POST /turns/{id}/stop": [200, { data: { success: true } }],
  "PATCH /messages/{id}/feedback": [200, { data: { success: true } }],
  "POST /leads": [200, { data: { success: true } }],
  "POST /forms/{id}": [200, { data: { success: true } }],
  "POST /tool-result": [200, { data: { success: true } }],
  "POST /handover": [200, { data: { conversationId, status: "ongoing", ticketNumber: 118, isAway: false, canAnswerByEmail: true } }],
  "POST /files": [200, { data: { id: "file_1", name: "receipt.pdf", type: "application/pdf", size: 81_000,
    url: "/api/chat/x/files/file_1" } }],
};

/** What the browser keeps of a visitor with a conversation. */
export const kept = (more = {}) => ({ [`parley:${agentId}`]: JSON.stringify({ token: "visitor-token", conversationId, ...more }) });
