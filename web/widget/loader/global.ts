// The global that pages call: chatbase("open") and chatbase.open() are the same, also before it is there.
import { registry } from "./registry";

/** Functions by the names of commands. Arguments are whatever a page passes. */
export type Commands = Record<string, (...args: any[]) => unknown>;

const page = window as unknown as Record<string, unknown>;

export interface Global {
  /** Carries out a command. It never throws. */
  call(command?: string, ...args: unknown[]): unknown;
  /** Puts the global in the place of the page's stub. */
  install(): void;
  remove(): void;
}

/** Makes a global of commands. They may change later. */
export function createGlobal(name: string, commands: Commands): Global {
  const warned = new Set<unknown>();

  function call(command?: string, ...args: unknown[]): unknown {
    const run = commands[command!] as ((...args: unknown[]) => unknown) | undefined;
    if (!run && command && !warned.has(command)) {
      warned.add(command);
      console.warn(`Parley: ${name} has no command ${command}`);
    }
    try {
      return run?.(...args);
    } catch (error) {
      return console.error(error);
    }
  }

  const push = (...calls: ArrayLike<unknown>[]) => calls.forEach((args) => call(...(Array.from(args) as [string])));
  const proxy: unknown = new Proxy(call, {
    get(target, key) {
      if (key === "q") return { push };
      if (key === "ready") return commands[key];
      // Nobody awaits the global by accident.
      if (typeof key === "symbol" || key === "then" || (key in target && !commands[key])) return Reflect.get(target, key);
      return (...args: unknown[]) => call(key, ...args);
    },
  });
  registry().globals.add(proxy);

  return {
    call,
    install() {
      const stub = page[name] as { q?: unknown } | undefined;
      if (registry().globals.has(stub)) return;
      page[name] = proxy;
      const calls = stub?.q;
      if (!Array.isArray(calls)) return;
      // A page may have kept the stub: what it pushes from now on is called.
      calls.push = push as never;
      push(...calls.splice(0));
    },
    remove() {
      registry().globals.delete(proxy);
      if (page[name] === proxy) delete page[name];
    },
  };
}
