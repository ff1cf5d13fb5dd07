import { useEffect, useRef, useState } from "preact/hooks";
import type { Translate } from "../translate";
import formStyles from "../form/form.module.css";
import { Form, SubmitError, type Submission } from "../form/form";
import type { FormSchema } from "../form/schema";
import { newField, newSchema, noRules, refuseUpload } from "../form/single";
import styles from "./handover.module.css";

/** What the server says about a wish for a person. */
export interface Handover {
  conversationId: string;
  status: string;
  ticketNumber: number | null;
  /** Nobody is there now. */
  isAway: boolean;
  /** It has an address of the visitor's, and can send mail. */
  canAnswerByEmail: boolean;
}

interface HandoverProps {
  t: Translate;
  /** The company can answer by e-mail. */
  hasEmail: boolean;
  /** Nothing was written yet: what it is about is the first message. */
  isFirst: boolean;
  ask(wish: { reason?: string; email?: string }): Promise<Handover>;
  onClose(): void;
}

/** Asks for a person, and says what happens next. */
export function HandoverPanel({ t, hasEmail, isFirst, ask, onClose }: HandoverProps) {
  const panel = useRef<HTMLDivElement>(null);
  const [answer, setAnswer] = useState<Handover | null>(null);
  useEffect(() => {
    if (answer) panel.current?.focus();
  }, [answer]);
  const submit = async ({ values, website }: Submission) => {
    if (website) return; // a program has filled it in
    try {
      setAnswer(await ask(values));
    } catch (error) {
      throw error instanceof SubmitError ? error : new SubmitError(t("handover.failed"));
    }
  };
  return (
    <div ref={panel} tabIndex={-1} className={styles.panel}>
      {answer ? (
        <HandoverAnswer answer={answer} t={t} hasEmail={hasEmail} ask={ask} onClose={onClose} />
      ) : (
        <>
          <p>{t("handover.lead")}</p>
          <Form
            schema={wishSchema(t, isFirst)}
            t={t}
            label={t("handover.title")}
            onSubmit={submit}
            upload={refuseUpload}
            onDismiss={onClose}
          />
        </>
      )}
    </div>
  );
}

type AnswerProps = Omit<HandoverProps, "isFirst"> & { answer: Handover };

function HandoverAnswer({ answer, t, hasEmail, ask, onClose }: AnswerProps) {
  const { ticketNumber, isAway, canAnswerByEmail } = answer;
  const asksForEmail = isAway && hasEmail && !canAnswerByEmail;
  return (
    <>
      {!asksForEmail && <p role="status">{t(isAway ? "handover.away" : "handover.waiting")}</p>}
      {ticketNumber !== null && <p>{t("handover.ticket", { number: String(ticketNumber) })}</p>}
      {asksForEmail && <AwayForm t={t} onSubmit={(email) => ask({ email })} />}
      <button type="button" className={asksForEmail ? formStyles.plain : formStyles.submit} onClick={onClose}>
        {t("handover.back")}
      </button>
    </>
  );
}

interface AwayFormProps {
  t: Translate;
  onSubmit(email: string): Promise<unknown>;
}

/** Nobody is there: asks where the answer shall go. Only where the company can answer by e-mail. */
export function AwayForm({ t, onSubmit }: AwayFormProps) {
  const submit = async ({ values, website }: Submission) => {
    if (!website) await onSubmit(String(values.email)); // else a program has filled it in
  };
  return (
    <>
      <p>{t("person.awayEmail")}</p>
      <Form schema={emailSchema(t)} t={t} label={t("person.awayEmail")} onSubmit={submit} upload={refuseUpload} />
    </>
  );
}

function wishSchema(t: Translate, isRequired: boolean): FormSchema {
  const reason = newField("reason", "textarea", t("handover.reason"));
  const required = isRequired ? { required: { value: true, message: "" } } : {};
  const rules = { ...noRules, ...required, maxLength: { value: 500, message: "" } };
  return newSchema({ ...reason, rules }, t("handover.submit"));
}

function emailSchema(t: Translate): FormSchema {
  const email = newField("email", "email", t("lead.email"));
  const rules = { ...noRules, required: { value: true, message: "" } };
  return { ...newSchema({ ...email, rules, autocomplete: "email" }, t("person.awaySubmit")), successText: t("person.awayDone") };
}
