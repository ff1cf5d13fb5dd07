import { useState } from "react";
import { APIError } from "../../api/client";
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

/** Hours with two decimals at most, from which inMinutes has each minute back. */
const inHours = (minutes = 0) => (minutes > 0 ? String(Math.round((minutes / 60) * 100) / 100) : "");
const inMinutes = (hours: string) => Math.round(Number(hours.replace(",", ".")) * 60);

/** The name of a field, by which the server names it, too. */
const nameOf = (index: number, kind: (typeof kinds)[number]) => `targets.${index}.${kind}`;

/** The targets that a form holds, each priority by itself; what is empty is no target. */
const targetsOf = (values: Readonly<Record<string, string>>): Target[] =>
  priorities.map((priority, index) => ({
    priority,
    firstReplyMinutes: inMinutes(values[nameOf(index, "firstReplyMinutes")] ?? ""),
    resolutionMinutes: inMinutes(values[nameOf(index, "resolutionMinutes")] ?? ""),
  }));

/** Returns a refusal with its limits, which are minutes, in the hours of the form. */
function convertLimits({ status, code, message, requestId, details, wait }: APIError): APIError {
  const faults = Object.entries(details).map(([field, fault]) => {
    const limit = /^must be from 0 to (\d+)$/.exec(String(fault));
    return [field, limit ? `must be from 0 to ${inHours(Number(limit[1]))}` : fault];
  });
  return new APIError(status, code, message, requestId, Object.fromEntries(faults) as Record<string, unknown>, wait);
}

function TargetForm({ agentId, targets, mayWrite }: { agentId: string; targets: readonly Target[]; mayWrite: boolean }) {
  const { t } = useTexts();
  const refresh = useSetupChange(agentId);
  const [isSaved, setSaved] = useState(false);
  const send = async (values: Record<string, string>) => {
    setSaved(false);
    try {
      await replaceTargets(agentId, targetsOf(values));
    } catch (thrown) {
      throw thrown instanceof APIError ? convertLimits(thrown) : thrown;
    }
    await refresh();
    setSaved(true);
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          {priorities.map((priority, index) => (
            <TargetRow
              key={priority}
              index={index}
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

interface RowProps {
  index: number;
  priority: Priority;
  target: Target | undefined;
  isReadOnly: boolean;
}

function TargetRow({ index, priority, target, isReadOnly }: RowProps) {
  const { t } = useTexts();
  return (
    <fieldset className={styles.target}>
      <legend>{t("tickets.setup.targetOf", { priority: t(priorityKey(priority)) })}</legend>
      {kinds.map((kind) => (
        <Field
          key={kind}
          name={nameOf(index, kind)}
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
