// The settings of an agent as the screen has them: one value for each field, by its place.
import type { Shape, Values } from "../../api/settings";
import type { Key } from "../../i18n";
import { channels } from "./channel-list";

export { channels, type Channel } from "./channel-list";

type Part = Readonly<Record<string, unknown>>;
const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null && !Array.isArray(value);

/** The sections of the screen, by their addresses. */
export const sections = [
  "general", "channels", "limits", "notifications", "voice", "privacy", "search", "history", "delete",
] as const;
export type SectionName = (typeof sections)[number];

/** The models that understand speech, as the server names them. */
export const transcribers = [
  "deepgram/nova-3", "deepgram/nova-2", "deepgram/flux-general-multi", "elevenlabs/scribe_v2_realtime", "cartesia/ink-2",
  "cartesia/ink-whisper", "soniox/stt-rt-v5", "soniox/stt-rt-v4", "hamsa/hamsa-ar",
] as const;

/** The names of voices that the server has an engine's voice for; others get a usual one. */
export const voices = [
  "Sarah", "Laura", "Alice", "Matilda", "Aria", "Charlotte", "Jessica", "Lily", "Rachel", "Emily", "Grace", "Nicole", "Dorothy", "Freya",
  "Domi", "Elli", "Bella", "Serena", "Hope", "Roger", "Charlie", "George", "Callum", "Liam", "Will", "Eric", "Chris", "Brian", "Daniel",
  "Bill", "Adam", "Antoni", "Arnold", "Josh", "Sam", "Thomas", "Mark", "James", "River", "Alloy", "Ash", "Ballad", "Coral", "Echo",
  "Fable", "Onyx", "Nova", "Sage", "Shimmer", "Verse", "Marin", "Cedar", "Zephyr", "Kore", "Leda", "Aoede", "Callirrhoe", "Autonoe",
  "Despina", "Erinome", "Laomedeia", "Achernar", "Gacrux", "Pulcherrima", "Vindemiatrix", "Sulafat", "Puck", "Charon", "Fenrir", "Orus",
  "Enceladus", "Iapetus", "Umbriel", "Algieba", "Algenib", "Rasalgethi", "Alnilam", "Schedar", "Achird", "Zubenelgenubi", "Sadachbia",
  "Sadaltager",
] as const;

/** Languages that are spoken of, each by its code; the field takes others as well. */
export const spokenLanguages = [
  "multi", "ar", "bn", "cs", "da", "de", "el", "en", "en-GB", "es", "es-419", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "ms",
  "nl", "no", "pl", "pt", "pt-BR", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh",
] as const;

/** What an agent speaks like that was never told, as the server has it. */
const voicePreset = {
  voice: { voiceName: "Sarah", speed: 1, stability: 0.5, similarity: 0.75, instructions: "" },
  transcriber: { model: "deepgram/nova-3", language: "multi", minSilenceDuration: 0.5, activationThreshold: 0.5 },
  recordings: { enabled: false, retentionDays: 0 },
  maxConcurrentSessions: null,
  maxCallDurationSeconds: null,
  maxDailyCallsPerUser: null,
  model: "auto",
  temperature: 0,
  allowInterruptions: true,
  allowTextInput: true,
  endConversationAfterSilenceSeconds: null,
  initialMessage: "",
  errorMessage: "",
};

const mail = { active: false, emails: [] };

/** What each setting is that was never set. Parts are opened into a value for each of their fields. */
const presets: Part = {
  name: "",
  instructions: "",
  model: "auto",
  temp: 0,
  visibility: "private",
  channelInstructions: Object.fromEntries(channels.map((channel) => [channel, null])),
  creditLimit: null,
  notificationsSettings: { dailyConversations: mail, dailyLeadsCollected: mail },
  redactConversations: false,
  retentionDays: null,
  fileRetentionDays: null,
  visitorRetentionDays: null,
  voice: { limits: { perHour: null, perDay: null } },
  synonyms: [],
  topics: [],
  insight: { model: false, againDays: 3 },
};

/** The value that says whether the voice is on: without it there are no settings of it. */
export const voiceSwitch = "voiceSettings.on";

function* leaves(preset: Part, stored: unknown, path = ""): Generator<[string, unknown]> {
  const found = isPart(stored) ? stored : {};
  for (const [name, one] of Object.entries(preset)) {
    if (isPart(one)) yield* leaves(one, found[name], `${path}${name}.`);
    else yield [path + name, found[name] ?? one];
  }
}

const toValues = (settings: Values): Values => ({
  ...Object.fromEntries(leaves(presets, settings)),
  ...Object.fromEntries(leaves(voicePreset, settings.voiceSettings, "voiceSettings.")),
  [voiceSwitch]: isPart(settings.voiceSettings),
});

type Tree = { [name: string]: unknown };

// put sets a value at a path of names.
function put(tree: Tree, path: string, value: unknown) {
  const names = path.split(".");
  const last = names.pop()!;
  const parent = names.reduce((at, name) => (at[name] ??= {}) as Tree, tree);
  parent[last] = value;
}

const isBelow = (path: string, part: string) => path.startsWith(`${part}.`);

