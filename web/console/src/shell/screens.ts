// The screens of an agent and of the company: those of the rail, of the command list and behind keys.
import { useMay } from "../api/session";
import type { Key } from "../i18n";
import type { IconName } from "../../../shared/icons";

export interface Screen {
  /** Behind the address of the agent, or of the company. */
  path: string;
  icon: IconName;
  name: Key;
  /** The letters that lead to it. */
  keys?: string;
}

const home: Screen = { path: "", icon: "house", name: "rail.home", keys: "g h" };
const playground: Screen = { path: "/playground", icon: "flask-conical", name: "playground.title", keys: "g p" };
const sources: Screen = { path: "/sources", icon: "database", name: "sources.title", keys: "g s" };
const actions: Screen = { path: "/actions", icon: "zap", name: "actions.title" };
const tickets: Screen = { path: "/tickets", icon: "rows-3", name: "tickets.title", keys: "g t" };
const insights: Screen = { path: "/insights", icon: "chart-column", name: "insights.title" };
const people: Screen = { path: "/people", icon: "users", name: "people.title" };
const voice: Screen = { path: "/voice", icon: "phone", name: "people.voice" };
const looks: Screen = { path: "/looks", icon: "palette", name: "looks.title" };
const embed: Screen = { path: "/embed", icon: "code-xml", name: "embed.title" };
const manifest: Screen = { path: "/manifest", icon: "file-code", name: "manifest.title" };
const settings: Screen = { path: "/settings", icon: "settings", name: "rail.settings" };

const others = [insights, people, voice, sources, actions, looks, embed, settings];

/** The screens that the person’s role has. */
export function useAgentScreens(): readonly Screen[] {
  const mayAsk = useMay("playground:use");
  const mayChange = useMay("agents:write");
  const mayReadTickets = useMay("tickets:read");
  return [home, ...(mayReadTickets ? [tickets] : []), ...(mayAsk ? [playground] : []), ...others, ...(mayChange ? [manifest] : [])];
}

const members: Screen = { path: "/workspace/members", icon: "users", name: "members.title" };
const keys: Screen = { path: "/workspace/keys", icon: "key-round", name: "apiKeys.title" };
const audit: Screen = { path: "/workspace/audit", icon: "scroll-text", name: "audit.title" };
const usage: Screen = { path: "/workspace/usage", icon: "chart-column", name: "usage.title" };
const webhooks: Screen = { path: "/workspace/webhooks", icon: "webhook", name: "webhooks.title" };
const models: Screen = { path: "/workspace/models", icon: "cpu", name: "models.title" };

const general: Screen = { path: "/workspace/general", icon: "house", name: "company.title" };
const signIn: Screen = { path: "/workspace/sign-in", icon: "log-in", name: "signInRules.title" };
const server: Screen = { path: "/workspace/server", icon: "monitor", name: "server.title" };

/** The screens of the company that the person’s role has. */
export function useWorkspaceScreens(): readonly Screen[] {
  const screens: readonly [Screen, boolean][] = [
    [general, useMay("members:read")],
    [members, useMay("members:read")],
    [signIn, useMay("members:read")],
    [keys, useMay("keys:read")],
    [models, useMay("models:read")],
    [webhooks, useMay("webhooks:read")],
    [usage, useMay("accounts:read")],
    [audit, useMay("audit:read")],
    [server, useMay("state:read")],
  ];
  return screens.filter(([, may]) => may).map(([screen]) => screen);
}

const sourceIcons: Record<string, IconName> = {
  link: "globe",
  file: "file-text",
  qna: "message-circle-question-mark",
  text: "square-pen",
};

export const sourceIcon = (type: string): IconName => sourceIcons[type] ?? "file-text";

/** Reports whether an id is one of the server, as an address that somebody typed may not be. */
export const isID = (id: string) => /^[\w-]{1,100}$/.test(id);
