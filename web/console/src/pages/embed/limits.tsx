// How much visitors may use: credits a day, messages of one device, and the addresses from which nobody is let in.
import { Fragment } from "react";
import type { useSettingsDraft } from "../../api/settings";
import type { Said } from "../../components/fault";
import { FaultForm } from "../../components/fault-form";
import { Field } from "../../components/field";
import { Section } from "../../components/page";
import { useTexts, type Key } from "../../i18n";
import { Lines } from "../looks/rows";
import styles from "./embed.module.css";

/** What the fields are called, by the names of their values. */
export const labels: Readonly<Record<string, Key>> = {
  allowedDomains: "embed.domains",
  "widget.dailyCredits": "embed.dailyCredits",
  "widget.dailyCreditsPerVisitor": "embed.visitorCredits",
  "widget.blockedRanges": "embed.blocked",
  "ipRateLimits.limit": "embed.rate",
  "ipRateLimits.timeframe": "embed.rateTime",
  "ipRateLimits.message": "embed.rateMessage",
};

interface Props {
  draft: ReturnType<typeof useSettingsDraft>;
  mayChange: boolean;
  /** By the names of fields, as the server has found them. */
  faults: Said;
}

export function Limits({ draft, mayChange, faults }: Props) {
  const { t } = useTexts();
  return (
    <Section title={t("embed.limits")}>
      <p>{t("embed.limitsText")}</p>
      {mayChange ? <Fields draft={draft} faults={faults} /> : <Present draft={draft} />}
    </Section>
  );
}

function Fields({ draft, faults }: Omit<Props, "mayChange">) {
  const { t } = useTexts();
  const { values, change } = draft;
  const number = (name: string, hint: Key) => (
    <NumberField name={name} label={t(labels[name]!)} hint={t(hint)} value={values[name] as number | null} onChange={change} />
  );
  return (
    <FaultForm className={styles.check!} said={faults} onSubmit={(event) => event.preventDefault()}>
      <div className={styles.numbers}>
        {number("widget.dailyCredits", "embed.noLimit")}
        {number("widget.dailyCreditsPerVisitor", "embed.noLimit")}
        {number("ipRateLimits.limit", "embed.rateHint")}
        {number("ipRateLimits.timeframe", "embed.rateTimeHint")}
      </div>
      <Field
        name="settings.ipRateLimits.message"
        label={t("embed.rateMessage")}
        value={String(values["ipRateLimits.message"])}
        onChange={(text) => change("ipRateLimits.message", text)}
      />
      <Lines
        name="settings.widget.blockedRanges"
        label={t("embed.blocked")}
        hint={t("embed.blockedHint")}
        value={values["widget.blockedRanges"] as string[]}
        split={(text) => text.split(/[\s,]+/).filter(Boolean)}
        join={(ranges) => ranges.join("\n")}
        onChange={(ranges) => change("widget.blockedRanges", ranges)}
      />
    </FaultForm>
  );
}

interface NumberProps {
  name: string;
  label: string;
  hint: string;
  value: number | null;
  onChange: (name: string, value: number | null) => void;
}

/** A whole number, or nothing at all. */
function NumberField({ name, value, onChange, ...props }: NumberProps) {
  const read = (text: string) => {
    if (/^\d{0,12}$/.test(text)) onChange(name, text === "" ? null : Number(text));
  };
  return <Field {...props} name={`settings.${name}`} inputMode="numeric" value={value === null ? "" : String(value)} onChange={read} />;
}

function Present({ draft: { values } }: Pick<Props, "draft">) {
  const { t, locale } = useTexts();
  const show = (value: unknown) => {
    if (typeof value === "number") return new Intl.NumberFormat(locale).format(value);
    return Array.isArray(value) ? value.join(", ") || t("embed.nobody") : String(value ?? t("embed.unlimited"));
  };
  const names = Object.keys(labels).filter((name) => name !== "allowedDomains");
  return (
    <dl className={styles.change}>
      {names.map((name) => (
        <Fragment key={name}>
          <dt>{t(labels[name]!)}</dt>
          <dd dir="auto">{show(values[name])}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
