// A server with what was built for the tests, and with frames that only write down what they are told: the loaders by
// themselves. A test says with `say` what a frame tells its page.
import { builtFile, startSite } from "./server.js";

export const agentId = "AbCdEfGhIjKlMnOpQrStU";
export const otherId = "ZyXwVuTsRqPoNmLkJiHgF";

/** What the server says of an agent. */
export function configOf(id, changes = {}) {
  const { chat, centerStage = null, ...rest } = changes;
  return {
    agentId: id, name: "Shop help", isAvailable: true, reason: "",
    styles: { chat: { theme: "light", buttonColor: "#1a56db", alignChatButton: "right", displayName: null, ...chat }, centerStage },
    initialMessages: ["Hi! How can I help?"], suggestedMessages: [], leads: null,
    features: { files: false, dictation: false, voice: false, handover: false, email: false },
    locale: "", picture: null, icon: null, voiceURL: null, ...rest,
  };
}

const frameScript = `
window.received = [];
addEventListener("message", ({ data, origin, source }) => {
  if (source !== parent) return;
  received.push(data);
  window.home = origin;
  if (data.type !== "page" || !data.data.needsConfig) return;
  fetch(location.pathname + "/config").then((reply) => reply.json()).then((config) => say("config", config));
});
window.say = (type, data, target = window.home ?? "*") => parent.postMessage({ type, data }, target);
window.told = (type) => received.filter((m) => m.type === type).map((m) => m.data);
say("iframeReady", { v: 1 });
`;

/**
 * Starts the server. `configs` are those of the agents by their ids; `seen` lists the paths that were asked for; `fail`
 * is what the paths begin with that are answered with 404.
 */
export async function startStub() {
  const state = { configs: {}, seen: [], bytes: 0, fail: [] };
  const site = await startSite((asked, reply) => {
    const { pathname: path } = new URL(asked.url, "http://x");
    state.seen.push(path);
    const found = state.fail.some((start) => path.startsWith(start)) ? undefined : answer(path, state);
    const headers = { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" };
    if (!found) return reply.writeHead(404, { ...headers, "Content-Type": "text/javascript" }).end("// Nothing.");
    state.bytes += found.text.length;
    reply.writeHead(200, { ...headers, "Content-Type": found.type }).end(found.text);
  });
  const reset = () => Object.assign(state, { seen: [], fail: [], configs: { [agentId]: configOf(agentId), [otherId]: configOf(otherId) } });
  reset();
  return Object.assign(state, site, { reset });
}

function answer(path, { configs }) {
  const boot = /^\/__cb\/boot\/([\w-]+)\.js$/.exec(path);
  const frame = /^\/chatbot-iframe\/([\w-]+)(\/config)?$/.exec(path);
  const config = JSON.stringify(configs[(boot ?? frame)?.[1]]);
  if (boot) return config && { type: "text/javascript", text: `window[Symbol.for("parley")]?.get("${boot[1]}")?.boot(${config});` };
  if (frame?.[2]) return config && { type: "application/json", text: config };
  if (!frame) return builtFile(path);
  const field = '<label>Message <input id="field"></label>';
  const head = '<!doctype html><link rel="icon" href="data:,"><title>Frame</title>';
  return config && { type: "text/html", text: `${head}${field}<script>${frameScript}</script>` };
}
