import type { ComponentChildren } from "preact";
import type { Translate } from "../translate";
import { Checkboxes, Select } from "./choice";
import type { Upload } from "./form";
import styles from "./form.module.css";
import { ImageField } from "./image";
import { maxTextOf, type Field, type Value } from "./schema";

export interface FieldProps {
  id: string;
  field: Field;
  value: Value;
  fault: string;
  hasLabel: boolean;
  isSending: boolean;
  t: Translate;
  upload: Upload;
  onChange(value: Value): void;
  /** A field begins or ends something that the form has to wait for. */
  onBusy(isBusy: boolean): void;
}

// What a field holds while the browser cannot read a number in it.
const noNumber = "?";

/** What a control says of itself to those who do not see it. */
export interface ControlAttributes {
  id: string;
  disabled: boolean;
  "aria-describedby": string | undefined;
  "aria-invalid": "true" | undefined;
  "aria-required": "true" | undefined;
}

/** A field with its label and what is wrong with it. */
export function FormField(props: FieldProps) {
  const { id, field, fault } = props;
  const attributes: ControlAttributes = {
    id,
    disabled: field.isDisabled || props.isSending,
    "aria-describedby": fault ? `${id}-fault` : undefined,
    "aria-invalid": fault ? "true" : undefined,
    "aria-required": field.rules.required ? "true" : undefined,
  };
  return (
    <div className={styles.field}>
      <Control {...props} attributes={attributes} />
      {fault && (
        <p id={`${id}-fault`} className={styles.fault} dir="auto">
          {fault}
        </p>
      )}
    </div>
  );
}

function Control(props: FieldProps & { attributes: ControlAttributes }) {
  switch (props.field.type) {
    case "multiselect":
    case "groupmultiselect":
      return <Checkboxes {...props} />;
    case "image":
      return <ImageField {...props} />;
    case "select":
    case "groupselect":
      return (
        <Labelled {...props} isLabelled>
          <Select {...props} />
        </Labelled>
      );
    default:
      return (
        <Labelled {...props} isLabelled={props.hasLabel}>
          <TextControl {...props} />
        </Labelled>
      );
  }
}

/** A label above a control; one that its placeholder shows is there for screen readers. */
function Labelled({ id, field, t, isLabelled, children }: FieldProps & { isLabelled: boolean; children: ComponentChildren }) {
  return (
    <>
      <label htmlFor={id} className={isLabelled ? styles.label : styles.unseen} dir="auto">
        <LabelText field={field} t={t} />
      </label>
      {children}
    </>
  );
}

export function LabelText({ field, t }: { field: Field; t: Translate }) {
  if (field.rules.required) return <>{field.label}</>;
  return (
    <>
      {field.label} <span className={styles.optional}>{t("form.optional")}</span>
    </>
  );
}

const inputs = { text: "text", email: "email", phone: "tel" } as const;

function TextControl({ field, value, hasLabel, t, attributes, onChange }: FieldProps & { attributes: ControlAttributes }) {
  const { type, placeholder, label } = field;
  const shared = {
    ...attributes,
    className: styles.control,
    dir: "auto",
    value: typeof value === "string" ? value : "",
    // A placeholder that only repeats the label above says nothing.
    placeholder:
      hasLabel && placeholder === label
        ? undefined
        : `${placeholder}${hasLabel || field.rules.required ? "" : ` ${t("form.optional")}`}`,
    maxLength: maxTextOf(type),
    autocomplete: field.autocomplete ?? (type === "email" ? "email" : type === "phone" ? "tel" : undefined),
  } as const;
  const read = (event: Event & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
    const { currentTarget: control } = event;
    // What is no number reads as empty; the mark keeps it from passing as left out.
    onChange(control.validity.badInput ? noNumber : control.value);
  };
  if (type === "textarea") return <textarea {...shared} rows={3} onInput={read} />;
  if (type === "number") return <NumberControl {...shared} onInput={read} />;
  return <input {...shared} type={inputs[type as keyof typeof inputs] as "text"} onInput={read} />;
}

type NumberProps = ControlAttributes & { value: string; className: string | undefined; placeholder: string | undefined } & {
  onInput(event: Event & { currentTarget: HTMLInputElement }): void;
};

function NumberControl({ value, ...rest }: NumberProps) {
  // What the customer has typed stays where it is no number yet.
  return <input {...rest} {...(value !== noNumber && { value })} type="number" step="any" />;
}
