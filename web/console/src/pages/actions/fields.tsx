// What is set of an action or a procedure.
import { createContext, useContext } from "react";
import { hasOpenKey, secretNames, type Kind, type Pair, type SecretNote, type ToolValues } from "../../api/actions";
import { Button, IconButton } from "../../components/button";
import { Choice } from "../../components/choice";
import { Field } from "../../components/field";
import { Notice } from "../../components/notice";
import { Section } from "../../components/page";
import { useSecretNote } from "../../components/secret-note";
import { TextArea } from "../../components/text-area";
import { findFaultText } from "../../faults";
import { useTexts, type Key } from "../../i18n";
import { Inputs } from "./inputs";
import { Phrases } from "./phrases";
import styles from "./actions.module.css";

export interface Editor {
  kind: Kind;
  values: ToolValues;
  change: <N extends keyof ToolValues>(name: N, value: ToolValues[N]) => void;
  /** What the server has said is wrong, by path. */
  faults: Readonly<Record<string, string>>;
}

export const EditorContext = createContext<Editor | null>(null);

export const useEditor = (): Editor => useContext(EditorContext)!;

/** What is wrong with several fields as a whole. */
export function Fault({ path }: { path: string }) {
  const { t, locale } = useTexts();
  const said = useEditor().faults[path];
  if (!said) return null;
  return (
    <p role="alert" className={styles.fault}>
      {findFaultText(said, t, locale) ?? t("fault.other")}
    </p>
  );
}

type TextName = "name" | "description" | "url" | "body" | "response" | "timeout" | "message" | "label" | "sites";

/** What the fields of a text have in common. */
function useText() {
  const { t } = useTexts();
  const { values, change } = useEditor();
  return (name: TextName, path: string, label: Key, hint?: Key) => ({
    name: path,
    label: t(label),
    hint: hint && t(hint),
    value: values[name],
    onChange: (value: string) => change(name, value),
    autoComplete: "off",
  });
}

/** When the model calls it, and with what. */
export function Head() {
  const { t } = useTexts();
  const { kind } = useEditor();
  const text = useText();
  return (
    <>
      <Section title={t("actions.when")}>
        <p className={styles.detail}>{t(`actions.about.${kind}`)}</p>
        <Field {...text("name", "name", "actions.field.name", "actions.field.nameHint")} isCode isRequired />
        <TextArea {...text("description", "description", "actions.field.description", "actions.field.descriptionHint")} maxLength={1000} hasCounter isRequired />
        <Phrases />
      </Section>
      <Section title={t("actions.inputs")}>
        <Inputs />
      </Section>
    </>
  );
}

const exampleAddress = "https://api.shop.example/orders/{number}";
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((id) => ({ id, name: id }));

interface StoredSecrets {
  /** Names of the secrets that are stored. */
  stored: readonly string[];
  /** Since when, where that is known. */
  notes: readonly SecretNote[];
}

/** What an action does. */
export function Doing({ stored, notes }: StoredSecrets) {
  const { t } = useTexts();
  const { kind } = useEditor();
  const text = useText();
  switch (kind) {
    case "http":
      return <Request stored={stored} notes={notes} />;
    case "collect-leads":
    case "escalate":
      return (
        <Section title={t("actions.result")}>
          <TextArea {...text("message", "config.message", "actions.field.message", "actions.field.messageHint")} />
        </Section>
      );
    case "custom-button":
      return (
        <Section title={t("actions.kind.custom-button")}>
          <Field {...text("label", "config.label", "actions.field.label")} isRequired />
          <Field {...text("url", "config.url", "actions.field.link", "actions.field.linkHint")} isCode isRequired />
        </Section>
      );
    case "web-search":
      return (
        <Section title={t("actions.kind.web-search")}>
          <TextArea {...text("sites", "config.sites", "actions.field.sites", "actions.field.sitesHint")} isCode />
        </Section>
      );
    default:
      return null;
  }
}

function Request({ stored, notes }: StoredSecrets) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const text = useText();
  return (
    <>
      <Section title={t("actions.request")}>
        <p className={styles.detail}>{t("actions.requestHint")}</p>
        <div className={styles.line}>
          <Choice label={t("actions.field.method")} value={values.method} options={methods} onChange={(value) => change("method", value)} />
          <Field {...text("url", "config.url", "actions.field.url")} placeholder={exampleAddress} isCode isRequired />
        </div>
        <Pairs name="query" label={t("actions.field.query")} add={t("actions.addQuery")} />
        <Pairs name="headers" label={t("actions.field.headers")} add={t("actions.addHeader")} />
        {values.method !== "GET" && <TextArea {...text("body", "config.body", "actions.field.body", "actions.field.bodyHint")} isCode />}
        <TextArea {...text("response", "config.response", "actions.field.response", "actions.field.responseHint")} isCode />
        <Field {...text("timeout", "config.timeout", "actions.field.timeout", "actions.field.timeoutHint")} inputMode="decimal" />
      </Section>
      <Secrets stored={stored} notes={notes} />
    </>
  );
}

