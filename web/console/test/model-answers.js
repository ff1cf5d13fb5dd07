// Recorded answers about the servers of models of a company.

const stepUp = [403, { error: { code: "AUTH_STEP_UP_REQUIRED", message: "Please confirm that it is you." } }];
const noServer = [404, { error: { code: "RESOURCE_NOT_FOUND", message: "Model server not found." } }];

const server = (id, kind, more) => ({
  ...(id && { modelServerId: `01998b2d-0000-7000-8000-00000000${id}` }),
  kind,
  name: "",
  format: kind === "reranking" ? "cohere" : "openai",
  url: "https://models.example/v1",
  hasKey: true,
  keySetAt: id ? "2026-11-18T08:00:00.000Z" : null,
  keySetBy: id ? { kind: "member", name: "Kim Marlow" } : null,
  model: "",
  modelNames: [],
  contextTokens: 0,
  dimensions: 0,
  agents: 0,
  checkedAt: "2026-11-20T08:00:00.000Z",
  failingSince: null,
  createdAt: id ? "2026-11-18T08:00:00.000Z" : null,
  updatedAt: id ? "2026-11-18T08:00:00.000Z" : null,
  ...more,
});

export const modelServers = [
  server("", "embedding", { setBy: "PARLEY_EMBED_URL", url: "https://vectors.example/v1", model: "text-embedding-3-small" }),
  server("7001", "chat", { name: "Main model", model: "gpt-5.2-chat", modelNames: ["auto", "gpt-5.2"], agents: 3 }),
  server("7002", "chat", {
    name: "Second opinion",
    format: "anthropic",
    url: "https://claude.example/v1",
    model: "claude-sonnet-4-6",
    modelNames: ["claude-opus-4-8", "claude-sonnet-4-6"],
    agents: 1,
    failingSince: "2026-11-22T07:40:00.000Z",
    lastError: 'the provider answered 401 (is the model key right?): {"error":{"message":"invalid key"}}',
  }),
  server("7003", "chat", { name: "Trial", url: "http://10.1.2.3:11434/v1", hasKey: false, keySetAt: null, keySetBy: null, model: "llama3.3", checkedAt: null }),
];

const prices = { auto: 1, "gpt-5.2": 2, "gpt-5.5": 4, "gpt-5-mini": 1, "claude-opus-4-8": 6, "claude-sonnet-4-6": 3, "gemini-2.5-pro": 2, "grok-4": 4 };
const modelNames = [
  ...Object.entries(prices).map(([name, credits]) => ({ name, credits })),
  { name: "DeepSeek-V3", credits: 1, setBy: "PARLEY_MODEL_MAP" },
];

const works = { works: true, millis: 312.4, answer: "OK" };

/** Answers what is asked of servers of models; undefined for anything else. */
export function answerModelServers(state, { method, path, body, query }) {
  const [, id, test] = /^\/v1\/accounts\/[^/]+\/model-servers(?:\/([^/]+))?(\/test)?$/.exec(path) ?? [];
  if (!path.includes("/model-servers")) return undefined;
  state.servers ??= modelServers.map((one) => ({ ...one }));
  const at = state.servers.findIndex(({ modelServerId }) => id && modelServerId === id);
  const known = state.servers[at];
  if (method === "POST" && id === "models") return state.listing ?? [200, { models: ["gpt-5.2", "gpt-5.5", "m-1"] }];
  if (method === "POST" && (test || id === "test")) return tryServer(state, id === "test" ? body : known);
  if (!id && method === "POST") return create(state, body);
  if (!id) return [200, { servers: state.servers, modelNames, canKeepKeys: state.canKeepKeys ?? true, creditPrice: state.creditPrice ?? null }];
  if (!known) return noServer;
  if (method === "DELETE") return remove(state, at, query);
  if (method === "PATCH") return change(state, known, body);
  return [200, known];
}

function tryServer(state, tried) {
  const outcome = state.outcome ?? works;
  if (tried?.modelServerId && state.servers.includes(tried)) {
    const now = "2026-11-22T12:00:00.000Z";
    Object.assign(tried, { checkedAt: now, failingSince: outcome.works ? null : now, lastError: outcome.error ?? "" });
  }
  return [200, outcome];
}

function create(state, { key, ...rest }) {
  if (!state.isSteppedUp) return stepUp;
  const made = server(`80${String(state.servers.length).padStart(2, "0")}`, rest.kind, { ...rest, hasKey: Boolean(key), checkedAt: null });
  state.servers.push(made);
  return [201, made];
}

function change(state, known, { key, baseUpdatedAt, ...rest }) {
  if (!state.isSteppedUp) return stepUp;
  if (baseUpdatedAt !== known.updatedAt) return [409, { error: { code: "MODEL_SERVER_CHANGED", message: "Changed." } }];
  Object.assign(known, rest, key === undefined ? {} : { hasKey: key !== "" }, { updatedAt: "2026-11-22T12:00:00.000Z" });
  return [200, known];
}

function remove(state, at, query) {
  if (state.servers[at].agents > 0 && query.get("evenIfUsed") !== "true") {
    return [400, { error: { code: "VALIDATION_INVALID_BODY", message: "Used.", details: { evenIfUsed: "must be true" } } }];
  }
  state.servers.splice(at, 1);
  return [200, {}];
}
