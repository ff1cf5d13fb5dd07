import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Translate } from "../translate";
import { FormField } from "./field";
import styles from "./form.module.css";
import type { UploadedFile } from "../state";
import type { FormSchema, Value } from "./schema";
import { findFault, findFaults, findRefused, initialValues, readSubmission } from "./validate";

export interface Submission {
  values: Record<string, unknown>;
  /** Of a field that people do not see: what fills it in is a program. */
  website: string;
}

export type Upload = (file: File, onProgress: (part: number) => void, signal: AbortSignal) => Promise<UploadedFile>;

interface FormProps {
  schema: FormSchema;
  t: Translate;
  /** What the form is about, for those who do not see it. */
  label: string;
  /** Fails with the text to show, with `details` by field, or with any error for the form's own text. */
  onSubmit(submission: Submission): Promise<void>;
  upload: Upload;
  onDismiss?: (() => void) | undefined;
  /** The form was submitted before the chat was loaded again. */
  isSubmitted?: boolean;
}

/** A text for the customer about why a form was not taken. */
export class SubmitError extends Error {}

/** What a form holds, and what is done with it. */
function useForm({ schema, t, onSubmit, isSubmitted = false }: FormProps, id: string) {
  const form = useRef<HTMLFormElement>(null);
  const done = useRef<HTMLParagraphElement>(null);
  const [values, setValues] = useState(() => initialValues(schema));
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [busyFields, setBusyFields] = useState(0);
  const [state, setState] = useState<"open" | "sending" | "done">(isSubmitted ? "done" : "open");
  const [failure, setFailure] = useState("");
  const focusDone = useRef(false);
  const wrongField = useRef(-1); // gets the focus once it is drawn as such
  useEffect(() => {
    if (state === "done" && focusDone.current) done.current?.focus();
  }, [state]);
  useLayoutEffect(() => {
    if (wrongField.current >= 0 && state === "open") focusField(form.current!, `${id}-${wrongField.current}`);
    wrongField.current = -1;
  }, [faults, state]);

  const change = (name: string, value: Value) => {
    setValues((all) => ({ ...all, [name]: value }));
    const field = schema.fields.find((f) => f.name === name)!;
    if (!faults.has(name)) return;
    const fault = findFault(field, value, t);
    setFaults(
      (all) => new Map([...all].flatMap(([n, text]) => (n !== name ? [[n, text] as const] : fault ? [[n, fault] as const] : []))),
    );
  };

  /** Shows faults, and reports whether there are any. */
  const showFaults = (found: ReadonlyMap<string, string>): boolean => {
    setFaults(found);
    wrongField.current = schema.fields.findIndex((field) => found.has(field.name));
    return wrongField.current >= 0;
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    if (state !== "open" || busyFields > 0) return;
    setFailure("");
    if (showFaults(findFaults(schema, values, t))) return;
    setState("sending");
    focusDone.current = form.current!.contains(document.activeElement);
    const website = String(new FormData(form.current!).get("website") ?? "");
    try {
      await onSubmit({ values: readSubmission(schema, values), website });
      setState("done");
    } catch (error) {
      setState("open");
      if (showFaults(findRefused(schema, values, error, t))) return;
      setFailure(error instanceof SubmitError ? error.message : schema.errorText || t("form.failed"));
    }
  };
  const noteBusy = (isBusy: boolean) => setBusyFields((n) => n + (isBusy ? 1 : -1));
  return { form, done, values, faults, failure, state, isBusy: state === "sending" || busyFields > 0, change, submit, noteBusy };
}

/** A form in the chat. */
export function Form(props: FormProps) {
  const { schema, t, label, upload, onDismiss } = props;
  const id = useId();
  const { form, done, values, faults, failure, state, isBusy, change, submit, noteBusy } = useForm(props, id);
  if (state === "done") {
    return (
      <p ref={done} className={styles.done} role="status" tabIndex={-1} dir="auto">
        {schema.successText || t("form.submitted")}
      </p>
    );
  }
  return (
    <form ref={form} className={styles.form} noValidate aria-label={label} onSubmit={submit}>
      {schema.fields.map((field, i) => (
        <FormField
          key={field.name}
          id={`${id}-${i}`}
          field={field}
          value={values[field.name] ?? null}
          fault={faults.get(field.name) ?? ""}
          hasLabel={schema.hasLabels}
          isSending={state === "sending"}
          t={t}
          upload={upload}
          onChange={(value) => change(field.name, value)}
          onBusy={noteBusy}
        />
      ))}
      <Website />
      <div role="alert" className={styles.failure} dir="auto">
        {failure || (faults.size > 0 ? t("form.faults", { count: faults.size }) : "")}
      </div>
      <div className={styles.actions}>
        <button type="submit" className={styles.submit} aria-disabled={isBusy} dir="auto">
          {state === "sending" ? t("form.sending") : schema.submitText || t("form.submit")}
        </button>
        {onDismiss && (
          <button type="button" className={styles.plain} onClick={onDismiss}>
            {t("form.dismiss")}
          </button>
        )}
      </div>
    </form>
  );
}

// Website is a field that only programs fill in.
function Website() {
  return (
    <div className={styles.hidden} aria-hidden="true">
      <input type="text" name="website" tabIndex={-1} autocomplete="off" />
    </div>
  );
}

function focusField(form: HTMLFormElement, id: string): void {
  const field = form.querySelector<HTMLElement>(`[id="${id}"]`);
  const control = field?.matches("input, select, textarea, button") ? field : field?.querySelector<HTMLElement>("input, button");
  control?.focus();
}
