// Recorded answers about manifests.

/** An agent as a manifest. */
export const manifest = `agent:
  id: 5QHA6VB-DIAbBhxwqxfdi
settings:
  name: Help desk
  instructions: Be kind and short.
  temp: 0.2
actions:
  - key: track-order
    kind: http
    name: track_order
    description: Tells where an order is.
    config:
      method: GET
      url: https://api.shop.example/orders/{number}
      headers:
        Authorization: Bearer \${SHOP_API_KEY}
sources:
  - key: opening-hours
    name: Opening hours
    content: |
      The shop is open from Monday to Friday.
`;

/** What a manifest would change. */
export const changes = [
  { op: "update", part: "settings", before: { temp: 0.2, channelInstructions: null }, after: { temp: 0.4, channelInstructions: { email: "Begin with a greeting." } } },
  { op: "create", part: "action", key: "human", after: { key: "human", kind: "escalate", name: "talk_to_a_person", triggers: ["talk to a human"] } },
  { op: "delete", part: "source", key: "opening-hours", before: { name: "Opening hours", content: "The shop is open\nfrom Monday to Friday." } },
];

/** What is wrong with a manifest, as the server says it. */
export const faults = [
  400,
  { error: { code: "VALIDATION_INVALID_BODY", message: "See details.", details: {
    "text.6": "settings.temp: must be from 0 to 1",
    "text.13": "actions.0.config.url: must be an address that begins with https: or http:\nactions.0.config.method: must be one of: GET, POST",
  } } },
];

/** Answers what is asked of manifests; undefined for anything else. */
export function answerManifest(state, { method, path, body }) {
  if (method === "GET" && /^\/v1\/agents\/[^/]+\/manifest$/.test(path)) return [200, { document: {}, text: state.manifest ?? manifest, leftOut: state.leftOut }];
  if (method !== "POST" || !/^\/v1\/accounts\/[^/]+\/manifest$/.test(path)) return undefined;
  if (state.manifestFaults) return state.manifestFaults;
  if (!body.dryRun) state.manifest = body.text;
  const isMade = state.isNew && body.dryRun; // by what comes after: it has no id yet
  return [200, { agents: [{ ...(!isMade && { agentId: "5QHA6VB-DIAbBhxwqxfdi" }), changes: state.changes ?? changes, notes: state.notes }] }];
}
