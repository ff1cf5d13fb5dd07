// A form as a page or the agent describes it. What a page says is read like what a stranger says: each member is checked
// and bounded, and nothing of it is used that is not named here.
import type { UploadedFile } from "../state";
import { compilePattern, PatternError, type Pattern } from "./pattern";

export type { UploadedFile };

export const fieldTypes = [
  "text",
  "textarea",
  "email",
  "phone",
  "number",
  "select",
  "multiselect",
  "groupselect",
  "groupmultiselect",
  "image",
] as const;
export type FieldType = (typeof fieldTypes)[number];

export interface Rule<T> {
  value: T;
  /** What is said when it is broken; empty for the text of the language. */
  message: string;
}

export interface Rules {
  required: Rule<boolean> | null;
  minLength: Rule<number> | null;
  maxLength: Rule<number> | null;
  min: Rule<number> | null;
  max: Rule<number> | null;
  pattern: Rule<Pattern> | null;
  defaultMessage: string;
}

export interface Option {
  value: string;
  label: string;
}

export interface OptionGroup {
  /** Empty for options without a group. */
  label: string;
  options: readonly Option[];
}

/** What a field holds; empty is "", [] or null. */
export type Value = string | readonly string[] | UploadedFile | null;

export interface Field {
  name: string;
  type: FieldType;
  label: string;
  placeholder: string;
  initial: Value;
  isDisabled: boolean;
  rules: Rules;
  groups: readonly OptionGroup[];
  /** Phone numbers may be written without the code of a country. */
  takesLocalNumbers?: boolean;
  autocomplete?: "name" | "email" | "tel";
}

export interface FormSchema {
  fields: readonly Field[];
  hasLabels: boolean;
  /** Texts are empty where the language's own serve. */
  submitText: string;
  successText: string;
  errorText: string;
}

export const maxFields = 50;
export const maxOptions = 500;
const maxText = 1_000;
const maxName = 200;

/** A schema is not one. The message says where and why, for the console of the page's developer. */
export class SchemaError extends Error {}

type Members = Record<string, unknown>;

/** Reads a schema, or throws a SchemaError. `warn` is told of rules that are left out. */
export function readSchema(value: unknown, warn: (message: string) => void = () => {}): FormSchema {
  const schema = readObject(value, "schema");
  const list = schema.fields;
  if (!Array.isArray(list) || list.length === 0) throw new SchemaError("fields must be an array with at least one field");
  if (list.length > maxFields) throw new SchemaError(`fields must have at most ${maxFields} fields`);
  const fields = list.map((field, i) => readField(field, `fields[${i}]`, warn));
  const names = new Set(fields.map((field) => field.name));
  if (names.size < fields.length) throw new SchemaError("two fields have the same name");
  return {
    fields,
    hasLabels: schema.showLabels === true,
    submitText: readText(schema.submitButtonText, "submitButtonText"),
    successText: readText(schema.successMessage, "successMessage"),
    errorText: readText(schema.errorMessage, "errorMessage"),
  };
}

function readField(value: unknown, path: string, warn: (message: string) => void): Field {
  const field = readObject(value, path);
  const type = fieldTypes.find((known) => known === field.type);
  if (!type) throw new SchemaError(`${path}.type must be one of ${fieldTypes.join(", ")}`);
  const name = typeof field.name === "string" ? field.name.trim() : "";
  if (!name || name.length > maxName) throw new SchemaError(`${path}.name must be a text of 1 to ${maxName} characters`);
  const label = readText(field.label, `${path}.label`);
  if (!label) throw new SchemaError(`${path}.label must be a text`);
  const groups = type.endsWith("select") ? readGroups(field.options, type.startsWith("group"), `${path}.options`) : [];
  return {
    name,
    type,
    label,
    placeholder: readText(field.placeholder, `${path}.placeholder`) || label,
    initial: readInitial(field.defaultValue, type, groups),
    isDisabled: field.disabled === true,
    rules: readRules(field.validation, type, `${path}.validation`, warn),
    groups,
  };
}

function readObject(value: unknown, path: string): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new SchemaError(`${path} must be an object`);
  return value as Members;
}

function readText(value: unknown, path: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new SchemaError(`${path} must be a text`);
  return cutText(value, maxText);
}

