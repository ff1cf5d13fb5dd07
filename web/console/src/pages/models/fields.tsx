import { CheckboxGroup, Label, Text } from "react-aria-components";
import type { Kind, ModelName, ModelServer, ModelServers, Settings } from "../../api/model-servers";
import { Check } from "../../components/check";
import { Choice } from "../../components/choice";
import { Facts } from "../../components/facts";
import { FaultRow, useFault } from "../../components/fault";
import { Field } from "../../components/field";
import { useSecretNote } from "../../components/secret-note";
import { formatCost } from "../../costs";
import { useTexts, type Key } from "../../i18n";
import { Models, useListing } from "./listing";
import field from "../../components/field.module.css";
import styles from "./models.module.css";

interface Props {
  kind: Kind;
  values: Settings;
  change: <N extends keyof Settings>(name: N, value: Settings[N]) => void;
  all: ModelServers;
  /** The stored server that is being changed. */
  stored?: Stored;
}

/** What is stored of a server that is not part of its form. */
interface Stored extends Pick<ModelServer, "hasKey" | "keySetAt" | "keySetBy"> {
  id: string;
}

const formats = { openai: "OpenAI", anthropic: "Anthropic" };

// The addresses that the manual names, of what is in the cloud and on one's own machine. Nothing is asked of them here.
const addresses = {
  openai: [
    "https://api.openai.com/v1",
    "https://openrouter.ai/api/v1",
    "http://localhost:11434/v1",
    "http://localhost:1234/v1",
    "http://localhost:8000/v1",
  ],
  anthropic: ["https://api.anthropic.com/v1"],
  reranking: ["https://api.jina.ai/v1"],
};

/** What is set of a server of models. */
export function Fields({ kind, values, change, all, stored }: Props) {
  const { t } = useTexts();
  const format = values.format === "anthropic" ? "anthropic" : "openai";
  const listing = useListing(kind, values, stored?.id);
  const proposed = addresses[kind === "reranking" ? kind : format];
  const text = (name: "name" | "url" | "model" | "contextTokens" | "dimensions", label: Key, hint?: Key) => ({
    name,
    label: t(label),
    hint: hint && t(hint),
    value: values[name],
    onChange: (value: string) => change(name, value),
    autoComplete: "off",
  });
  return (
    <>
      <Field {...text("name", "models.field.name")} isRequired />
      {kind === "chat" && !stored && (
        <Choice
          label={t("models.field.format")}
          value={format}
          options={Object.entries(formats).map(([id, name]) => ({ id, name }))}
          onChange={(value) => change("format", value)}
        />
      )}
      {kind === "chat" && stored && <Field label={t("models.field.format")} value={formats[format]} isReadOnly />}
      <Field
        {...text("url", "models.field.url", "models.field.urlHint")}
        inputMode="url"
        placeholder={kind === "reranking" ? undefined : proposed[0]}
        suggestions={proposed}
        isCode
        isRequired
      />
      <Key values={values} change={change} stored={stored} canKeep={all.canKeepKeys} />
      <Field
        {...text("model", "models.field.model", "models.field.modelHint")}
        {...(listing.models.length > 0 && { suggestions: listing.models })}
        isCode
        isRequired={kind !== "reranking"}
      />
      <Models listing={listing} url={values.url} value={values.model} onChoose={(model) => change("model", model)} />
      {kind === "chat" && <Field {...text("contextTokens", "models.field.context", "models.field.contextHint")} inputMode="numeric" />}
      {kind === "embedding" && <Field {...text("dimensions", "models.field.dimensions", "models.field.dimensionsHint")} inputMode="numeric" />}
      {kind === "chat" && <Names values={values} change={change} all={all} storedId={stored?.id} />}
    </>
  );
}

interface KeyProps extends Pick<Props, "values" | "change"> {
  stored: Stored | undefined;
  canKeep: boolean;
}

/** The key: it can be given and taken away, and never be read. */
function Key({ values, change, stored, canKeep }: KeyProps) {
  const { t } = useTexts();
  const tellNote = useSecretNote();
  const hasStored = stored?.hasKey ?? false;
  const hint = t(hasStored ? "models.field.keyStored" : canKeep ? "models.field.keyHint" : "models.noKeys");
  return (
    <div className={styles.key}>
      <Field
        name="key"
        type="password"
        label={t("models.field.key")}
        hint={stored?.hasKey && stored.keySetAt ? `${tellNote(stored.keySetAt, stored.keySetBy)} ${hint}` : hint}
        value={values.key}
        onChange={(value) => change("key", value)}
        autoComplete="off"
        isDisabled={values.dropsKey || (!hasStored && !canKeep)}
        isCode
      />
      {hasStored && (
        <Check isSelected={values.dropsKey} onChange={(isOn) => change("dropsKey", isOn)}>
          {t("models.field.dropKey")}
        </Check>
      )}
    </div>
  );
}

interface NamesProps extends Pick<Props, "values" | "change" | "all"> {
  storedId: string | undefined;
}

/** The model names that the server answers for, each with its price, or with who answers for it already. */
function Names({ values, change, all, storedId }: NamesProps) {
  const { t, locale } = useTexts();
  const fault = useFault("modelNames");
  const known = new Set(all.modelNames.map(({ name }) => name));
  const former = values.modelNames.filter((name) => !known.has(name)).map((name): ModelName => ({ name, credits: 0 }));
  const others = all.servers.filter(({ modelServerId }) => modelServerId && modelServerId !== storedId);
  // Why a name is not to be had; undefined where it is.
  const whyTaken = ({ name, setBy }: ModelName) => {
    const other = others.find(({ modelNames }) => modelNames.includes(name));
    return setBy ? t("models.setBy", { name: setBy }) : other && t("models.takenBy", { name: other.name });
  };
  const price = ({ name, credits }: ModelName) =>
    known.has(name) && <Facts>{[t("playground.credits", { count: credits }), formatCost(credits, all.creditPrice, locale)]}</Facts>;
  return (
    <CheckboxGroup
      name="modelNames"
      className={field.field!}
      value={values.modelNames}
      onChange={(names) => change("modelNames", names.toSorted())}
    >
      <Label className={field.label!}>{t("models.field.names")}</Label>
      <Text slot="description" className={field.hint!}>
        {t("models.field.namesHint")}
      </Text>
      <div className={styles.names}>
        {[...all.modelNames, ...former].map((one) => {
          const reason = whyTaken(one);
          return (
            <Check key={one.name} value={one.name} isDisabled={Boolean(reason)}>
              <span>
                <bdi>{one.name}</bdi> <span className={styles.detail}>{reason ?? price(one)}</span>
              </span>
            </Check>
          );
        })}
      </div>
      <FaultRow id="models-fault" fault={fault} />
    </CheckboxGroup>
  );
}
