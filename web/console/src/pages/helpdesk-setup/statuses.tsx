import { useState } from "react";
import { addStatus, archiveStatus, changeStatus, makeStatusDefault, useSetupChange } from "../../api/helpdesk-setup";
import { useMay } from "../../api/session";
import { categories, useStatuses, type Category, type TicketStatus } from "../../api/tickets";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions, Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { StatusLabel } from "../tickets/labels";
import { categoryKey } from "../tickets/names";
import { useAttempt } from "./attempt";
import styles from "./setup.module.css";

/** The statuses by their categories. One that is out of use is not shown. */
export function Statuses({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const mayWrite = useMay("helpdesk:write");
  const statuses = useStatuses(agentId);
  const [asked, setAsked] = useState<TicketStatus | "new" | null>(null);
  const { error, attempt } = useAttempt(agentId);
  const inUse = statuses.data?.filter(({ archivedAt }) => !archivedAt) ?? [];
  const close = () => setAsked(null);
  const run = (act: string, status: TicketStatus) => {
    if (act === "change") setAsked(status);
    else void attempt(() => (act === "default" ? makeStatusDefault : archiveStatus)(agentId, status.statusId));
  };
  return (
    <div className={styles.part}>
      <p className={styles.intro}>{t("tickets.setup.statusIntro")}</p>
      {mayWrite && (
        <div>
          <Button icon="plus" onPress={() => setAsked("new")}>
            {t("tickets.setup.addStatus")}
          </Button>
        </div>
      )}
      {error !== null && <Failed error={error} />}
      {statuses.isPending && <Loading rows={6} />}
      {statuses.isError && !statuses.data && <Failed error={statuses.error} onRetry={() => void statuses.refetch()} />}
      {inUse.length > 0 && (
        <ul className={styles.rows} aria-label={t("tickets.setup.part.statuses")}>
          {inUse.map((status) => (
            <StatusRow key={status.statusId} status={status} mayWrite={mayWrite} onAction={(act) => run(act, status)} />
          ))}
        </ul>
      )}
      <Dialog title={t(asked === "new" ? "tickets.setup.addStatus" : "tickets.setup.changeStatus")} isOpen={asked !== null} onClose={close}>
        <StatusForm agentId={agentId} status={asked === "new" ? null : asked} onClose={close} />
      </Dialog>
    </div>
  );
}

interface RowProps {
  status: TicketStatus;
  mayWrite: boolean;
  onAction: (act: string) => void;
}

function StatusRow({ status: { label, externalLabel, category, color = "", default: isDefault }, mayWrite, onAction }: RowProps) {
  const { t } = useTexts();
  const actions: MenuAction[] = [
    { id: "change", icon: "pencil", name: t("tickets.setup.change") },
    ...(isDefault
      ? []
      : [
          { id: "default", icon: "check", name: t("tickets.setup.makeDefault") } as const,
          { id: "archive", icon: "x", name: t("tickets.setup.archive") } as const,
        ]),
  ];
  return (
    <li className={styles.row}>
      <div className={styles.facts}>
        <StatusLabel category={category} label={label} />
        <p className={styles.detail}>
          <Facts>
            {t(categoryKey(category))}
            {t("tickets.setup.customersRead", { label: externalLabel })}
            {isDefault && t("tickets.setup.default")}
            {color ? <code dir="ltr">{color}</code> : null}
          </Facts>
        </p>
      </div>
      {mayWrite && (
        <MenuButton isIcon icon="ellipsis" label={t("tickets.setup.more", { name: label })} actions={actions} onAction={onAction} />
      )}
    </li>
  );
}

function StatusForm({ agentId, status, onClose }: { agentId: string; status: TicketStatus | null; onClose: () => void }) {
  const { t } = useTexts();
  const refresh = useSetupChange(agentId);
  const [category, setCategory] = useState<Category>("on_you");
  const send = async ({ label = "", externalLabel = "", color = "" }: Record<string, string>) => {
    const values = { label, externalLabel: externalLabel || label, color };
    await (status ? changeStatus(agentId, status.statusId, values) : addStatus(agentId, category, values));
    onClose();
    await refresh();
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          {!status && (
            <Choice
              label={t("tickets.setup.category")}
              value={category}
              options={categories.map((id) => ({ id, name: t(categoryKey(id)) }))}
              onChange={setCategory}
            />
          )}
          <Field name="label" label={t("tickets.setup.label")} defaultValue={status?.label ?? ""} isRequired autoFocus />
          <Field
            name="externalLabel"
            label={t("tickets.setup.externalLabel")}
            hint={t("tickets.setup.externalHint")}
            defaultValue={status?.externalLabel ?? ""}
          />
          <Field name="color" label={t("tickets.setup.color")} hint={t("tickets.setup.colorHint")} defaultValue={status?.color ?? ""} isCode />
          <Actions>
            <Button onPress={onClose}>{t("dialog.cancel")}</Button>
            <Button kind="primary" type="submit" isPending={isPending}>
              {t("tickets.setup.save")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}
