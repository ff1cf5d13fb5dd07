// Recorded answers about the actions and the procedures of an agent.

const head = (key, kind, more) => ({
  ...{ key, kind, name: key, enabled: true, updatedAt: "2026-11-18T08:00:00.000Z", calls: 0, failures: 0, description: "", triggers: [], inputs: [] },
  ...more,
});

const number = { name: "number", type: "string", description: "the number of the order", required: true };

export const actions = [
  head("track_order", "http", {
    description: "Looks up where an order is. Use it when the customer asks about an order and gives its number.",
    triggers: ["track order {number}", "where is order {number}"],
    inputs: [number, { name: "language", type: "string", enum: ["en", "de"] }],
    ...{ calls: 214, failures: 3, secretNames: ["SHOP_KEY"] },
    secretNotes: [{ name: "SHOP_KEY", at: "2026-11-18T08:00:00.000Z", by: { kind: "member", name: "Bo Li" } }],
    config: {
      url: "https://api.shop.example/orders/{number}",
      query: { lang: "{language}" },
      headers: { Authorization: "Bearer ${SHOP_KEY}" },
      response: ["status", "delivery.date", "items[].name"],
    },
  }),
  head("keep_contact", "collect-leads", { description: "Keeps how to reach the customer.", config: { message: "Thank you." }, calls: 1000 }),
  head("search_the_web", "web-search", { description: "Searches our documentation on the web.", enabled: false, config: {} }),
  head("call_a_person", "escalate", { description: "Hands the conversation over to a person.", config: {}, calls: 12 }),
];

export const procedures = [
  head("refund", "procedure", {
    description: "Starts a refund. Use it when the customer wants the money back.",
    inputs: [number],
    steps: [
      { say: "I am looking at order {number}." },
      { action: "track_order", with: { number: "{number}" } },
      { action: "call_a_person", with: { reason: "Refund of {number}" } },
    ],
    calls: 5,
  }),
];

const failures = [
  ["2026-11-22T07:40:00.000Z", "Playground", "the service answered 401 (Unauthorized): invalid key"],
  ["2026-11-20T09:12:00.000Z", "Website", "the service took too long"],
].map(([at, channel, error], i) => ({ at, channel, error, conversationId: `conv_${i}` }));

export const worked = {
  ...{ works: true, isSimulated: false, millis: 120.4 },
  request: {
    method: "GET",
    url: "https://api.shop.example/orders/4711?lang=en",
    headers: [{ name: "Authorization", value: "Bearer ***" }],
  },
  reply: { status: 200, type: "application/json", bytes: 91, body: '{\n  "customer": "Jo",\n  "status": "sent"\n}', isCut: false },
  output: { status: "success", data: { status: "sent" } },
};

export const refused = {
  ...worked,
  ...{ works: false, failure: "status", reason: "the service answered 401 (Unauthorized): invalid key" },
  reply: { status: 401, type: "application/json", bytes: 31, body: '{\n  "error": "invalid key"\n}', isCut: false },
  output: { status: "error", error: "the service answered 401 (Unauthorized): invalid key" },
};

const notFound = [404, { error: { code: "NOT_FOUND", message: "Not found." } }];
const changed = [409, { error: { code: "AGENT_CHANGED", message: "Changed." } }];

/** Answers what is asked of actions; undefined for anything else. */
export function answerActions(state, { method, path, body }) {
  const [, part, key] = /^\/v1\/agents\/[^/]+\/(actions|procedures)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (!part) return undefined;
  state.tools ??= structuredClone({ actions, procedures });
  const list = state.tools[part];
  if (key === "try") return part === "actions" ? [200, state.trial ?? worked] : tryStep(body);
  if (!key && method === "GET") return [200, { ...state.tools, canKeepSecrets: state.canKeepSecrets ?? true, canSearchWeb: false }];
  if (!key) return list.push(head(body.name, body.kind ?? "procedure", body)), [201, list.at(-1)];
  const at = list.findIndex((one) => one.key === key);
  if (at < 0) return notFound;
  if (method === "DELETE") return list.splice(at, 1), [200, {}];
  if (method === "PATCH") {
    if (body.baseUpdatedAt && body.baseUpdatedAt !== list[at].updatedAt) return changed;
    Object.assign(list[at], body);
  }
  const details = part === "actions" ? { config: {}, secretNames: [], secretNotes: [] } : {};
  return [200, { ...details, lastFailures: key === "track_order" ? failures : [], ...list[at] }];
}

function tryStep({ steps, step, input, results }) {
  const answer = (more) => [200, { needs: [], trial: null, holds: null, results, next: step + 1, ...more }];
  if (!input.number) return answer({ needs: ["number"], next: 0 });
  const { say, action, if: condition, goto, procedure } = steps[step];
  if (say) return answer({ say: say.replace("{number}", input.number), ...(step === steps.length - 1 && { outcome: "completed" }) });
  if (condition) return answer({ holds: true, next: steps.findIndex(({ key }) => key === goto) });
  if (procedure) return answer({ procedure, outcome: "completed" });
  return answer({ action, kind: "http", input, trial: worked, results: { [`${action}.status`]: "sent" }, ...(step === steps.length - 1 && { outcome: "escalated" }) });
}
