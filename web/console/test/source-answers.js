// Recorded answers about what an agent reads, and a small memory of what tests change.

const day = 86_400_000;
const ago = (days) => new Date(Date.now() - days * day).toISOString();

const source = (sourceId, type, name, status, more = {}) => ({
  sourceId,
  type,
  name,
  status,
  answers: status === "trained" || status === "updated",
  size: 48_213,
  createdAt: ago(20),
  updatedAt: ago(2),
  metadata: null,
  progress: null,
  ...more,
});

export const site = {
  type: "crawl",
  excludePaths: ["^/cart"],
  includeOnlyPaths: [],
  slowScraping: false,
  crawlStatus: "fetched",
  children: { included: 52, excluded: 3, failed: 1 },
};

export const sources = [
  source("01998b2d-0000-7000-8000-000000000001", "link", "https://shop.example", "trained", {
    url: "https://shop.example/",
    size: 8_100_000,
    metadata: site,
  }),
  source("01998b2d-0000-7000-8000-000000000002", "file", "handbook.pdf", "untrained", {
    size: 3_200_000,
    progress: { unit: "bytes", done: 1_490_000, total: 3_200_000 },
  }),
  source("01998b2d-0000-7000-8000-000000000003", "qna", "How do I return shoes?", "updated", {
    size: 1_024,
    progress: { unit: "bytes", done: 0, total: 0 },
  }),
  source("01998b2d-0000-7000-8000-000000000004", "file", "pricing.pdf", "failed", {
    size: 0,
    reason: "the file is encrypted",
  }),
  source("01998b2d-0000-7000-8000-000000000005", "link", "https://docs.shop.example", "untrained", {
    metadata: { ...site, crawlStatus: "fetching" },
    answers: true,
    progress: { unit: "pages", done: 41, total: 88 },
  }),
  source("01998b2d-0000-7000-8000-000000000006", "text", "Returns policy", "trained", { size: 2_048 }),
];

const pages = [
  ["/returns", "included", 14, ""],
  ["/shipping", "unchanged", 9, ""],
  ["/cart", "excluded", 0, "left out by robots.txt"],
  ["/old", "failed", 0, "the server answers 404"],
  ["/new", "waiting", 0, ""],
].map(([path, state, passages, reason], i) => ({
  url: `https://shop.example${path}`,
  state,
  passages,
  ...(reason && { reason }),
  bytes: 2048,
  readAt: passages > 0 ? ago(2) : null,
  ...(passages > 0 && { sourceId: `01998b2d-0000-7000-8000-00000000010${i}` }),
}));

/** A page of a website that was read, as a source. */
function sourceOfPage(id) {
  const page = pages.find(({ sourceId }) => sourceId === id);
  return page && source(id, "link", page.url, "trained", { url: page.url, metadata: { ...site, type: "individual" } });
}

const passages = ["Goods may be sent back within thirty days.", "The label for the parcel is in the box."].map((text, i) => ({
  passageId: `passage_${i}`,
  number: i + 1,
  heading: "Returns",
  start: i * 50,
  end: i * 50 + text.length,
  text,
}));

const sums = { conversations: 31, messages: 120, answers: 60, refusedAnswers: 5, escalated: 2 };
const counts = { ...sums, thumbsUp: 7, thumbsDown: 1, resolved: 27, unresolved: 4 };

const today = { conversations: 31, answers: 60, resolved: 27, escalated: 2, firstTextMillis: 410, waiting: 2 };

const insights = {
  from: "2026-11-01",
  to: "2026-11-30",
  groupBy: "day",
  totals: counts,
  resolution: {
    rate: 0.87,
    resolved: 27,
    unresolved: 4,
    settling: 1,
    reasons: { handedOver: 2, thumbsDown: 1, givenUp: 1, askedAgain: 0 },
    againDays: 7,
    definition: "Conversations with a question that ended without a person, a thumb down or the same question again.",
  },
  series: [3, 5, 8, 6, 9, 4, 7].map((conversations, i) => ({ ...counts, key: `2026-11-0${i + 1}`, conversations })),
  topics: [],
  unanswered: {
    questions: 8,
    withheld: false,
    groups: [
      { example: "Do you ship to Norway?", count: 5, firstAsked: 1_795_000_000, lastAsked: 1_795_200_000 },
      { example: "Is there a gift card?", count: 1, firstAsked: 1_795_000_000, lastAsked: 1_795_100_000 },
    ],
  },
};

const page = (data, total = data.length) => ({ data, pagination: { cursor: null, hasMore: false, total } });
const isWanted = (query) => (one) =>
  (!query.get("types") || query.get("types").split(",").includes(one.type)) &&
  (!query.get("statuses") || query.get("statuses").split(",").includes(one.status)) &&
  one.name.toLowerCase().includes((query.get("name") ?? "").toLowerCase());

function failed({ sources }) {
  const list = sources.filter(({ status }) => status === "failed");
  const failedSources = list.slice(0, 3).map(({ sourceId, name, reason = "" }) => ({ sourceId, name, reason }));
  return { failedCount: list.length, failedSources };
}

/** What the last week of agents came to. */
export const figures = (ids) => [
  200,
  ids.map((agentId) => ({ agentId, conversations: 31, days: [3, 5, 8, 6, 9, 4, 7], resolvedRate: 0.87, unanswered: 6 })),
];

const sum = (list, type) => ({ count: list.filter((one) => one.type === type).length, size: 0 });

