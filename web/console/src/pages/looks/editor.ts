// What the fields of the screen read and write.
import { createContext, useContext } from "react";
import type { Values } from "../../api/settings";

export interface Editor {
  values: Values;
  change: (name: string, value: unknown) => void;
}

export const EditorContext = createContext<Editor>({ values: {}, change: () => {} });

/** A value and what changes it. */
export function useField<T>(name: string): [T, (value: T) => void] {
  const { values, change } = useContext(EditorContext);
  return [values[name] as T, (value) => change(name, value)];
}

/** A value of several members, and what changes one of them. */
export function useGroup<T extends object>(name: string): [T, (change: Partial<T>) => void] {
  const [value, set] = useField<T>(name);
  return [value, (part) => set({ ...value, ...part })];
}
