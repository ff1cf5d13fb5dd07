// What can be done on the present screen by its name: each screen tells it, and the command list shows it.
import { useEffect, useSyncExternalStore } from "react";
import type { IconName } from "../../../shared/icons";

export interface ScreenAction {
  id: string;
  icon: IconName;
  name: string;
  /** What does the same, as keys.ts names it. */
  keys?: string | undefined;
  run: () => unknown;
}

const told = new Map<object, readonly ScreenAction[]>();
const listeners = new Set<() => void>();
let all: readonly ScreenAction[] = [];

function tell(who: object, actions: readonly ScreenAction[] | null) {
  if (actions) told.set(who, actions);
  else told.delete(who);
  all = [...told.values()].flat();
  listeners.forEach((listener) => listener());
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Offers actions in the command list while the component is there. */
export function useScreenActions(actions: readonly ScreenAction[]): void {
  useEffect(() => {
    const who = {};
    tell(who, actions);
    return () => tell(who, null);
  });
}

/** The actions of the present screen. */
export const useToldActions = () => useSyncExternalStore(subscribe, () => all);
