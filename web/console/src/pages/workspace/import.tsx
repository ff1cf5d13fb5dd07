// Making a company of an archive that another server, or this one, has exported.
import { useState } from "react";
import { FileTrigger } from "react-aria-components";
import { APIError } from "../../api/client";
import { importAccount, type Imported, type ImportProgress } from "../../api/import";
import { Button } from "../../components/button";
import { Section } from "../../components/page";
import { Progress } from "../../components/progress";
import { describe, Failed } from "../../components/states";
import { useTexts, type Key } from "../../i18n";
import styles from "./workspace.module.css";

export function Import({ maxBytes }: { maxBytes: number }) {
  const { t } = useTexts();
  const [progress, setProgress] = useState<ImportProgress | null>(null); // null while nothing is imported
  const [file, setFile] = useState<File | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [done, setDone] = useState<Imported | null>(null);
  const run = async (chosen: File, newIDs: boolean) => {
    setFile(chosen);
    setError(null);
    setDone(null);
    setProgress({ step: "send", share: null });
    try {
      if (chosen.size > maxBytes) throw new APIError(413, "REQUEST_TOO_LARGE", "", null); // the server would hang up
      setDone(await importAccount(chosen, newIDs, setProgress));
    } catch (thrown) {
      setError(thrown);
    }
    setProgress(null);
  };
  return (
    <Section title={t("company.import")}>
      <p className={styles.detail}>
        {t("company.importText")}{" "}
        <a href="/docs/manual/moving-accounts" target="_blank" rel="noopener">
          {t("company.exportHow")}
        </a>
      </p>
      {error !== null && <Failure error={error} />}
      {done && <Result imported={done} />}
      {progress && <Progress label={t(steps[progress.step])} share={progress.share} />}
      <div className={styles.buttons}>
        <FileTrigger acceptedFileTypes={[".zip"]} onSelect={(list) => list?.[0] && void run(list[0], false)}>
          <Button icon="upload" isPending={progress !== null}>
            {t("company.importChoose")}
          </Button>
        </FileTrigger>
        {file && isTaken(error) && <Button onPress={() => void run(file, true)}>{t("company.importCopy")}</Button>}
        <p role="status" className={styles.detail}>
          {progress ? t(steps[progress.step]) : ""}
        </p>
      </div>
    </Section>
  );
}

const steps: Readonly<Record<ImportProgress["step"], Key>> = {
  send: "company.importSending",
  check: "company.importChecking",
  "check files": "company.importChecking",
  files: "company.importWriting",
  import: "company.importWriting",
};

const isTaken = (error: unknown) => error instanceof APIError && error.code === "RESOURCE_ALREADY_EXISTS";

const reasons: Readonly<Record<string, Key>> = {
  RESOURCE_ALREADY_EXISTS: "company.importTaken",
  VALIDATION_INVALID_BODY: "company.importRefused",
  REQUEST_TOO_LARGE: "company.importLarge",
  NO_ANSWER: "company.importCut",
};

/** Says why nothing was imported, and what the server says of it, in English, where that tells more. */
function Failure({ error }: { error: unknown }) {
  const { t } = useTexts();
  const reason = error instanceof APIError ? reasons[error.code] : undefined;
  if (!reason) return <Failed error={error} text={`${t("company.importNothing")} ${describe(error, t)}`} />;
  return (
    <>
      <Failed error={error} text={`${t("company.importNothing")} ${t(reason)}`} />
      {(error as APIError).message && (
        <p className={styles.detail} lang="en" dir="ltr">
          {(error as APIError).message}
        </p>
      )}
    </>
  );
}

function Result({ imported }: { imported: Imported }) {
  const { t } = useTexts();
  const { accountId, name, agents, messages, files, missing, unknownPlan } = imported;
  return (
    <div className={styles.facts} role="status">
      <p>
        {t("company.importDone", { name: name || accountId })}{" "}
        <a href={`/console/a/${encodeURIComponent(accountId)}`}>{t("company.importOpen")}</a>
      </p>
      <p className={styles.detail}>{t("company.importCounts", { agents, messages, files })}</p>
      {missing.length > 0 && <p className={styles.detail}>{t("company.importMissing", { files: missing.length })}</p>}
      {unknownPlan && <p>{t("company.importPlan", { plan: unknownPlan })}</p>}
    </div>
  );
}
