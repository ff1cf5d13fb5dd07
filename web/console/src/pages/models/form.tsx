import type { FormEvent, ReactNode } from "react";
import { APIError } from "../../api/client";
import { FaultForm } from "../../components/fault-form";
import { Failed } from "../../components/states";
import { explainFault } from "../../faults";
import { useTexts } from "../../i18n";
import styles from "./models.module.css";

interface Props {
  /** What a test or saving was refused with: it is shown at the fields that the server names. */
  error: unknown;
  onSubmit: () => void;
  children: ReactNode;
}

/** The form of a server of models. */
export function ServerForm({ error, onSubmit, children }: Props) {
  const { t, locale } = useTexts();
  const faults = error instanceof APIError ? (error.details as Record<string, string>) : {};
  const ofKind = faults.kind && explainFault(faults.kind, t, locale); // which has no field
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <FaultForm className={styles.form!} onSubmit={submit} said={faults}>
      {error !== null && <Failed error={error} {...(ofKind && { text: ofKind })} />}
      {children}
    </FaultForm>
  );
}
