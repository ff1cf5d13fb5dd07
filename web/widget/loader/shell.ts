// What a loader is until its chat is used: the global, the configuration, the button, and a frame that is not loaded
// yet. The rest is a module of its own (window.ts, center.ts), which is loaded together with the frame.
import type { Config } from "../chat/config";
import { createGlobal, type Commands, type Global } from "./global";
import { createLauncher, gap, size, type Launcher } from "./launcher";
import { countLoaders, type Agent, type Loader } from "./registry";
import type { Script } from "./script";
import { hasSheets } from "./sheet";

export interface Plan {
  /** Of the global. */
  name: string;
  buttonId: string;
  frameId: string;
  /** How the frame is shown. */
  mode: string;
  module: string;
  /** Is called when the agent is known and the page has a body. Returns false if there is nothing to show. */
  begin(config: Config, shell: Shell): boolean;
}

interface Module {
  /** Returns the commands that take the place of those which have waited for it. */
  begin(shell: Shell): Commands;
}

// Commands that can wait until somebody uses the chat, and those for which the module is loaded.
const patient =
  "identify registerTools registerFormSchema setLocale close hide addEventListener removeEventListener";
const urgent = "resetChat reset newConversation open show toggle sendMessage setOptions resetOptions setInitialMessages logout";

const patience = 20_000; // milliseconds until a frame that has come and says nothing is given up

// Nothing is set where it is declared: what stands for that in browsers without class fields is a twelfth of the loader.
export class Shell implements Loader {
  declare readonly agent: Agent;
  declare readonly script: Script;
  /** What is kept in the page's storage begins with this. */
  declare readonly key: string;
  /** The end of the ids of the elements: empty but for those of a second agent. */
  declare readonly suffix: string;
  /** The room below the button, in px: that of a second agent is above the first. */
  declare readonly bottom: number;
  declare readonly launcher: Launcher;
  declare readonly frame: HTMLIFrameElement;
  /** What else is on the page. */
  declare readonly elements: HTMLElement[];
  /** Those of the page's global. */
  declare readonly commands: Commands;
  /** Messages that have come before the module. */
  declare readonly inbox: MessageEvent[];
  /** Take away what was put on the page. */
  declare readonly endings: (() => void)[];
  declare isOpen: boolean;
  /** The frame is up. */
  declare isReady: boolean;
  /** Ends when the module is there, and what has waited for it is done. */
  declare loading?: Promise<void> | undefined;

  private declare readonly plan: Plan;
  private declare readonly global: Global;
  private declare readonly pending: (() => void)[];
  private declare readonly booted: Promise<void>;
  private declare declareBooted: () => void;
  private declare isAsked: boolean;
  private declare isBooted: boolean;
  private declare attempts: number;

  constructor(agent: Agent, script: Script, plan: Plan) {
    this.agent = agent;
    this.script = script;
    this.plan = plan;
    this.frame = document.createElement("iframe");
    this.elements = [];
    this.commands = Object.create(null) as Commands;
    this.inbox = [];
    this.endings = [];
    this.pending = [];
    this.isOpen = this.isReady = this.isAsked = this.isBooted = false;
    this.attempts = 0;
    this.key = `parley:${script.agentId}`;
    this.suffix = countLoaders(plan.name) ? `-${script.agentId}` : "";
    this.bottom = gap + countLoaders() * (size + gap);
    this.booted = new Promise((done) => (this.declareBooted = done));
    this.global = createGlobal(plan.name, this.commands);
    const [buttonId, frameId] = [plan.buttonId, plan.frameId].map((id) => id + this.suffix) as [string, string];
    this.launcher = createLauncher(buttonId, frameId, () => void this.commands.toggle!({ focus: true }));
    this.addCommands();
    this.prepareFrame(frameId);
  }

  private addCommands(): void {
    patient.split(" ").forEach((name) => this.record(name, false));
    urgent.split(" ").forEach((name) => this.record(name, true));
    const { booted, commands } = this;
    const ready = Object.assign(() => booted, { then: booted.then.bind(booted) });
    const getState = () => (this.isBooted ? "initialized" : undefined);
    Object.assign(commands, { getState, isOpen: () => this.isOpen, ready, destroy: () => this.destroy() });
  }

