import type { DraftOptions } from "../../api/playground";

/** The name that stands for whatever model there is. */
export const anyModel = "auto";

/** The model that is part of the server, as explanations name it. */
export const builtIn = "builtin";

/** Whether the built-in model answers for a name. */
export const isBuiltIn = (options: DraftOptions | undefined, name: string): boolean =>
  options?.backEnds.find((model) => model.name === name)?.connected === false;

/** Whether a model is named that nobody has connected. */
export const isNotConnected = (options: DraftOptions | undefined, name: string): boolean =>
  name !== anyModel && isBuiltIn(options, name);

/** The names that can be chosen, with the one that is: those that nobody has connected are last. */
export function listModels(options: DraftOptions | undefined, chosen: string): string[] {
  const names = [...new Set([chosen, ...(options?.models ?? [])])].filter(Boolean);
  const [unconnected, others] = [true, false].map((is) => names.filter((name) => isNotConnected(options, name) === is));
  return [...others!, ...unconnected!];
}