/** Headers or parameters, each with its value. */
function Pairs({ name, label, add }: { name: "headers" | "query"; label: string; add: string }) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const pairs = values[name];
  const set = (at: number, pair: Pair) => change(name, pairs.with(at, pair));
  return (
    <div role="group" aria-label={label} className={styles.pairs}>
      <p className={styles.label}>{label}</p>
      {pairs.map(([key, value], i) => (
        <div key={i} className={styles.pair}>
          <Field label={t("actions.field.key")} value={key} onChange={(text) => set(i, [text, value])} autoComplete="off" isCode />
          <Field label={t("actions.field.value")} value={value} onChange={(text) => set(i, [key, text])} autoComplete="off" isCode />
          <IconButton icon="x" label={t("actions.removeNamed", { name: key || label })} onPress={() => change(name, pairs.toSpliced(i, 1))} />
        </div>
      ))}
      <Fault path={`config.${name}`} />
      {name === "headers" && pairs.some(hasOpenKey) && (
        <Notice isStatus>{t("actions.openKey", { example: "${NAME}", secrets: t("actions.secrets") })}</Notice>
      )}
      <div>
        <Button kind="quiet" icon="plus" onPress={() => change(name, [...pairs, ["", ""]])}>
          {add}
        </Button>
      </div>
    </div>
  );
}

/** The secrets that the request names: each can be set, replaced and removed, and never be read. */
function Secrets({ stored, notes }: StoredSecrets) {
  const { t } = useTexts();
  const { values, change } = useEditor();
  const tellNote = useSecretNote();
  const names = secretNames(values);
  const hintOf = (name: string) => {
    if (!stored.includes(name)) return t("actions.secretMissing");
    const note = notes.find((one) => one.name === name);
    return note ? `${tellNote(note.at, note.by)} ${t("actions.secretStored")}` : t("actions.secretStored");
  };
  return (
    <Section title={t("actions.secrets")}>
      <p className={styles.detail}>{t("actions.secretsHint", { example: "${NAME}" })}</p>
      {names.map((name) => (
        <div key={name} className={styles.secret}>
          <Field
            name={`secrets.${name}`}
            type="password"
            label={name}
            hint={hintOf(name)}
            placeholder={stored.includes(name) ? "••••••••" : undefined}
            value={values.secrets[name] ?? ""}
            onChange={(value) => change("secrets", withSecret(values.secrets, name, value))}
            autoComplete="off"
            isCode
          />
          <Button kind="quiet" icon="trash" aria-label={t("actions.removeNamed", { name })} onPress={() => removeSecret(values, change, name)}>
            {t("actions.remove")}
          </Button>
        </div>
      ))}
    </Section>
  );
}

// An empty value is none: the stored one stays.
function withSecret(all: ToolValues["secrets"], name: string, value: string): ToolValues["secrets"] {
  const { [name]: _, ...others } = all;
  return value ? { ...others, [name]: value } : others;
}

/** Takes a secret out of the request: the stored value goes with the last place that names it. */
function removeSecret(values: ToolValues, change: Editor["change"], name: string) {
  const mark = `\${${name}}`;
  for (const field of ["headers", "query"] as const) {
    const rest = values[field].filter(([, value]) => !value.includes(mark));
    if (rest.length < values[field].length) change(field, rest);
  }
  for (const field of ["url", "body"] as const) {
    if (values[field].includes(mark)) change(field, values[field].replaceAll(mark, ""));
  }
  change("secrets", withSecret(values.secrets, name, ""));
}

/** Labels of what two people have changed. */
export const fieldLabels: Readonly<Record<string, Key>> = {
  name: "actions.field.name",
  description: "actions.field.description",
  triggers: "actions.field.triggers",
  inputs: "actions.inputs",
  enabled: "actions.on",
  method: "actions.field.method",
  url: "actions.field.url",
  headers: "actions.field.headers",
  query: "actions.field.query",
  body: "actions.field.body",
  response: "actions.field.response",
  timeout: "actions.field.timeout",
  message: "actions.field.message",
  label: "actions.field.label",
  sites: "actions.field.sites",
  steps: "actions.steps",
  secrets: "actions.secrets",
};

