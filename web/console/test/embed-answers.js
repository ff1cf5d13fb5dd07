// Recorded answers about an agent on a site. The frame of the preview is a page of the test's own.

const stepUp = [403, { error: { code: "AUTH_STEP_UP_REQUIRED", message: "Please confirm that it is you." } }];

// The path of a picture, which nothing is behind.
const square = "/__cb/picture/x";

/** Answers what is asked of an agent's embedding; undefined for anything else. */
export function answerEmbedding(state, { method, path, body }) {
  const [, id, rest] = /^\/v1\/agents\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const expiresAt = "2026-11-22T08:10:00.000Z";
  switch (`${method} ${rest}`) {
    case "POST preview-ticket":
      return [201, { ticket: "ticket", address: `${state.pagesOrigin ?? ""}/chatbot-iframe/${id}?preview=ticket`, expiresAt, icon: null, picture: null, ...state.pictures }];
    case "GET identity-secret":
      return state.isSteppedUp ? [200, { secret: "secret-of-tests", oldUntil: null }] : stepUp;
    case "POST identity-secret/rotate":
      return state.isSteppedUp ? [200, { secret: "another-secret", oldUntil: "2026-11-29T08:00:00.000Z" }] : stepUp;
    case "PUT icon":
    case "PUT picture":
      if (state.refusedPicture) return [400, { error: { code: "VALIDATION_INVALID_BODY", message: "Invalid.", details: { image: state.refusedPicture } } }];
      state.pictures = { ...state.pictures, [rest]: square };
      return [200, { path: square }];
    case "DELETE icon":
    case "DELETE picture":
      state.pictures = { ...state.pictures, [rest]: null };
      return [200, { path: null }];
    case "POST domain-check":
      return [200, domainVerdict(body.address)];
    case "POST identity-check":
      return [200, identityVerdict(body.token)];
  }
  return undefined;
}

function domainVerdict(address) {
  if (!address.includes(".")) return { isAllowed: false, origin: "", domain: "", reason: "no_address", message: "" };
  const isAllowed = address.includes("shop.example");
  return { isAllowed, origin: address, domain: "", reason: isAllowed ? "" : "other_domain", message: "" };
}

function identityVerdict(token) {
  if (token !== "good") return { userId: "", reason: "bad_signature", message: "It was not made with the secret of this agent.", warnings: [] };
  return { userId: "anna", reason: "", message: "", warnings: ["It has no exp."] };
}
