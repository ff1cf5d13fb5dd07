// The looks of an agent as the screen has them: one value for each field, by its place.
import type { Shape, Values } from "../../api/settings";

type Part = Readonly<Record<string, unknown>>;
const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null && !Array.isArray(value);

/** What an agent's bubble has that nobody has changed, as internal/api/looks has it. */
const chatPreset: Part = {
  theme: "light",
  headerColor: "",
  userMessageColor: "",
  buttonColor: "",
  displayName: null,
  autoOpenChatWindowAfter: null,
  mobile: {},
  alignChatButton: "right",
  messagePlaceholder: null,
  footer: null,
  dismissableNotice: null,
  showFeedback: true,
  showCopyButton: false,
  showDictation: true,
  showAttachments: false,
  showVoiceMode: false,
};

/** The same of center stage. */
const stagePreset: Part = {
  enabled: false,
  displayName: null,
  welcomeMessage: null,
  messagePlaceholder: null,
  dismissableNotice: null,
  footer: null,
  suggestedMessages: null,
  showChatBubble: true,
  showAttachments: false,
  showDictation: true,
  showVoiceMode: false,
  showCopyButton: false,
  showFeedback: true,
  showDataSource: true,
  closeOnOutsideClick: true,
  theme: "light",
  buttonColor: "",
  headerColor: "",
  userMessageColor: "",
  tintedGrayscale: { enabled: false, hue: 250, tint: 0, shade: 0 },
  accentColor: { enabled: false, color: "" },
  customSurfaceColors: { enabled: false, background: "", foreground: "" },
  typography: { fontFamily: "Inter", fontSize: "16px" },
  width: "medium",
  notificationIndicator: { enabled: false, number: 1 },
  notificationMessage: { enabled: false, text: "" },
};

/** The parts of the styles, by the names that they have there. */
export const presets = { chat: chatPreset, centerStage: stagePreset } as const;
export type PartName = keyof typeof presets;

const partNames: readonly PartName[] = ["chat", "centerStage"];
const isTextOfAgent = (name: string) => name === "initialMessages" || name === "suggestedMessages";

// withPreset fills what is not set; objects below keep what the form does not know.
function withPreset(preset: unknown, stored: unknown): unknown {
  if (stored === undefined || stored === null) return preset;
  return isPart(preset) && isPart(stored) ? { ...preset, ...stored } : stored;
}

function toValues(settings: Values): Values {
  const styles = isPart(settings.styles) ? settings.styles : {};
  const values: Record<string, unknown> = {
    initialMessages: settings.initialMessages ?? [],
    suggestedMessages: settings.suggestedMessages ?? [],
  };
  for (const part of partNames) {
    const stored = isPart(styles[part]) ? styles[part] : {};
    for (const [field, preset] of Object.entries(presets[part])) {
      values[`${part}.${field}`] = withPreset(preset, stored[field]);
    }
  }
  return values;
}

// A color that is given up is null to the server. Texts that are empty are null already, but for one that is never.
const clean = (value: unknown): unknown => {
  if (!isPart(value)) return value === "" ? null : value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, member === "" && name !== "text" ? null : member]));
};

function toSettings(changes: Values): Values {
  const settings: Record<string, unknown> = {};
  const styles: Partial<Record<PartName, Record<string, unknown>>> = {};
  for (const [name, value] of Object.entries(changes)) {
    if (isTextOfAgent(name)) {
      settings[name] = value;
      continue;
    }
    const [part, field] = name.split(".") as [PartName, string];
    (styles[part] ??= {})[field] = clean(value);
  }
  return Object.keys(styles).length > 0 ? { ...settings, styles } : settings;
}

/** The styles and greetings of an agent, each field a value of its own: two people may change different ones at once. */
export const looksShape: Shape = { name: "/looks", toValues, toSettings };

/** A color as the server takes it. */
export const isColor = (text: string) => /^#(?:[0-9a-f]{3}){1,2}$/i.test(text);

/** The styles as the chat gets them: center stage is read in another shape than it is written. */
export function newShownStyles(values: Values): { chat: Part; centerStage: Part } {
  const part = (name: PartName) =>
    Object.fromEntries(Object.keys(presets[name]).map((field) => [field, values[`${name}.${field}`]]));
  const stage = part("centerStage");
  const accent = stage.accentColor as { enabled: boolean; color?: string };
  return {
    chat: part("chat"),
    centerStage: { ...stage, accentColor: accent.color ?? "", accentColorEnabled: accent.enabled },
  };
}

/** The names of the fields that a refusal names, as the values have them. */
export function readFaults(details: Readonly<Record<string, unknown>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [path, reason] of Object.entries(details)) {
    const name = path.replace(/^settings\./, "").replace(/^styles\./, "");
    found[name] = String(reason);
  }
  return found;
}