/** Cuts a text between characters, never inside of one. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  return [...text.slice(0, 2 * length)].slice(0, length).join("");
}

function readGroups(value: unknown, isGrouped: boolean, path: string): OptionGroup[] {
  const groups = isGrouped
    ? Object.entries(readObject(value, path)).map(([label, options]) => ({
        label: cutText(label, maxText),
        options: readOptions(options, `${path}[${JSON.stringify(cutText(label, 50))}]`),
      }))
    : [{ label: "", options: readOptions(value, path) }];
  const all = groups.flatMap((group) => group.options.map((option) => option.value));
  if (all.length === 0) throw new SchemaError(`${path} must have at least one option`);
  if (all.length > maxOptions) throw new SchemaError(`${path} must have at most ${maxOptions} options`);
  if (new Set(all).size < all.length) throw new SchemaError(`${path} has the same value twice`);
  return groups;
}

function readOptions(value: unknown, path: string): Option[] {
  if (!Array.isArray(value)) throw new SchemaError(`${path} must be an array of {value, label}`);
  if (value.length > maxOptions) throw new SchemaError(`${path} must have at most ${maxOptions} options`);
  return value.map((item, i) => {
    const option = readObject(item, `${path}[${i}]`);
    if (typeof option.value !== "string" && typeof option.value !== "number")
      throw new SchemaError(`${path}[${i}].value must be a text`);
    const text = String(option.value);
    if (!text || text.length > maxText) throw new SchemaError(`${path}[${i}].value must have 1 to ${maxText} characters`);
    return { value: text, label: readText(option.label, `${path}[${i}].label`) || text };
  });
}

// readInitial takes a default value if the field can hold it, and nothing otherwise: it is a convenience.
function readInitial(value: unknown, type: FieldType, groups: readonly OptionGroup[]): Value {
  const known = new Set(groups.flatMap((group) => group.options.map((option) => option.value)));
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  switch (type) {
    case "image":
      return null;
    case "multiselect":
    case "groupmultiselect":
      return (Array.isArray(value) ? value : [value])
        .map(String)
        .filter((item, i, all) => known.has(item) && all.indexOf(item) === i);
    case "select":
    case "groupselect":
      return known.has(text) ? text : "";
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? String(Number(text)) : "";
    default:
      return cutText(text, maxTextOf(type));
  }
}

/** The characters that a field takes at most. */
export function maxTextOf(type: FieldType): number {
  return type === "textarea" ? 5_000 : 2_000;
}

const isLengthBound = (type: FieldType) => type === "text" || type === "textarea";
const isPatternBound = (type: FieldType) => type === "text" || type === "email" || type === "phone";

function readRules(value: unknown, type: FieldType, path: string, warn: (message: string) => void): Rules {
  const rules = value === undefined || value === null ? {} : readObject(value, path);
  const number = (name: string, isRead: boolean) => (isRead ? readNumberRule(rules[name], `${path}.${name}`) : null);
  return {
    required: readRequired(rules.required, `${path}.required`),
    minLength: number("minLength", isLengthBound(type)),
    maxLength: number("maxLength", isLengthBound(type)),
    min: number("min", type === "number"),
    max: number("max", type === "number"),
    pattern: isPatternBound(type) ? readPattern(rules.pattern, `${path}.pattern`, warn) : null,
    defaultMessage: readText(rules.defaultErrorMessage, `${path}.defaultErrorMessage`),
  };
}

// readRule takes {value, message}, and a value alone.
function readRule(rule: unknown, path: string): Rule<unknown> | null {
  if (rule === undefined || rule === null) return null;
  if (typeof rule !== "object") return { value: rule, message: "" };
  const { value, message } = readObject(rule, path);
  return value === undefined || value === null ? null : { value, message: readText(message, `${path}.message`) };
}

function readRequired(value: unknown, path: string): Rule<boolean> | null {
  const rule = readRule(value, path);
  if (!rule) return null;
  if (typeof rule.value !== "boolean") throw new SchemaError(`${path}.value must be true or false`);
  return rule.value ? { value: true, message: rule.message } : null;
}

function readNumberRule(value: unknown, path: string): Rule<number> | null {
  const rule = readRule(value, path);
  if (!rule) return null;
  if (typeof rule.value !== "number" || !Number.isFinite(rule.value)) throw new SchemaError(`${path}.value must be a number`);
  return { value: rule.value, message: rule.message };
}

function readPattern(value: unknown, path: string, warn: (message: string) => void): Rule<Pattern> | null {
  const rule = readRule(value, path);
  if (!rule) return null;
  if (typeof rule.value !== "string") throw new SchemaError(`${path}.value must be a text`);
  try {
    return { value: compilePattern(rule.value), message: rule.message };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    warn(`${path}.value is left out: ${error.message}`);
    return null;
  }
}
