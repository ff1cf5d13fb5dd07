// The secrets that a manifest names, and the fields that take their values.
import { useMemo, useState } from "react";
import { Field } from "../../components/field";
import { Section } from "../../components/page";
import { useTexts } from "../../i18n";
import { findSecrets } from "./names";

/** The values that are typed for the secrets of a text: of those that it names now. */
export function useSecrets(text: string) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const names = useMemo(() => findSecrets(text), [text]);
  const given = Object.fromEntries(names.flatMap((name) => (typed[name] ? [[name, typed[name]]] : [])));
  return {
    names,
    given,
    change: (name: string, value: string) => setTyped((before) => ({ ...before, [name]: value })),
    forget: () => setTyped({}),
  };
}

interface Props {
  secrets: ReturnType<typeof useSecrets>;
  /** Whether the agent is new, so that it has no values that could stay. */
  isNew?: boolean;
}

/** A field for each secret; nothing where the text names none. */
export function Secrets({ secrets: { names, given, change }, isNew = false }: Props) {
  const { t } = useTexts();
  if (names.length === 0) return null;
  return (
    <Section title={t("manifest.secrets")}>
      {names.map((name) => (
        <Field
          key={name}
          name={`secret.${name}`}
          type="password"
          label={t("manifest.secret", { name })}
          hint={t(isNew ? "manifest.secretNew" : "manifest.secretHint")}
          value={given[name] ?? ""}
          onChange={(value) => change(name, value)}
          autoComplete="off"
          isCode
        />
      ))}
    </Section>
  );
}