  /** Makes a command wait for the module. An urgent one returns what it will have returned; a page need not wait for the others. */
  private record(name: string, isUrgent: boolean): void {
    this.commands[name] = (...args: unknown[]) => {
      const result = new Promise((done) => this.pending.push(() => done(this.global.call(name, ...args))));
      return isUrgent ? this.booted.then(() => (this.loadModule(), result)) : undefined;
    };
  }

  private prepareFrame(id: string): void {
    const { frame, inbox, launcher: { button } } = this;
    frame.id = id;
    frame.allow = "microphone; clipboard-write";
    frame.style.display = "none";
    const collect = (event: MessageEvent) => void (event.source === frame.contentWindow && inbox.push(event));
    addEventListener("message", collect);
    this.endings.push(() => removeEventListener("message", collect));
    for (const type of ["pointerenter", "focus", "touchstart"]) button.addEventListener(type, () => this.load(), { passive: true });
  }

  /** Whether the page has taken it down: what it still waits for comes too late. */
  private get isGone(): boolean {
    return this.agent.loaders[this.plan.name] !== this;
  }

  /** Has the frame on the page, and the module. */
  load(): void {
    const { frame, script, plan } = this;
    if (frame.isConnected || !hasSheets || this.isGone) return;
    this.isReady = false;
    frame.src ||= `${script.base}/chatbot-iframe/${script.agentId}?mode=${plan.mode}`;
    document.body.append(frame);
    this.loadModule();
  }

  /** Has the module, once. */
  loadModule(): void {
    if (hasSheets && !this.isGone) this.loading ??= this.importModule();
  }

  private async importModule(): Promise<void> {
    try {
      // A browser may remember that an address has failed.
      const again = this.attempts++ ? `?${this.attempts}` : "";
      const module: Module = await import(/* @vite-ignore */ `${this.script.base}/__cb/${this.plan.module}${again}`);
      if (this.isGone) return;
      const own = module.begin(this);
      await this.booted;
      Object.assign(this.commands, own);
      this.pending.splice(0).forEach((run) => run());
    } catch (error) {
      this.loading = undefined;
      console.warn("Parley:", error);
    }
  }

  /** Puts back what the page has removed. */
  attach(): void {
    this.global.install();
    if (!this.isAsked) this.askConfig();
    if (!this.isBooted) return;
    for (const element of this.elements) if (!element.isConnected) document.body.append(element);
    if (this.isOpen) this.load();
  }

  private askConfig(): void {
    const { agent, script: { base, agentId } } = this;
    this.isAsked = true;
    if (agent.config) return this.useConfig(agent.config);
    agent.waiting.push((config) => this.useConfig(config));
    // An import and not a script element, whose address a page may not set where it enforces Trusted Types.
    const address = `${base}/__cb/boot/${agentId}.js?page=${encodeURIComponent(location.origin)}`;
    import(/* @vite-ignore */ address).catch(() => {}).then(() => this.askFrame());
  }

  /** Has the frame ask for what the boot script has not brought. */
  private askFrame(): void {
    if (this.agent.config) return;
    const giveUp = () => this.agent.config || this.giveUp(`cannot be loaded from ${this.script.base}`);
    this.frame.onload = () => setTimeout(giveUp, patience);
    whenBody(() => this.load());
  }

  private useConfig(config: Config): void {
    if (!config.isAvailable) return this.giveUp(`is not available on this page (${config.reason})`);
    whenBody(() => {
      if (this.isGone) return;
      if (!this.plan.begin(config, this)) return this.giveUp("has this turned off (in the console: Looks)");
      this.isBooted = true;
      this.attach();
      this.declareBooted();
    });
  }

  private giveUp(reason: string): void {
    this.frame.remove();
    console.warn(`Parley: the agent ${this.script.agentId} ${reason}`);
  }

  private destroy(): void {
    void this.commands.close!();
    [this.frame, ...this.elements].forEach((element) => element.remove());
    this.endings.forEach((end) => end());
    this.global.remove();
    for (const name in this.commands) delete this.commands[name];
    delete this.agent.loaders[this.plan.name];
  }
}

/** Calls a function as soon as the page has a body. */
function whenBody(run: () => void): void {
  if (document.body) run();
  else addEventListener("DOMContentLoaded", run, { once: true });
}
