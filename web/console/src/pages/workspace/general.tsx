// The company itself: its name, what viewers see, and what it has promised.
import { useState } from "react";
import { Link } from "react-aria-components";
import { APIError } from "../../api/client";
import { exportAccount, useAccount, useAccountDraft, type Account } from "../../api/account";
import { useMay } from "../../api/session";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { download, fileNameOf } from "../../components/download";
import { FaultForm } from "../../components/fault-form";
import { Field } from "../../components/field";
import { Page, Section } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { Toggle } from "../../components/toggle";
import { UnsavedBar } from "../../components/unsaved";
import { ZoneField } from "../../components/zone-field";
import { formatSize, useTexts } from "../../i18n";
import { Import } from "./import";
import styles from "./workspace.module.css";

export default function GeneralPage() {
  const { t } = useTexts();
  const account = useAccount();
  const draft = useAccountDraft(account.data);
  const mayChange = useMay("accounts:write");
  const faults = draft.error instanceof APIError ? (draft.error.details as Record<string, string>) : {};
  return (
    <Page title={t("company.title")} width="narrow" actions={draft.isSaved && <p role="status">{t("settings.saved")}</p>}>
      <RoleNote needs="accounts:write" note="role.company" />
      {draft.error !== null && <Failed error={draft.error} />}
      {account.isPending && <Loading rows={4} />}
      {account.isError && !account.data && <Failed error={account.error} onRetry={() => void account.refetch()} />}
      {account.data && (
        <FaultForm className={styles.form!} said={faults} onSubmit={(event) => event.preventDefault()}>
          <Settings account={account.data} values={draft.values as unknown as Account} change={draft.change} isReadOnly={!mayChange} />
        </FaultForm>
      )}
      {account.data && mayChange && <Export name={account.data.name} />}
      {account.data && account.data.importBytes > 0 && mayChange && <Import maxBytes={account.data.importBytes} />}
      <UnsavedBar count={draft.count} isSaving={draft.isSaving} onDiscard={draft.discard} onSave={draft.save} />
    </Page>
  );
}

interface Props {
  account: Account;
  values: Account;
  change: (name: string, value: unknown) => void;
  isReadOnly: boolean;
}

function Settings({ account, values, change, isReadOnly }: Props) {
  const { t } = useTexts();
  const mayChoose = !isReadOnly && account.plans.length > 0; // the operator's where there are several companies
  return (
    <>
      <Section title={t("company.about")}>
        <Field
          name="name"
          label={t("company.name")}
          hint={t("company.nameHint")}
          value={values.name}
          onChange={(name) => change("name", name)}
          isReadOnly={isReadOnly}
        />
        <ZoneField
          name="timeZone"
          label={t("mails.zone")}
          hint={t("mails.zoneHint")}
          value={values.timeZone}
          onChange={(zone) => change("timeZone", zone)}
          isReadOnly={isReadOnly}
        />
        <Field label={t("company.id")} hint={t("company.idHint")} value={account.accountId} isReadOnly isCode />
        {mayChoose && (
          <Choice
            label={t("company.choosePlan")}
            value={values.plan}
            options={account.plans.map((plan) => ({ id: plan, name: plan }))}
            onChange={(plan) => change("plan", plan)}
          />
        )}
        <p className={styles.detail}>
          {t("company.plan", { plan: account.plan })} <Link href="/workspace/usage">{t("usage.title")}</Link>
        </p>
      </Section>
      <Section title={t("company.privacy")}>
        <div className={styles.facts}>
          <Toggle
            isSelected={values.viewersSeePersonalData}
            onChange={(isOn) => change("viewersSeePersonalData", isOn)}
            isDisabled={isReadOnly}
          >
            {t("company.viewersSee")}
          </Toggle>
          <p className={styles.detail}>{t("company.viewersSeeHint")}</p>
        </div>
        <div className={styles.facts}>
          <Toggle isSelected={values.hipaa} onChange={(isOn) => change("hipaa", isOn)} isDisabled={isReadOnly}>
            {t("company.hipaa")}
          </Toggle>
          <p className={styles.detail}>{t("company.hipaaHint")}</p>
        </div>
      </Section>
    </>
  );
}

/** Saves everything of the company as one file. */
function Export({ name }: { name: string }) {
  const { t, locale } = useTexts();
  const [received, setReceived] = useState<number | null>(null); // bytes; null while nothing is exported
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setError(null);
    setReceived(0);
    try {
      download(await exportAccount(setReceived), `${fileNameOf(name, "archive")}.zip`);
    } catch (thrown) {
      setError(thrown);
    }
    setReceived(null);
  };
  return (
    <Section title={t("company.export")}>
      <p className={styles.detail}>
        {t("company.exportText")}{" "}
        <a href="/docs/manual/moving-accounts" target="_blank" rel="noopener">
          {t("company.exportHow")}
        </a>
      </p>
      {error !== null && <Failed error={error} />}
      <div className={styles.buttons}>
        <Button icon="download" isPending={received !== null} onPress={() => void save()}>
          {t("company.exportAll")}
        </Button>
        <p role="status" className={styles.detail}>
          {received ? t("company.exportReceived", { size: formatSize(received, locale) }) : ""}
        </p>
      </div>
    </Section>
  );
}
