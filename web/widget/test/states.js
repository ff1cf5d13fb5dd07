// The chat in every state that somebody may see it in.
import * as A from "./chat-answers.js";
import { sendQuestion } from "./question.js";
import { fakeMicrophone, playCall } from "./sound.js";

const box = (chat) => chat.locator("textarea").last();

/** Asks as a customer does. */
export async function ask(chat, text) {
  const isTapped = await chat.evaluate(() => matchMedia("(pointer: coarse)").matches);
  if (!isTapped) return sendQuestion(chat, text);
  await box(chat).fill(text);
  await chat.locator("form:has(> textarea) button[type=submit]").click();
}

const answered = (chat) => chat.locator("article[data-state=complete] button[aria-pressed]").first().waitFor();
const stored = A.kept();
const openEvents = (count, more) => A.stream(A.beginning(A.answerEvents({ size: 12, ...more }), count), { isOpen: true });
const wordy = [
  "# Sending things back", "", "You have **30 days**. Here is _how_:", "", "1. Print the label.", "2. Put it on the parcel.",
    "3. Bring it to a shop near you.", "",
  "| Country | Days | Cost |", "| --- | --- | --- |", "| Norway | 14 | 12 € |", "| France | 30 | free |", "", "```sh",
    "curl https://shop.example/returns?order=4711&format=pdf", "```", "",
  "> Shoes that were worn outside cannot come back.", "", "More: [returns](https://shop.example/returns) or `returns@shop.example`.",
].join("\n");
const leadTool = { toolName: "collect-leads", title: "Where may we write to you?", fields: ["name", "email", "phone"] };
const openTool = (name, input) => ({ parts: [{ type: "text", text: "Please tell me a bit more." }, { type: "tool-call",
  toolCallId: "call_1", toolName: name, input }] });
const takenOver = (messages, events) => ({
  "GET /conversation/{id}": [200, { data: A.history(messages, { status: "taken_over" }) }],
  "GET /conversation/{id}/events": A.following([["status", { status: "taken_over" }], ["person", { name: "Kim", picture: null,
    state: "joined" }], ...events]),
});

const formSchema = {
  showLabels: true,
  submitButtonText: "Send the order",
  fields: [
    { name: "number", type: "text", label: "Number of the order", validation: { required: { value: true,
      message: "We need the number." } } },
    { name: "email", type: "email", label: "E-mail" },
    { name: "why", type: "select", label: "Reason", options: [{ value: "size", label: "Wrong size" }, { value: "broken",
      label: "Broken" }] },
    { name: "parts", type: "multiselect", label: "Which parts", options: [{ value: "a", label: "Left shoe" }, { value: "b",
      label: "Right shoe" }] },
    { name: "words", type: "textarea", label: "In your words" },
    { name: "picture", type: "image", label: "A picture" },
  ],
};

/** Describes a form to the chat by what it says to an app around it. */
export const describeForm = (chat, name, schema) =>
  chat.evaluate(([name, text]) => {
    const schema = JSON.parse(text);
    const postMessage = (message) => {
      const { type, data } = JSON.parse(message);
      if (type === "form-run") window.postMessage({ type: "form-schema", data: { id: data.id, schema } }, location.origin);
    };
    window.ReactNativeWebView = { postMessage };
    window.postMessage({ type: "registerFormSchema", data: { names: [name] } }, location.origin);
  }, [name, JSON.stringify(schema)]);

const menu = (chat) => chat.getByRole("button", { name: "More", exact: true });

/** Opens the menu, and what an item of it opens. */
const openMenu = (item) => async (_, chat) => {
  await chat.locator("article").first().waitFor();
  await menu(chat).or(chat.locator("button[aria-haspopup=menu]")).first().click();
  await chat.getByRole("menu").waitFor();
  if (item !== undefined) await chat.locator("[role^=menuitem]").nth(item).click();
};

/** Two earlier conversations, or the one of them in which a word was found. */
const earlier = ({ query }) => {
  const first = A.history([]);
  const second = { ...first, id: "0192f3c1-0000-7000-8000-0000000000c2", title: null, updatedAt: Date.parse("2026-11-20T08:00:00Z") };
  const excerpt = "…You can send them back within 30 days. The label is in the parcel. Print it once more where it is lost, and…";
  return [200, { data: query.get("query") ? [{ ...first, excerpt }] : [first, second] }];
};

