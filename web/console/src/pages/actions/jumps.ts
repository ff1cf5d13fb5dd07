// Where the steps of a procedure lead: they name each other by keys, which nobody has to type.
import type { Step } from "../../api/actions";

/** Where a step leads that ends its procedure. */
export const end = "end";

export const operators = ["is", "isNot", "contains", "above", "below"] as const;

/** A key that no step has yet, after a name. */
function newKey(steps: readonly Step[], name: string): string {
  const first = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_").slice(0, 50) || "step";
  const isTaken = (key: string) => key === end || steps.some((step) => step.key === key);
  let key = first;
  for (let n = 2; isTaken(key); n++) key = `${first}_${n}`;
  return key;
}

/** The steps, with a key of the one at a place, and that key. */
export function withKey(steps: readonly Step[], at: number): [steps: readonly Step[], key: string] {
  const step = steps[at]!;
  if (step.key) return [steps, step.key];
  const key = newKey(steps, step.action ?? "step");
  return [steps.with(at, { ...step, key }), key];
}

/** A step of an action, with a key by which later steps find what it returns. */
export const newActionStep = (steps: readonly Step[], action: string): Step => ({ key: newKey(steps, action), action });

/** The steps without one of them; what led to it leads to the next step. */
export function withoutStep(steps: readonly Step[], at: number): readonly Step[] {
  const { key } = steps[at]!;
  const rest = steps.toSpliced(at, 1);
  return key ? rest.map((step) => withTarget(withTarget(step, "goto", step.goto === key ? "" : step.goto), "else", step.else === key ? "" : step.else)) : rest;
}

/** A step that leads to a key; an empty one is none. */
export function withTarget(step: Step, name: "goto" | "else", key: string | undefined): Step {
  const { [name]: _, ...rest } = step;
  return key ? { ...rest, [name]: key } : rest;
}

/** The step that compares something, split into the step in whose result it is (by its key), and the place in it. */
export function splitField(field: string): [key: string, place: string] {
  const dot = field.indexOf(".");
  return dot < 0 ? ["", field] : [field.slice(0, dot), field.slice(dot + 1)];
}

/** Reports whether steps lead elsewhere than to the next one. */
export const hasJumps = (steps: readonly Step[]) => steps.some((step) => step.if || step.goto || step.procedure);

/** The number of the step with a key, from 1; 0 if there is none. */
export const numberOf = (steps: readonly Step[], key: string) => steps.findIndex((step) => step.key === key) + 1;
