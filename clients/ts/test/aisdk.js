// How an application puts the AI SDK's chat in front of an agent. The manual shows the same (docs/manual/clients.md).

/**
 * What the SDK's chat needs for one agent: a transport, which sends a message to chat, asks retry for another answer and goes on
 * after a tool's result, and onFinish, which keeps what the answer said of itself.
 */
export function agentChat(sdk, { api, agent, apiKey }) {
  let last; // metadata of the last answer
  const transport = new sdk.DefaultChatTransport({
    headers: { authorization: `Bearer ${apiKey}` },
    prepareSendMessagesRequest({ messages, trigger, messageId, headers }) {
      const at = `${api}/agents/${agent}`;
      if (trigger === "regenerate-message") {
        return { api: `${at}/conversations/${last.conversationId}/retry`, headers, body: { messageId: messageId ?? last.messageId, stream: true } };
      }
      const { role, parts } = messages.at(-1);
      const message = role === "user" ? parts.filter((part) => part.type === "text").map((part) => part.text).join("") : undefined;
      return { api: `${at}/chat`, headers, body: { message, conversationId: last?.conversationId, stream: true } };
    },
  });
  return { transport, onFinish: ({ message }) => (last = message.metadata ?? last) };
}

/** The smallest chat: what the SDK's bindings for React, Vue and Svelte are built on. */
export function chatOf(sdk, options) {
  class Chat extends sdk.AbstractChat {}
  const state = {
    status: "ready",
    error: undefined,
    messages: [],
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
