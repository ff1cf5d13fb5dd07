import { useCallback, useEffect, useMemo, useRef, useState, type FormEvent, type ReactNode } from "react";
import { Form as AriaForm } from "react-aria-components";
import { APIError } from "../api/client";
import { explainFault } from "../faults";
import { useTexts } from "../i18n";
import { Faults, isOfField } from "./fault";
import { Failed } from "./states";
import styles from "./form.module.css";

interface Props {
  /** Sends the form. What it throws is shown, at the fields that the server names. */
  onSubmit: (values: Record<string, string>) => Promise<unknown>;
  children: (isPending: boolean) => ReactNode;
}

export function Form({ onSubmit, children }: Props) {
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const fields = useRef(new Set<string>());
  const claim = useCallback((name: string) => {
    fields.current.add(name);
    return () => void fields.current.delete(name);
  }, []);
  const faults = useMemo(() => ({ said: error instanceof APIError ? error.details : {}, claim }), [error, claim]);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isPending) return;
    setPending(true);
    setError(null);
    try {
      await onSubmit(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return (
    <AriaForm ref={form} className={styles.form!} onSubmit={(event) => void submit(event)}>
      {error !== null && <Banner error={error} fields={fields.current} />}
      <Faults value={faults}>{children(isPending)}</Faults>
    </AriaForm>
  );
}

/** Says what no field of the form says. */
function Banner({ error, fields }: { error: unknown; fields: ReadonlySet<string> }) {
  const { t, locale } = useTexts();
  const said = Object.entries(error instanceof APIError ? error.details : {});
  const rest = said.filter(([path]) => ![...fields].some((name) => isOfField(path, name)));
  if (said.length > 0 && rest.length === 0) return null;
  const isInvalid = error instanceof APIError && error.code === "VALIDATION_INVALID_BODY";
  const texts = isInvalid ? [...new Set(rest.map(([, text]) => explainFault(text, t, locale)))] : [];
  return <Failed error={error} text={texts.join(" ")} />;
}