/** Looks for a word in the earlier conversations that are seen. */
const searchEarlier = async (chat) => {
  await chat.locator("input[type=search]").filter({ visible: true }).fill("label");
  await chat.getByText("The label is in the parcel. Print").filter({ visible: true }).waitFor();
};

/** The features of an agent that has one of them. */
const only = (feature) => ({ files: false, dictation: false, voice: false, handover: true, email: true, [feature]: true });

/** The one tool beside the field. */
const composerTool = (chat) => chat.locator("form:has(> textarea) button[type=button]").first();

/** The keyboard of a phone, in pixels. */
export const keyboard = 336;

export const states = {
  fresh: { act: (_, chat) => chat.locator("article").first().waitFor() },
  answer: {
    act: async (_, chat) => {
      await ask(chat, "How do I return shoes?");
      await answered(chat);
    },
  },
  streaming: {
    routes: { "POST /messages": () => openEvents(6) },
    act: async (_, chat) => {
      await ask(chat, "How do I return shoes?");
      await chat.getByText("send them").waitFor();
    },
  },
  waiting: {
    routes: { "POST /messages": () => openEvents(2) },
    act: async (_, chat) => {
      await ask(chat, "How do I return shoes?");
      await chat.locator("article[data-state=streaming]").waitFor();
    },
  },
  tool: {
    routes: {
      "POST /messages": () =>
        A.stream(
          [
            ...A.beginning(A.answerEvents(), 2),
            { type: "tool-input-available", toolCallId: "t0", toolName: "find_customer", input: {} },
            { type: "tool-output-available", toolCallId: "t0", output: { status: "success", data: {} } },
            { type: "tool-input-available", toolCallId: "t1", toolName: "track_order", input: { number: 4711 } },
          ],
          { isOpen: true },
        ),
    },
    act: async (_, chat) => {
      await ask(chat, "Where is order 4711?");
      await chat.getByText("track order").waitFor();
    },
  },
  long: {
    stored,
    routes: { "GET /conversation/{id}": () => [200, { data: A.history([A.user("How does it work?"), A.agent(wordy,
      { metadata: { answerState: "sure", citations: [] } })]) }] },
    act: (_, chat) => chat.locator("table").waitFor(),
  },
  citation: {
    stored,
    act: async (_, chat) => {
      await chat.getByRole("button", { name: /Returns policy/ }).click();
      await chat.locator("dialog blockquote").waitFor();
    },
  },
  rated: {
    stored,
    act: async (_, chat) => {
      await chat.locator("button[aria-pressed]").nth(1).click();
      await chat.locator("button[aria-pressed=true]").waitFor();
    },
  },
  failed: {
    routes: { "POST /messages": () => A.stream(A.answerEvents({ answer: "You can", error: "The model did not answer." })) },
    act: async (_, chat) => {
      await ask(chat, "How do I return shoes?");
      await chat.getByRole("alert").first().waitFor();
    },
  },
  unsent: {
    routes: { "POST /messages": () => A.refusal(400, "VALIDATION_INVALID_BODY", "The message is not valid.") },
    act: async (_, chat) => {
      await ask(chat, "How do I return shoes?");
      await chat.getByRole("alert").first().waitFor();
    },
  },
  limited: {
    routes: { "POST /messages": () => A.refusal(429, "RATE_LIMIT_TOO_MANY_REQUESTS", "You have asked a lot. Please wait.",
      { "Retry-After": "42" }, { reason: "own_words" }) },
    act: async (_, chat) => {
      await ask(chat, "How do I return shoes?");
      await chat.getByText(/42/).waitFor();
    },
  },
  off: {
    config: { leads: leadTool },
    routes: { "POST /messages": () => A.refusal(402, "CHAT_CREDITS_EXHAUSTED", "No credits.") },
    act: async (_, chat) => {
      await ask(chat, "How do I return shoes?");
      await chat.locator("form input[type=email]").waitFor();
    },
  },
  ended: {
    stored,
    routes: { "GET /conversation/{id}": () => [200, { data: A.history([A.user("Thanks!"), A.agent("You are welcome.",
      { metadata: { answerState: "sure", citations: [] } })], { status: "ended" }) }] },
    act: (_, chat) => chat.getByText("Thanks!").waitFor(),
  },
  offline: {
    stored,
    act: async (page, chat) => {
      await answered(chat);
      await page.context().setOffline(true);
      await chat.getByRole("status").filter({ hasText: /\p{L}/u }).first().waitFor();
      await ask(chat, "And without the receipt?");
    },
  },
  lead: {
    stored,
    config: { leads: leadTool },
    routes: { "GET /conversation/{id}": () => [200, { data: A.history([A.user("Call me back."), A.agent("", openTool("collect-leads",
      {}))]) }] },
    act: (_, chat) => chat.locator("form input[type=email]").waitFor(),
  },
  form: {
    stored,
    routes: { "GET /conversation/{id}": [200, { data: A.history([A.user("I want to send it back."), A.agent("", openTool("send_back",
      {}))]) }] },
    act: async (_, chat) => {
      await chat.locator("article").nth(2).waitFor();
      await describeForm(chat, "send_back", formSchema);
      await chat.locator("form button[type=submit]").first().waitFor();
      await chat.getByLabel("In your words").waitFor();
    },
  },
  nobody: {
    stored,
    routes: {
      "GET /conversation/{id}": [200, { data: A.history([A.user("I want a person.")], { status: "taken_over" }) }],
      "GET /conversation/{id}/events": A.following([["status", { status: "taken_over" }], ["person", { name: null, picture: null,
        state: "away" }]]),
    },
    act: (_, chat) => chat.getByRole("log").locator("input[type=email]").waitFor(),
  },
  person: {
    stored,
    routes: takenOver([A.user("I want a person."), A.agent("I have asked for one.", { metadata: { answerState: "sure", citations: [] } }),
      A.person("Hello Anna, I have your order here.")], []),
    act: (_, chat) => chat.getByRole("heading", { name: "Kim", exact: true }).waitFor(),
  },
  typing: {
    stored,
    routes: takenOver([A.user("It is wrong."), A.person("Let me see.")], [["typing", { until: Date.parse("2026-11-22T12:00:20Z") }]]),
    act: async (_, chat) => {
      await chat.getByRole("heading", { name: "Kim", exact: true }).waitFor();
      await chat.getByText(/Kim.*…/).waitFor();
    },
  },
  notice: {
    chat: { dismissableNotice: "Our shop is **closed** on Friday.",
      footer: "Answers are written by a machine. [Privacy](https://shop.example/privacy)",
        displayName: "The help of the shop in the long street by the river" },
    config: { suggestedMessages: [{ type: "text", text: "Opening hours" }, { type: "group", name: "Returns", items: [{ text: "How long" },
      { text: "What does it cost" }] }] },
    act: (_, chat) => chat.getByRole("complementary").waitFor(),
  },
  suggestions: {
    config: { suggestedMessages: [{ type: "group", name: "Returns", items: [{ text: "How long" }, { text: "What does it cost" }] }] },
    act: async (_, chat) => {
      await chat.getByRole("button", { name: "Returns" }).click();
      await chat.getByRole("button", { name: "How long" }).waitFor();
    },
  },
  colors: {
    chat: { headerColor: "#ffd400", userMessageColor: "#ffd400", buttonColor: "#ffd400" },
    stored,
    act: (_, chat) => answered(chat),
  },
  unavailable: {
    config: { isAvailable: false, reason: "agent" },
    act: (_, chat) => chat.locator("#root > *").first().waitFor(),
  },
  menu: { stored, act: openMenu() },
  languages: { stored, act: openMenu(-1) },
  history: {
    mode: "help",
    stored,
    routes: { "GET /conversations": [200, { data: [A.history([]), { ...A.history([]), id: "0192f3c1-0000-7000-8000-0000000000c2",
      title: null, updatedAt: Date.parse("2026-11-20T08:00:00Z") }] }] },
    act: async (page, chat) => {
      await openMenu(1)(page, chat);
      await chat.locator("time >> visible=true").first().waitFor();
    },
  },
  search: {
    mode: "help",
    stored,
    routes: { "GET /conversations": earlier },
    act: async (page, chat) => {
      await openMenu(1)(page, chat);
      await searchEarlier(chat);
    },
  },
  beside: {
    mode: "help",
    stored,
    size: { width: 1280, height: 800 },
    routes: { "GET /conversations": earlier },
    act: (_, chat) => searchEarlier(chat),
  },
  handover: {
    stored,
    act: async (page, chat) => {
      await openMenu(1)(page, chat);
      await chat.locator("form:not(:has(> textarea)) textarea").waitFor();
    },
  },
  away: {
    stored,
    routes: { "POST /handover": [200, { data: { status: "ongoing", ticketNumber: 118, isAway: true, canAnswerByEmail: false } }] },
    act: async (page, chat) => {
      await openMenu(1)(page, chat);
      await chat.locator("form:not(:has(> textarea)) button[type=submit]").click();
      await chat.locator("form:not(:has(> textarea)) input[type=email]").waitFor();
    },
  },
  files: {
    stored,
    act: async (_, chat) => {
      await answered(chat);
      const pdf = { name: "receipt.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(81_000, 1) };
      await chat.locator("input[type=file]").setInputFiles([pdf, { ...pdf, name: "empty.pdf", buffer: Buffer.alloc(0) }]);
      await chat.getByText("receipt.pdf").waitFor();
      await chat.getByRole("alert").waitFor();
    },
  },
  closed: { isClosed: true, site: {}, act: (page) => page.locator("#chatbase-bubble-button").waitFor() },
  floating: {
    isClosed: true,
    site: { config: JSON.stringify({ showFloatingInitialMessages: true, floatingInitialMessagesDelay: 0 }) },
    act: (page) => page.locator("#chatbase-message-bubbles").getByText("Hi! How can I help?").waitFor(),
  },
  opened: {
    site: {},
    size: { width: 1024, height: 800 },
    act: async (_, chat) => {
      await ask(chat, "How do I return shoes?");
      await answered(chat);
    },
  },
  keyboard: {
    site: {},
    size: { width: 390, height: 844 },
    act: async (page, chat) => {
      await ask(chat, "How do I return shoes?");
      await answered(chat);
      await page.evaluate((pixels) => window.setKeyboard(pixels), keyboard);
      await chat.waitForFunction((height) => innerHeight === height, 844 - keyboard);
    },
  },
  dictation: {
    config: { features: only("dictation") },
    chat: { showDictation: true },
    prepare: (page) => page.addInitScript(fakeMicrophone),
    act: async (_, chat) => {
      await composerTool(chat).click();
      await chat.locator("[role=group] svg rect:not([height='2'])").nth(5).waitFor();
    },
  },
  call: {
    stored,
    config: { features: only("voice") },
    chat: { showVoiceMode: true },
    routes: { "POST /voice/sessions": [200, { data: { participantToken: "t" } }] },
    prepare: playCall,
    act: async (_, chat) => {
      await composerTool(chat).click();
      await chat.getByText("And the other one?").waitFor();
    },
  },
  stage: { mode: "stage", stored, act: (_, chat) => answered(chat) },
  inter: {
    mode: "stage",
    stored,
    config: { styles: { ...A.config().styles, centerStage: { ...A.config().styles.chat, enabled: true, typography: { fontFamily: "Inter",
      fontSize: "16px" } } } },
    act: async (_, chat) => {
      await answered(chat);
      await chat.waitForFunction(() => document.fonts.size > 0);
      await chat.evaluate(() => document.fonts.load('16px "Inter Variable"', "Hi!"));
    },
  },
  help: { mode: "help", stored, act: (_, chat) => answered(chat) },
};

/** The states by name, in looks: {colorScheme, locale, width, height}. */
export const looks = {
  light: { colorScheme: "light", width: 448, height: 704 },
  dark: { colorScheme: "dark", width: 448, height: 704 },
  rtl: { colorScheme: "light", locale: "ar-XB", width: 448, height: 704 },
  phone: { colorScheme: "dark", locale: "ar-XB", width: 390, height: 844 },
};

const inDark = ["answer", "citation", "lead", "form", "person", "failed", "menu", "search", "closed", "dictation", "call"];
const fromRight = ["answer", "citation", "lead", "form", "person", "notice", "handover", "files", "long", "search", "beside", "call"];

/** What is compared: every state in one look with what it says, some as pictures in others. */
export const everyGolden = () => [
  ...Object.entries(states).map(([name, state]) => ({ name, state, look: looks.light, hasTree: true })),
  ...inDark.map((name) => ({ name: `${name}-dark`, state: states[name], look: looks.dark, hasTree: false })),
  ...fromRight.map((name) => ({ name: `${name}-rtl`, state: states[name], look: looks.rtl, hasTree: false })),
];
