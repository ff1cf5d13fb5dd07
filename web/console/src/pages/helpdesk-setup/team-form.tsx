import { useState } from "react";
import { addTeam, changeTeam, strategies, useSetupChange, type Shift } from "../../api/helpdesk-setup";
import type { Team } from "../../api/tickets";
import { Button } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { useTexts, type Key } from "../../i18n";
import { ShiftsEditor } from "./shifts";

export const strategyKey = (strategy: string) => `tickets.setup.strategy.${strategy}` as Key;

/** What a team is: a new one, or one that is changed. */
export function TeamForm({ agentId, team, onClose }: { agentId: string; team: Team | null; onClose: () => void }) {
  const { t } = useTexts();
  const refresh = useSetupChange(agentId);
  const [strategy, setStrategy] = useState(team?.strategy ?? "round_robin");
  const [hours, setHours] = useState<readonly Shift[]>(team?.hours ?? []);
  const send = async ({ name = "", maxOpen = "" }: Record<string, string>) => {
    const values = { name, strategy, hours, maxOpen: maxOpen === "" ? null : Number(maxOpen) };
    await (team ? changeTeam(agentId, team.teamId, values) : addTeam(agentId, values));
    onClose();
    await refresh();
  };
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          <Field name="name" label={t("tickets.setup.teamName")} defaultValue={team?.name ?? ""} isRequired autoFocus />
          <Choice
            label={t("tickets.setup.strategy")}
            value={strategy}
            options={strategies.map((id): { id: string; name: string } => ({ id, name: t(strategyKey(id)) }))}
            onChange={setStrategy}
          />
          <Field
            name="maxOpen"
            type="number"
            label={t("tickets.setup.maxOpen")}
            hint={t("tickets.setup.maxOpenHint")}
            defaultValue={String(team?.maxOpen ?? "")}
          />
          <ShiftsEditor shifts={hours} onChange={setHours} />
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
