import { useState } from "react";
import { changeTicket, nobody, priorities, useTicketsChange, type TicketChange, type TicketRow } from "../../api/tickets";
import { Button } from "../../components/button";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { Partial } from "../../components/states";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { runEach, type Failure } from "../sources/bulk";
import { useStatusTargets } from "./labels";
import { titleOf } from "./list";
import { priorityKey, type Names } from "./names";
import styles from "./tickets.module.css";

/** What has failed of the last change of several tickets, and what changes several. */
export function useBulkChange(agentId: string) {
  const refresh = useTicketsChange();
  const [failed, setFailed] = useState<{ change: TicketChange; failures: readonly Failure<TicketRow>[] }>({ change: {}, failures: [] });
  const [isPending, setPending] = useState(false);
  const run = async (rows: readonly TicketRow[], change: TicketChange) => {
    setPending(true);
    const failures = await runEach(rows, (row) => changeTicket(row.agentId ?? agentId, row.ticketNumber, change));
    setFailed({ change, failures });
    await refresh();
    setPending(false);
    return failures;
  };
  const retry = () => run(failed.failures.map(({ item }) => item), failed.change);
  return { ...failed, isPending, run, retry };
}

export type BulkChange = ReturnType<typeof useBulkChange>;

/** Names the tickets that could not be changed, each with its reason. */
export function BulkFailures({ bulk: { failures, retry } }: { bulk: BulkChange }) {
  const { t } = useTexts();
  return (
    <Partial
      count={failures.length}
      text={t("tickets.notChanged", { count: failures.length })}
      failures={failures.map(({ item, error }) => ({ name: titleOf(item, t), error }))}
      onRetry={() => void retry()}
    />
  );
}

interface Props {
  picked: readonly TicketRow[];
  names: Names;
  bulk: BulkChange;
  onClear: () => void;
}

/** Changes all chosen tickets at once. */
export function BulkBar({ picked, names, bulk, onClear }: Props) {
  const { t } = useTexts();
  const isOfAll = picked.some(({ agentName }) => agentName);
  const statuses = useStatusTargets(names, isOfAll);
  if (picked.length === 0) return null;
  const change = (change: TicketChange) => void bulk.run(picked, change).then((failures) => failures.length === 0 && onClear());
  const people = names.people.map(({ id, name }): MenuAction => ({ id, icon: "user", name: showName(name, t) }));
  const teams = names.teams.map(({ teamId, name }): MenuAction => ({ id: teamId, icon: "users", name }));
  const count = t("tickets.chosen", { count: picked.length });
  return (
    <div className={styles.bulk} role="region" aria-label={count}>
      <p role="status">{bulk.isPending ? t("tickets.changing") : count}</p>
      <Button kind="quiet" onPress={onClear}>
        {t("tickets.chooseNone")}
      </Button>
      <MenuButton
        icon="circle-dashed"
        label={t("tickets.status")}
        actions={statuses}
        onAction={(status) => change(statuses.find(({ id }) => id === status)!.change)}
      />
      <MenuButton
        icon="user"
        label={t("tickets.assignee")}
        actions={[{ id: nobody, icon: "x", name: t("tickets.nobody") }, ...people]}
        onAction={(assignee) => change({ assignee })}
      />
      {!isOfAll && (
        <MenuButton
          icon="users"
          label={t("tickets.team")}
          actions={[{ id: nobody, icon: "x", name: t("tickets.noTeam") }, ...teams]}
          onAction={(team) => change({ team })}
        />
      )}
      <MenuButton
        icon="triangle-alert"
        label={t("tickets.priority")}
        actions={priorities.map((id) => ({ id, icon: "circle-dashed" as const, name: t(priorityKey(id)) }))}
        onAction={(priority) => change({ priority })}
      />
    </div>
  );
}
