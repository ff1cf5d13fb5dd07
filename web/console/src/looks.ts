// Theme and density. They are kept in the browser, so that the next page begins with them.
import { useSyncExternalStore } from "react";

export const themes = ["system", "light", "dark"] as const;
export const densities = ["comfortable", "compact"] as const;
export type Theme = (typeof themes)[number];
export type Density = (typeof densities)[number];
export interface Looks {
  theme: Theme;
  density: Density;
  /** Whether single letters are commands. */
  hasLetterKeys: boolean;
}

const storageKey = "parley.looks";
const listeners = new Set<() => void>();
let looks = read();

export function setLooks(change: Partial<Looks>): void {
  looks = { ...looks, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(looks));
  } catch {
    // A browser without storage forgets them.
  }
  apply();
  listeners.forEach((listener) => listener());
}

export function useLooks(): Looks {
  return useSyncExternalStore(subscribe, () => looks);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function apply(): void {
  const { dataset } = document.documentElement;
  if (looks.theme === "system") delete dataset.theme;
  else dataset.theme = looks.theme;
  dataset.density = looks.density;
}

function read(): Looks {
  let kept: Partial<Looks> = {};
  try {
    kept = (JSON.parse(localStorage.getItem(storageKey) ?? "{}") ?? {}) as Partial<Looks>;
  } catch {
    // What cannot be read is as if it were not there.
  }
  return {
    theme: themes.find((theme) => theme === kept.theme) ?? "system",
    density: densities.find((density) => density === kept.density) ?? "comfortable",
    hasLetterKeys: kept.hasLetterKeys !== false,
  };
}
