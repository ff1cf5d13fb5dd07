// Recorded answers about saved replies, saved views and uploaded files, and a small server's memory for what the tests
// change in them.
const at = "2026-11-22T08:00:00.000Z";
const account = "/v1/accounts/acc_1";

const support = ["agents:read", "sources:read", "conversations:read", "conversations:write", "customers:read", "tickets:read", "tickets:write", "helpdesk:read", "playground:use"];

/** A session of a member who answers customers. */
export const whoAnswers = { memberships: [{ accountId: "acc_1", accountName: "Shop", role: "agent", permissions: support }] };

export const reply = (id, name, text) => ({ savedReplyId: `reply_${id}`, name, text, updatedAt: at });
export const replies = [
  reply(1, "Greeting", "Hello {{customer.name|there}}, I am {{member.name}} of {{agent.name}}."),
  reply(2, "Opening hours", "We are here from nine to six."),
];

export const view = (id, name, more) => ({
  savedViewId: `view_${id}`, name, shared: false, canChange: true, filter: { view: "all" }, gone: [], updatedAt: at, ...more,
});

export const members = [{ userId: "usr_1", name: "Owner" }, { userId: "usr_7", name: "Lee" }];

/** Answers what is asked of what is saved, and uploads; undefined for anything else. */
export function answerSaved(state, { method, path, body }) {
  state.replies ??= replies;
  state.views ??= [];
  if (path === `${account}/inbox/members`) return [200, { members }];
  const [, list, id = ""] = /^\/v1\/accounts\/acc_1\/saved-(replies|views)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (list === "replies") return change(state, "replies", "savedReplyId", method, id, body);
  if (list === "views") return change(state, "views", "savedViewId", method, id, { gone: [], canChange: true, ...body });
  if (method === "POST" && /^\/v1\/agents\/[^/]+\/files$/.test(path)) return upload(state);
  if (method === "DELETE" && /^\/v1\/agents\/[^/]+\/files\/[^/]+$/.test(path)) return [200, {}];
  return undefined;
}

const listed = { replies: "savedReplies", views: "savedViews" };

function change(state, list, idName, method, id, values) {
  if (method === "GET") return [200, { [listed[list]]: state[list] }];
  if (method === "POST") {
    const made = { [idName]: `${list}_${state[list].length + 1}`, updatedAt: at, ...values };
    state[list] = [...state[list], made];
    return [201, made];
  }
  const found = state[list].find((one) => one[idName] === id);
  if (!found) return [404, { error: { code: "NOT_FOUND", message: "" } }];
  state[list] = state[list].filter((one) => one !== found);
  if (method === "DELETE") return [200, {}];
  const changed = { ...found, ...values };
  state[list] = [...state[list], changed];
  return [200, changed];
}

async function upload(state) {
  await state.uploading?.();
  if (state.refusedUpload) return state.refusedUpload;
  state.uploads = (state.uploads ?? 0) + 1;
  return [201, { fileId: `file_${state.uploads}`, name: "receipt.txt", mediaType: "text/plain", size: 5 }];
}