// Whether nothing was typed: instructions of a channel may be split into one text for each way to talk.
const isBlank = (value: unknown) => value === null || value === "" || (isPart(value) && Object.values(value).every((text) => text === ""));

// whole returns a part of which the server replaces all at once; texts that are left out are not sent.
function whole(values: Values, part: string): Tree {
  const tree: Tree = {};
  for (const [path, value] of Object.entries(values)) {
    if (isBelow(path, part) && path !== voiceSwitch && !isBlank(value)) put(tree, path, value);
  }
  return (tree[part] ?? {}) as Tree;
}

function toSettings(changes: Values, stored: Values): Values {
  const settings: Tree = {};
  const present = { ...stored, ...changes };
  for (const [path, value] of Object.entries(changes)) {
    if (isBelow(path, "voiceSettings")) settings.voiceSettings = present[voiceSwitch] ? whole(present, "voiceSettings") : null;
    else if (isBelow(path, "channelInstructions")) settings.channelInstructions = orNull(whole(present, "channelInstructions"));
    else put(settings, path, value);
  }
  return settings;
}

const orNull = (tree: Tree) => (Object.keys(tree).length > 0 ? tree : null);

export const shape: Shape = { name: "/settings", toValues, toSettings };

/** What the fields are called, by the names of their values. */
export const labels: Readonly<Record<string, Key>> = {
  name: "settings.name",
  instructions: "settings.instructions",
  model: "agent.model",
  temp: "settings.creativity",
  visibility: "settings.visibility",
  creditLimit: "agent.creditLimit",
  "notificationsSettings.dailyConversations.active": "settings.dailyConversations",
  "notificationsSettings.dailyConversations.emails": "settings.dailyConversationsTo",
  "notificationsSettings.dailyLeadsCollected.active": "settings.dailyLeads",
  "notificationsSettings.dailyLeadsCollected.emails": "settings.dailyLeadsTo",
  redactConversations: "settings.redact",
  retentionDays: "settings.retention",
  fileRetentionDays: "retention.fileDays",
  visitorRetentionDays: "retention.visitorDays",
  synonyms: "settings.synonyms",
  topics: "settings.topics",
  "insight.model": "settings.insightModel",
  "insight.againDays": "settings.insightDays",
  [voiceSwitch]: "settings.voiceOn",
  "voiceSettings.voice.voiceName": "settings.voiceName",
  "voiceSettings.voice.speed": "settings.voiceSpeed",
  "voiceSettings.voice.stability": "settings.voiceStability",
  "voiceSettings.voice.similarity": "settings.voiceSimilarity",
  "voiceSettings.voice.instructions": "settings.voiceInstructions",
  "voiceSettings.initialMessage": "settings.voiceGreeting",
  "voiceSettings.errorMessage": "settings.voiceError",
  "voiceSettings.model": "settings.voiceModel",
  "voiceSettings.temperature": "settings.voiceTemperature",
  "voiceSettings.transcriber.model": "settings.transcriber",
  "voiceSettings.transcriber.language": "settings.transcriberLanguage",
  "voiceSettings.transcriber.minSilenceDuration": "settings.minSilence",
  "voiceSettings.transcriber.activationThreshold": "settings.activation",
  "voiceSettings.allowInterruptions": "settings.allowInterruptions",
  "voiceSettings.allowTextInput": "settings.allowTextInput",
  "voiceSettings.endConversationAfterSilenceSeconds": "settings.endAfterSilence",
  "voiceSettings.maxConcurrentSessions": "settings.maxCalls",
  "voiceSettings.maxCallDurationSeconds": "settings.maxCallSeconds",
  "voiceSettings.maxDailyCallsPerUser": "settings.maxCallsOfUser",
  "voiceSettings.recordings.enabled": "settings.record",
  "voiceSettings.recordings.retentionDays": "settings.recordingDays",
  "voice.limits.perHour": "settings.callsPerHour",
  "voice.limits.perDay": "settings.callsPerDay",
};

/** What groups of settings are called, and those that are on other screens. */
export const groups: Readonly<Record<string, Key>> = {
  channelInstructions: "settings.channels",
  notificationsSettings: "settings.notifications",
  voiceSettings: "settings.voice",
  voice: "settings.voice",
  insight: "settings.insight",
  allowedDomains: "embed.domains",
  widget: "embed.limits",
  ipRateLimits: "embed.limits",
  styles: "looks.title",
  initialMessages: "looks.initialMessages",
  suggestedMessages: "looks.suggestedMessages",
};

const owners: readonly (readonly [RegExp, SectionName])[] = [
  [/^channelInstructions\b/, "channels"],
  [/^creditLimit$/, "limits"],
  [/^notificationsSettings\b/, "notifications"],
  [/^(voiceSettings|voice)\b/, "voice"],
  [/^(redactConversations|retentionDays|fileRetentionDays|visitorRetentionDays)$/, "privacy"],
  [/^(synonyms|topics|insight)\b/, "search"],
];

/** The section that a setting is in, or a fault of it. */
export const sectionOf = (name: string): SectionName => owners.find(([pattern]) => pattern.test(name))?.[1] ?? "general";
