// The script element that has loaded this file, and what its page says of the agent: five forms of loading are in use.
import { findAgent, type Agent, type Loader } from "./registry";

export interface Script {
  agentId: string;
  /** The origin of the server. */
  base: string;
}

/** What pages set before the script runs. */
export interface PageConfig {
  chatbotId?: string;
  domain?: string;
  showFloatingInitialMessages?: boolean;
  floatingInitialMessagesDelay?: number;
  floatingMessagesOncePerSession?: boolean;
}

interface PageGlobals {
  chatbaseConfig?: PageConfig;
  embeddedChatbotConfig?: PageConfig;
  chatbaseUserConfig?: unknown;
}

export const globals = window as unknown as PageGlobals;

const agentIdForm = /^[\w-]{21}$/;

/** Makes a loader for the script that runs, or has the one that is there put back what is missing. */
export function start(name: string, file: string, create: (agent: Agent, script: Script) => Loader): void {
  const script = readScript(file);
  if (!script) return console.warn(`Parley: ${file} finds no id of an agent`);
  const agent = findAgent(script.agentId);
  (agent.loaders[name] ??= create(agent, script)).attach();
}

function readScript(file: string): Script | undefined {
  const all = document.querySelectorAll<HTMLScriptElement>(`script[src*="/${file}"]`);
  const element = (document.currentScript as HTMLScriptElement | null) ?? all[all.length - 1];
  if (!element?.src) return undefined;
  const attribute = (name: string) => element.getAttribute(name);
  const config = { ...globals.embeddedChatbotConfig, ...globals.chatbaseConfig };
  const ownId = agentIdForm.test(element.id) ? element.id : "";
  const agentId = attribute("chatbotId") || attribute("data-chatbot-id") || config.chatbotId || ownId;
  const url = new URL(element.src);
  const domain = (element as { domain?: string }).domain || attribute("domain") || attribute("data-domain") || config.domain;
  if (domain && domain.replace(/^https?:\/\/|\/.*$/g, "") !== url.host) {
    console.info(`Parley: the domain ${domain} is ignored for ${url.host}`);
  }
  return agentId ? { agentId, base: url.origin } : undefined;
}
