// What the loaders of a page know of each other: a script that is loaded twice, the bubble beside the center stage, and
// the buttons of two agents.
import type { Config } from "../chat/config";
import type { Commands } from "./global";

export interface Loader {
  readonly isOpen: boolean;
  readonly commands: Commands;
  /** Puts back what the page has removed: elements, and the global. */
  attach(): void;
}

export interface Agent {
  /** Is called by the boot script. */
  boot(config: Config): void;
  config?: Config;
  /** Whoever waits for the configuration. */
  waiting: ((config: Config) => void)[];
  /** By the names of their globals. */
  loaders: Record<string, Loader>;
}

interface Registry extends Map<string, Agent> {
  /** The globals that loaders have set. A stub of the page's is none of them. */
  globals: Set<unknown>;
}

/** Returns the agents of the page by their ids. */
export function registry(): Registry {
  const page = window as unknown as Record<symbol, Registry>;
  return (page[Symbol.for("parley")] ??= Object.assign(new Map<string, Agent>(), { globals: new Set() }));
}

/** Returns an agent of the page. It is kept when its loaders are gone: browsers do not run its boot script again. */
export function findAgent(agentId: string): Agent {
  const found = registry().get(agentId);
  if (found) return found;
  const agent: Agent = {
    waiting: [],
    loaders: {},
    boot(config) {
      agent.config = config;
      agent.waiting.splice(0).forEach((take) => take(config));
    },
  };
  registry().set(agentId, agent);
  return agent;
}

/** Counts the loaders of the page, or those of one global. */
export function countLoaders(name?: string): number {
  const all = [...registry().values()].flatMap((agent) => Object.keys(agent.loaders));
  return all.filter((other) => !name || other === name).length;
}
