// What is wrong with a field: what the server has said, until the form is sent again, or else what the browser says.
import { createContext, useContext, useEffect, useRef } from "react";
import { FieldErrorContext } from "react-aria-components";
import { explainFault, findFaultText } from "../faults";
import { useTexts, type Texts } from "../i18n";
import styles from "./field.module.css";

/** What the server has said is wrong, by the path of the value: a text, or what it said of one line of a list. */
export type Said = Readonly<Record<string, unknown>>;

/** What the server has said of one line of a field that holds several. */
export class LineFault {
  constructor(
    readonly line: string,
    readonly reason: unknown,
  ) {}
}

export interface FormFaults {
  said: Said;
  /** Tells the form of a field that shows what is wrong with it, and returns how to take that back. */
  claim: (name: string) => () => void;
}

/** What is wrong with the fields of the form around. */
export const Faults = createContext<FormFaults>({ said: {}, claim: () => () => {} });

/** Reports whether a path is that of a field, or of something in it. */
export const isOfField = (path: string, name: string) => path === name || path.startsWith(`${name}.`);

/** What the server has said is wrong with a field, in the person's language. */
export function useFault(name: string | undefined): string | undefined {
  const { t, locale } = useTexts();
  const { said, claim } = useContext(Faults);
  useEffect(() => (name ? claim(name) : undefined), [name, claim]);
  const found = name ? Object.entries(said).find(([path]) => isOfField(path, name)) : undefined;
  if (!found) return undefined;
  const [, fault] = found;
  return fault instanceof LineFault ? `${fault.line}: ${explainFault(fault.reason, t, locale)}` : explainFault(fault, t, locale);
}

export interface Limits {
  minLength?: number | undefined;
  type?: string | undefined;
}

/** What a browser misses in a field, in the language of the console, which may be another than the browser's. */
function explainLack(details: ValidityState, { minLength, type }: Limits, t: Texts["t"]): string | undefined {
  if (details.valueMissing) return t("fault.required");
  if (details.tooShort && minLength) return t("fault.minCharacters", { min: minLength });
  if (details.typeMismatch && type === "email") return t("fault.email");
  return details.typeMismatch && type === "url" ? t("fault.address") : undefined;
}

/**
 * The row below a field. Its height stays where the fault goes while somebody types or leaves the field: otherwise a
 * button below would move from under the pointer that is about to press it.
 */
export function FaultRow({ id, fault, limits = {} }: { id: string; fault: string | undefined; limits?: Limits }) {
  const { t, locale } = useTexts();
  const own = useContext(FieldErrorContext);
  const errors = own?.isInvalid ? own.validationErrors : [];
  const lack = own?.isInvalid ? explainLack(own.validationDetails, limits, t) : undefined;
  const text = fault ?? lack ?? errors.map((said) => findFaultText(said, t, locale) ?? said).join(" ");
  const last = useRef("");
  if (text) last.current = text;
  if (!last.current) return null;
  return (
    <p id={id} className={styles.fault} aria-hidden={!text} data-is-gone={!text || undefined}>
      {text || last.current}
    </p>
  );
}
