// The chat as the console shows it while its looks are chosen: the real components, with what the console says in place
// of a conversation. Nothing is asked of the server, nothing is kept, and nothing that is pressed is sent.
import { batch } from "@preact/signals";
import { render } from "preact";
import type { PreviewData, PreviewMessage, PreviewPart } from "../../shared/preview";
import { App } from "./app";
import type { FrameChat } from "./chat";
import type { Config } from "./config";
import { ChatProvider } from "./context";
import type { Message, Mode, Part } from "./state";

const modes: Readonly<Record<PreviewPart, Mode>> = { chat: "bubble", centerStage: "stage", help: "help" };

/** Shows what the page around says, each time that it says something. */
export function startPreview(root: HTMLElement, chat: FrameChat): void {
  silence(chat);
  addEventListener("message", (event: MessageEvent<PreviewMessage | null>) => {
    if (event.source !== window.parent || event.data?.type !== "preview") return;
    void show(root, chat, event.data.data);
  });
  chat.channel.ready();
}

// silence keeps the chat from asking the server and the page. The page's policy would refuse it in any case.
function silence(chat: FrameChat) {
  const never = () => new Promise<never>(() => {});
  Object.assign(chat.api, { request: never, stream: never, beginVisitor: never });
  const nothing = () => {};
  Object.assign(chat, { send: nothing, reset: nothing, close: nothing, retry: nothing, rate: nothing });
}

async function show(root: HTMLElement, chat: FrameChat, data: PreviewData) {
  await chat.texts.choose([data.locale]);
  if (data.dir) document.documentElement.dir = data.dir;
  const mode = modes[data.part];
  document.body.dataset.mode = mode;
  Object.assign(chat.config, newConfig(chat.config, data));
  Object.assign(chat, { mode });
  batch(() => {
    chat.pageOptions.value = {}; // which makes the looks anew
    chat.isSmall.value = data.isSmall;
    setState(chat, data);
  });
  // What is read of the configuration is read when it is drawn.
  render(null, root);
  render(
    <ChatProvider value={chat}>
      <App />
    </ChatProvider>,
    root,
  );
}

function newConfig(config: Config, data: PreviewData): Partial<Config> {
  const { chat, centerStage } = data.styles;
  const shown = data.part === "centerStage" ? centerStage : chat;
  const leads = { toolName: "leads", title: "", fields: ["name" as const, "email" as const] };
  return {
    name: data.name,
    isAvailable: true,
    styles: { chat, centerStage } as Config["styles"],
    initialMessages: data.initialMessages,
    suggestedMessages: data.suggestedMessages,
    leads: data.state === "form" ? leads : config.leads,
    features: {
      ...config.features,
      files: shown?.showAttachments === true || data.state === "files",
      dictation: shown?.showDictation === true && config.features.dictation,
      voice: shown?.showVoiceMode === true && config.features.voice,
    },
  };
}

function setState(chat: FrameChat, data: PreviewData) {
  const { state, words } = data;
  const isPerson = state === "person";
  chat.thread.messages.value = newMessages(data);
  chat.thread.head.value =
    state === "fresh" ? null : { id: "preview", title: null, status: isPerson ? "taken_over" : "ongoing", createdAt: now, updatedAt: now };
  chat.follower.person.value = isPerson ? { name: words.person, picture: null, state: "joined" } : null;
  chat.turns.phase.value = state === "streaming" ? "streaming" : "idle";
  chat.turns.trouble.value = null;
  chat.isOnline.value = state !== "offline";
  chat.isLoading.value = false;
}

const now = Date.now();

function newMessage(key: string, author: Message["author"], parts: Part[], more: Partial<Message> = {}): Message {
  return {
    key,
    id: key,
    seq: 0,
    author,
    state: "complete",
    parts,
    createdAt: now,
    feedback: null,
    citations: [],
    code: "",
    isHidden: false,
    person: null,
    change: null,
    ...more,
  };
}

const textPart = (text: string): Part => ({ kind: "text", id: "text", text });
const filePart = (name: string): Part => ({
  kind: "file",
  id: "file",
  file: { id: "file", name, type: "application/pdf", size: 48_213, url: "#" },
});

/** What is said in a state. */
function newMessages({ state, words }: PreviewData): Message[] {
  if (state === "fresh") return [];
  const question = newMessage("question", "user", [textPart(words.question), ...(state === "files" ? [filePart(words.file)] : [])]);
  const half = words.answer.slice(0, Math.ceil(words.answer.length / 2)).replaceAll("*", "");
  const end = new TextEncoder().encode(words.answer).length;
  const citations = [{ sourceId: "source", name: words.source, quote: words.quote, url: null, answerStart: 0, answerEnd: end }];
  const answer = newMessage("answer", "assistant", [textPart(words.answer)], { citations });
  const person = { name: words.person, picture: null };
  const form: Part = { kind: "tool", id: "form", name: "leads", input: {}, isDone: false, isFailed: false };
  const replies: Partial<Record<typeof state, Message[]>> = {
    streaming: [newMessage("answer", "assistant", [textPart(half)], { state: "streaming" })],
    form: [newMessage("answer", "assistant", [form])],
    person: [answer, newMessage("person", "human", [textPart(words.personAnswer)], { person })],
    offline: [],
    error: [newMessage("answer", "assistant", [], { state: "failed", code: "INTERNAL_SERVER_ERROR" })],
  };
  return [question, ...(replies[state] ?? [answer])];
}
