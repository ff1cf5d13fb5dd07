// An application with the AI SDK's chat in front of an agent. The transport is the manual's, word for word.
import { readFileSync } from "node:fs";

const manual = readFileSync(new URL("../../../docs/manual/clients.md", import.meta.url), "utf8");
const [, code] = /```js\n(class AgentTransport .*?)```/s.exec(manual);

/** The transport that the manual shows, made for one version of the SDK. */
export function transportOf({ DefaultChatTransport }, options) {
  const AgentTransport = new Function("DefaultChatTransport", `${code}; return AgentTransport;`)(DefaultChatTransport);
  return new AgentTransport(options);
}

/** The smallest chat: what the SDK's bindings for React, Vue and Svelte are built on. */
export function chatOf(sdk, { messages = [], ...options }) {
  class Chat extends sdk.AbstractChat {}
  const state = {
    status: "ready",
    error: undefined,
    messages,
    pushMessage: (message) => (state.messages = [...state.messages, message]),
    popMessage: () => (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (index, message) => (state.messages = state.messages.with(index, message)),
    snapshot: structuredClone,
  };
  return new Chat({ state, ...options });
}

/** The text of a message. */
export function textOf(message) {
  return message.parts.filter((part) => part.type === "text").map((part) => part.text).join("");
}
