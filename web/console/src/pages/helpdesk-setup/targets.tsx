import { useState } from "react";
import { replaceTargets, useSetupChange, useTargets, type Target } from "../../api/helpdesk-setup";
import { useMay } from "../../api/session";
import { priorities, type Priority } from "../../api/tickets";
import { Button } from "../../components/button";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { priorityKey } from "../tickets/names";
import styles from "./setup.module.css";

/** Within how many working hours the tickets of each priority are to be replied to and resolved. */
export function Targets({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const mayWrite = useMay("helpdesk:write");
  const targets = useTargets(agentId);
  return (
    <div className={styles.part}>
      <p className={styles.intro}>{t("tickets.setup.targetIntro")}</p>
      {targets.isPending && <Loading rows={5} />}
      {targets.isError && !targets.data && <Failed error={targets.error} onRetry={() => void targets.refetch()} />}
      {targets.data && <TargetForm key={agentId} agentId={agentId} targets={targets.data} mayWrite={mayWrite} />}
    </div>
  );
}

const kinds = ["firstReplyMinutes", "resolutionMinutes"] as const;

const inHours = (minutes = 0) => (minutes > 0 ? String(minutes / 60) : "");
const inMinutes = (hours: string) => Math.round(Number(hours.replace(",", ".")) * 60);

/** The targets that a form holds, each priority by itself; what is empty is no target. */
const targetsOf = (values: Readonly<Record<string, string>>): Target[] =>
  priorities.map((priority) => ({
    priority,
    firstReplyMinutes: inMinutes(values[`${priority}.firstReplyMinutes`] ?? ""),
    resolutionMinutes: inMinutes(values[`${priority}.resolutionMinutes`] ?? ""),
  }));

function TargetForm({ agentId, targets, mayWrite }: { agentId: string; targets: readonly Target[]; mayWrite: boolean }) {
  const { t } = useTexts();
  const refresh = useSetupChange(agentId);
  const [isSaved, setSaved] = useState(false);
  const send = async (values: Record<string, string>) => {
    setSaved(false);
    await replaceTargets(agentId, targetsOf(values));
    await refresh();
    setSaved(true);
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          {priorities.map((priority) => (
            <TargetRow
              key={priority}
              priority={priority}
              target={targets.find((one) => one.priority === priority)}
              isReadOnly={!mayWrite}
            />
          ))}
          {mayWrite && (
            <div>
              <Button kind="primary" type="submit" isPending={isPending}>
                {t("tickets.setup.save")}
              </Button>
            </div>
          )}
          <p role="status" className={styles.detail}>
            {isSaved && t("settings.saved")}
          </p>
        </>
      )}
    </Form>
  );
}

function TargetRow({ priority, target, isReadOnly }: { priority: Priority; target: Target | undefined; isReadOnly: boolean }) {
  const { t } = useTexts();
  return (
    <fieldset className={styles.target}>
      <legend>{t("tickets.setup.targetOf", { priority: t(priorityKey(priority)) })}</legend>
      {kinds.map((kind) => (
        <Field
          key={kind}
          name={`${priority}.${kind}`}
          inputMode="decimal"
          pattern="[0-9]+([.,][0-9]+)?"
          label={t(`tickets.setup.target.${kind}`)}
          defaultValue={inHours(target?.[kind])}
          isReadOnly={isReadOnly}
        />
      ))}
    </fieldset>
  );
}
