// Says what is wrong with a value of a form, in the words of the form where it has any.
import type { Translate } from "../translate";
import type { Field, FormSchema, Rule, Value } from "./schema";

export type Values = Readonly<Record<string, Value>>;

/** What is wrong with a field's value; empty if nothing is. */
export function findFault(field: Field, value: Value, t: Translate): string {
  const { rules } = field;
  const say = (rule: Rule<unknown> | null, text: string) => rule?.message || rules.defaultMessage || text;
  if (field.isDisabled) return "";
  if (isEmpty(value))
    return rules.required ? say(rules.required, t(field.type === "image" ? "form.requiredImage" : "form.required")) : "";
  if (typeof value !== "string") return "";
  const text = value.trim();
  if (field.type === "email" && !isEmail(text)) return say(null, t("form.email"));
  if (field.type === "phone" && !isPhone(text, field.takesLocalNumbers)) {
    return say(null, t(field.takesLocalNumbers ? "form.phone" : "form.phoneInternational"));
  }
  if (field.type === "number") return findNumberFault(field, text, say, t);
  const length = [...text].length;
  const { minLength, maxLength, pattern } = rules;
  if (minLength && length < minLength.value) return say(minLength, t("form.minLength", { count: minLength.value }));
  if (maxLength && length > maxLength.value) return say(maxLength, t("form.maxLength", { count: maxLength.value }));
  if (pattern && !pattern.value.test(text)) return say(pattern, t("form.pattern"));
  return "";
}

type Say = (rule: Rule<unknown> | null, text: string) => string;

function findNumberFault({ rules: { min, max } }: Field, text: string, say: Say, t: Translate): string {
  const number = Number(text);
  if (!Number.isFinite(number)) return say(null, t("form.number"));
  if (min && number < min.value) return say(min, t("form.min", { value: min.value }));
  if (max && number > max.value) return say(max, t("form.max", { value: max.value }));
  return "";
}

/** All faults of a form, by the names of the fields, in their order. */
export function findFaults(schema: FormSchema, values: Values, t: Translate): Map<string, string> {
  const faults = schema.fields.map((field) => [field.name, findFault(field, values[field.name] ?? null, t)] as const);
  return new Map(faults.filter(([, fault]) => fault));
}

/** The faults that the server has found, by the names of the fields: an error may have `details` by field. */
export function findRefused(schema: FormSchema, values: Values, error: unknown, t: Translate): Map<string, string> {
  const details = (error as { details?: object } | null)?.details ?? {};
  const named = schema.fields.filter(({ name }) => Object.hasOwn(details, name));
  return new Map(named.map((field) => [field.name, refusalOf(field, values[field.name] ?? null, t)]));
}

function refusalOf({ type }: Field, value: Value, t: Translate): string {
  if (isEmpty(value)) return t("form.required");
  return t(type === "email" ? "form.email" : type === "phone" ? "form.phone" : "form.pattern");
}

export function isEmpty(value: Value): boolean {
  if (typeof value === "string") return value.trim() === "";
  return value === null || (Array.isArray(value) && value.length === 0);
}

function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>"(),;:\\]{1,64}@[^\s@.]{1,63}(\.[^\s@.]{1,63})+$/u.test(text);
}

// isPhone takes what a number is usually written with: spaces, dots, hyphens and parentheses.
function isPhone(text: string, isLocal = false): boolean {
  const digits = text.replace(/[\s().\-/\u2010-\u2015]/gu, "");
  return isLocal ? /^\+?\d{3,15}$/.test(digits) : /^\+[1-9]\d{6,14}$/.test(digits);
}

/** What is submitted: numbers as numbers, texts without spaces around them, nothing for what is empty. */
export function readSubmission(schema: FormSchema, values: Values): Record<string, unknown> {
  const submission = Object.create(null) as Record<string, unknown>;
  for (const { name, type } of schema.fields) {
    const value = values[name] ?? null;
    if (isEmpty(value)) continue;
    if (type === "number") submission[name] = Number(value);
    else submission[name] = typeof value === "string" ? value.trim() : value;
  }
  return submission;
}

/** The values with which a form begins. */
export function initialValues(schema: FormSchema): Values {
  const values = Object.create(null) as Record<string, Value>;
  for (const field of schema.fields) values[field.name] = field.initial;
  return values;
}
