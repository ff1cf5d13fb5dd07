// What an agent's chat looks like and can do, as the server says it.
import type { Mode } from "./state";

export interface ChatStyles {
  theme?: "light" | "dark" | "page";
  headerColor?: string;
  userMessageColor?: string;
  buttonColor?: string;
  displayName?: string | null;
  autoOpenChatWindowAfter?: number | null;
  mobile?: {
    initialMessages?: { enabled: boolean; value: string[] } | null;
    autoOpenChatWindowAfter?: { enabled: boolean; value: number | null } | null;
    showAutoOpen?: boolean | null;
  } | null;
  alignChatButton?: "left" | "right";
  messagePlaceholder?: string | null;
  footer?: string | null;
  dismissableNotice?: string | null;
  showFeedback?: boolean;
  showCopyButton?: boolean;
  showDictation?: boolean;
  showAttachments?: boolean;
  showVoiceMode?: boolean;
}

export interface StageStyles {
  enabled?: boolean;
  displayName?: string | null;
  welcomeMessage?: string | null;
  messagePlaceholder?: string | null;
  dismissableNotice?: string | null;
  footer?: string | null;
  suggestedMessages?: unknown[] | null;
  showChatBubble?: boolean;
  showAttachments?: boolean;
  showDictation?: boolean;
  showVoiceMode?: boolean;
  showCopyButton?: boolean;
  showFeedback?: boolean;
  showDataSource?: boolean;
  closeOnOutsideClick?: boolean;
  theme?: "light" | "dark" | "page";
  buttonColor?: string;
  headerColor?: string;
  userMessageColor?: string;
  tintedGrayscale?: { enabled: boolean; hue: number; tint: number; shade: number };
  accentColor?: string;
  accentColorEnabled?: boolean;
  accentSyncWithIcon?: boolean;
  customSurfaceColors?: { enabled: boolean; background: string; foreground: string };
  typography?: { fontFamily: string; fontSize: string };
  width?: "small" | "medium" | "large";
  notificationIndicator?: { enabled: boolean; number: number };
  notificationMessage?: { enabled: boolean; text: string };
}

export interface Config {
  agentId: string;
  name: string;
  /** Where it is false, the rest may be empty. */
  isAvailable: boolean;
  reason: "" | "domain" | "agent";
  styles: { chat: ChatStyles; centerStage: StageStyles | null };
  initialMessages: string[];
  suggestedMessages: unknown[];
  leads: { toolName: string; title: string; fields: ("name" | "email" | "phone")[] } | null;
  /** `email`: the company can answer by e-mail. */
  features: { files: boolean; dictation: boolean; voice: boolean; handover: boolean; email: boolean };
  /** Of the agent's choice; empty for none. */
  locale: string;
  /** Addresses on this server. */
  picture: string | null;
  icon: string | null;
  voiceURL: string | null;
}

const modes: readonly string[] = ["bubble", "iframe", "stage", "help", "preview"];

/** Reads what the server has written into the page. */
export const readConfig = (): Config => JSON.parse(document.getElementById("config")!.textContent!) as Config;

/** How the chat is shown: as the loader says in the address, else as the page says. */
export function readMode(): Mode {
  const mode = new URLSearchParams(location.search).get("mode") ?? document.body.dataset.mode ?? "";
  return modes.includes(mode) ? (mode as Mode) : "iframe";
}