/** Answers what is below an agent's address, or returns undefined. */
export function answerSources(state, { method, path, query, body }) {
  const rest = /^\/v[12]\/agents\/[^/]+\/(.*)$/.exec(path)?.[1];
  if (rest === undefined) return undefined;
  state.sources ??= structuredClone(sources);
  const at = `${method} ${path.slice(0, 3)}/${rest}`.replace(/sources\/[0-9a-f-]{36}/, "sources/ID");
  const id = /sources\/([0-9a-f-]{36})/.exec(rest)?.[1];
  const one = state.sources.find(({ sourceId }) => sourceId === id) ?? sourceOfPage(id);
  const routes = {
    "GET /v1/sources": () => [200, page(state.sources.filter(isWanted(query)))],
    "GET /v1/sources/ID": () =>
      one && [200, one.type === "qna" ? { questions: ["When are you open?"], answer: "From nine to five.", ...one } : one],
    "GET /v1/sources/ID/pages": () => [200, page(state.pages ?? pages)],
    "GET /v1/sources/ID/passages": () => [200, page(state.passages ?? passages)],
    "GET /v1/sources/ID/text": () => {
      const version = query.get("version") || "0192f3c1aa0b1c2d";
      const text = state.text ?? passages.map(({ text }) => text).join("\n\n");
      const earlier = text.replace("thirty days", "fourteen days");
      return [200, { version, bytes: 90, start: 0, text: version === "71c0ffee00aa11bb" ? earlier : text, next: null }];
    },
    "GET /v1/today": () => [200, { ...today, ...failed(state), ...state.today }],
    "GET /v1/sources/ID/versions": () => [
      200,
      {
        versions: [
          { version: "9f3c52aa0b1c2d3e", state: "reading", bytes: 51_000, createdAt: ago(0) },
          { version: "0192f3c1aa0b1c2d", state: "answers", bytes: 48_000, createdAt: ago(9) },
          { version: "71c0ffee00aa11bb", state: "earlier", bytes: 47_000, createdAt: ago(12) },
        ],
      },
    ],
    "POST /v1/sources/ID/refetch": () => {
      Object.assign(one, { status: "trained", answers: true, reason: undefined, size: 2_000 });
      return [200, one];
    },
    "GET /v1/knowledge-use": () => [
      200,
      {
        size: 12_400_000,
        limit: 20_000_000,
        answers: 930,
        since: ago(30),
        sources: [
          { sourceId: sources[0].sourceId, answers: 412 },
          { sourceId: sources[2].sourceId, answers: 77 },
        ],
      },
    ],
    "POST /v1/try-search": () => [
      200,
      {
        method: "words",
        passages: (state.passages ?? passages).map((one, i) => ({
          ...one,
          sourceId: sources[5].sourceId,
          sourceName: state.foundName ?? "Returns policy",
          rank: 4.2 - i,
          score: 0.81 - i * 0.3,
          rerank: i === 0 ? 0.9 : null,
        })),
      },
    ],
    "POST /v1/try-paths": () => {
      const bad = body.excludePaths.indexOf("(");
      if (bad >= 0) {
        const details = { [`excludePaths.${bad}`]: "is not a regular expression: missing closing )" };
        return [400, { error: { code: "VALIDATION_INVALID_BODY", message: "See details.", details } }];
      }
      const pathOf = (address) => new URL(address, "https://shop.example").pathname;
      const isOut = (address) => body.excludePaths.some((pattern) => new RegExp(pattern).test(pathOf(address)));
      const verdict = (address) => ({ address, verdict: isOut(address) ? "leftOut" : "read" });
      return [200, { verdicts: body.addresses.map(verdict) }];
    },
    "GET /v2/sources/summary": () => {
      const of = (type) => sum(state.sources, type);
      return [200, { links: of("link"), files: of("file"), qnas: of("qna"), texts: of("text") }];
    },
    "POST /v2/sources": () => {
      const sourceId = `01998b2d-0000-7000-8000-0000000002${String(state.sources.length).padStart(2, "0")}`;
      const made = source(sourceId, body?.type ?? "file", body?.name ?? body?.url ?? "file.txt", "trained");
      state.sources = [made, ...state.sources];
      return [201, { id: sourceId }];
    },
    "PUT /v2/sources/ID": () => (Object.assign(one, body), [200, one]),
    "DELETE /v2/sources/ID": () => {
      state.sources = state.sources.filter((other) => other !== one);
      return [200, { id }];
    },
    "PUT /v2/auto-retrain": () => {
      state.list = state.list.map((agent) => ({ ...agent, autoRetrain: body.enabled }));
      return [200, { success: true }];
    },
    "POST /v2/clone": () => [201, { id: state.list[0].id }],
    "GET /v2/insights": () => [200, { data: { ...insights, ...state.insights } }],
    "POST /v2/chat": () => [200, { data: state.reply ?? reply }],
  };
  return routes[at]?.();
}

const reply = {
  id: "msg_1",
  role: "assistant",
  parts: [{ type: "text", text: "Goods may be sent back within thirty days." }],
  metadata: {
    conversationId: "01998b2d-0000-7000-8000-000000000aaa",
    citations: [
      {
        sourceId: sources[5].sourceId,
        name: "Returns policy",
        url: null,
        versionHash: "9f3c",
        start: 0,
        end: 42,
        answerStart: 0,
        answerEnd: 42,
      },
    ],
    finishReason: "stop",
    score: 0.9,
    userId: null,
    userMessageId: "msg_0",
    answerState: "answered",
    usage: { credits: 1 },
  },
};
