// On which sites the chat is shown.
import { useState } from "react";
import { Form } from "react-aria-components";
import { checkDomain, type DomainVerdict } from "../../api/embed";
import type { useSettingsDraft } from "../../api/settings";
import { Button } from "../../components/button";
import type { Said } from "../../components/fault";
import { FaultForm } from "../../components/fault-form";
import { Field } from "../../components/field";
import { Section } from "../../components/page";
import { Failed } from "../../components/states";
import { useTexts, type Key } from "../../i18n";
import { Lines } from "../looks/rows";
import { Verdict } from "./verdict";
import styles from "./embed.module.css";

const read = (text: string): string[] | null => {
  const found = text.split(/[\s,]+/).filter(Boolean);
  return found.length > 0 ? found : null;
};
const write = (domains: readonly string[] | null) => (domains ?? []).join("\n");

interface Props {
  id: string;
  draft: ReturnType<typeof useSettingsDraft>;
  mayChange: boolean;
  /** By the names of fields, as the server has found them. */
  faults: Said;
}

export function Domains({ id, draft, mayChange, faults }: Props) {
  const { t } = useTexts();
  const value = (draft.values.allowedDomains ?? null) as string[] | null;
  return (
    <Section title={t("embed.domains")}>
      {mayChange ? (
        <FaultForm said={faults} onSubmit={(event) => event.preventDefault()}>
          <Lines
            name="settings.allowedDomains"
            label={t("embed.domainsLabel")}
            hint={t("embed.domainsHint")}
            value={value}
            split={read}
            join={write}
            onChange={(domains) => draft.change("allowedDomains", domains)}
          />
        </FaultForm>
      ) : (
        <p dir="ltr" className={styles.lines}>
          {value ? write(value) : t("embed.everywhere")}
        </p>
      )}
      {mayChange && <Check id={id} isChanged={draft.count > 0} />}
    </Section>
  );
}

const refusals: Readonly<Record<string, Key>> = { no_address: "embed.noAddress", private: "embed.private" };

const example = "https://shop.example/help";

function Check({ id, isChanged }: { id: string; isChanged: boolean }) {
  const { t } = useTexts();
  const [page, setPage] = useState("");
  const [verdict, setVerdict] = useState<{ page: string; said: DomainVerdict } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const check = () => {
    setError(null);
    checkDomain(id, page).then((said) => setVerdict({ page, said }), setError);
  };
  return (
    <Form
      className={styles.check!}
      onSubmit={(event) => {
        event.preventDefault();
        if (page.trim()) check();
      }}
    >
      <Field
        name="address"
        label={t("embed.domainCheck")}
        hint={isChanged ? t("embed.domainUnsaved") : undefined}
        placeholder={example}
        value={page}
        onChange={setPage}
      />
      <div>
        <Button type="submit">{t("embed.check")}</Button>
      </div>
      {error !== null && <Failed error={error} />}
      {verdict?.page === page && (
        <Verdict isGood={verdict.said.isAllowed}>
          {t(verdict.said.isAllowed ? "embed.domainAllowed" : (refusals[verdict.said.reason] ?? "embed.domainRefused"))}
        </Verdict>
      )}
    </Form>
  );
}
