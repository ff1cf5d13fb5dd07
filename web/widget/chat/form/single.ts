// Forms of the chat's own with one field.
import type { Field, FormSchema } from "./schema";

export const noRules = { required: null, minLength: null, maxLength: null, min: null, max: null, pattern: null, defaultMessage: "" };

export function newField(name: string, type: Field["type"], label: string): Field {
  return { name, type, label, placeholder: label, initial: "", isDisabled: false, rules: noRules, groups: [] };
}

export function newSchema(field: Field, submitText: string): FormSchema {
  return { fields: [field], hasLabels: true, submitText, successText: "", errorText: "" };
}

export const refuseUpload = () => Promise.reject(new Error("this form has no pictures"));
