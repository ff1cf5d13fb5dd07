import type { Config } from "../config";
import { Form, type Submission } from "../form/form";
import type { Field, FormSchema } from "../form/schema";
import type { Translate } from "../translate";

type Leads = NonNullable<Config["leads"]>;
type LeadField = Leads["fields"][number];

export interface Lead {
  name?: string;
  email?: string;
  phone?: string;
  website: string;
}

interface LeadFormProps {
  leads: Leads;
  /** What the customer has told the agent, by field. */
  given?: unknown;
  t: Translate;
  onSubmit(lead: Lead): Promise<void>;
  onDismiss?: (() => void) | undefined;
  isSubmitted?: boolean;
}

/** Asks the customer for a name and for ways to reach them, as the agent is set up to. */
export function LeadForm({ leads, given, t, onSubmit, onDismiss, isSubmitted }: LeadFormProps) {
  const submit = ({ values, website }: Submission) => onSubmit({ ...values, website });
  const title = leads.title || t("lead.title");
  return (
    <section>
      <p dir="auto">{title}</p>
      <Form
        schema={leadSchema(leads.fields, t, given)}
        t={t}
        label={title}
        onSubmit={submit}
        onDismiss={onDismiss}
        upload={refuseUpload}
        isSubmitted={isSubmitted ?? false}
      />
    </section>
  );
}

const refuseUpload = () => Promise.reject(new Error("this form has no pictures"));

/**
 * The form for the fields, with what is given of them. A lead needs a way to reach the customer: the first that is asked
 * for is required.
 */
export function leadSchema(fields: readonly LeadField[], t: Translate, given?: unknown): FormSchema {
  const required = fields.includes("email") ? "email" : "phone";
  return {
    fields: fields.map((name) => ({ ...leadField(name, name === required, t), initial: textAt(given, name) })),
    hasLabels: true,
    submitText: t("lead.submit"),
    successText: t("lead.thanks"),
    errorText: t("lead.failed"),
  };
}

function textAt(given: unknown, name: LeadField): string {
  const value = (given as Partial<Record<LeadField, unknown>> | null | undefined)?.[name];
  return typeof value === "string" ? value : "";
}

const types = { name: "text", email: "email", phone: "phone" } as const;
const autocompletes = { name: "name", email: "email", phone: "tel" } as const;

function leadField(name: LeadField, isRequired: boolean, t: Translate): Omit<Field, "initial"> {
  const label = t(`lead.${name}`);
  return {
    name,
    type: types[name],
    label,
    placeholder: label,
    isDisabled: false,
    groups: [],
    takesLocalNumbers: true,
    autocomplete: autocompletes[name],
    rules: {
      required: isRequired ? { value: true, message: "" } : null,
      minLength: null,
      maxLength: name === "name" ? { value: 200, message: "" } : null,
      min: null,
      max: null,
      pattern: null,
      defaultMessage: "",
    },
  };
}
