import { useState } from "react";
import { addRule, conditionFields, operators, replaceRule, useSetupChange, type Condition, type NewRule, type Rule } from "../../api/helpdesk-setup";
import { nobody, usePeople, useTeams } from "../../api/tickets";
import { Button, IconButton } from "../../components/button";
import { Choice } from "../../components/choice";
import { Actions } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import styles from "./setup.module.css";

interface Row {
  group: "all" | "any";
  field: (typeof conditionFields)[number];
  op: (typeof operators)[number];
  /** One or several, parted by "|". */
  values: string;
}

const newRow: Row = { group: "all", field: "subject", op: "contains", values: "" };

const conditionsOf = (rows: readonly Row[], group: Row["group"]): Condition[] =>
  rows.filter((row) => row.group === group).map(({ field, op, values }) => ({ field, op, values: splitValues(values) }));

const splitValues = (text: string) => text.split("|").map((one) => one.trim()).filter((one) => one !== "");

/** A condition as a row of the form. What the console does not know has the first field or operator. */
const rowOf = (group: Row["group"]) => ({ field, op, values }: Condition): Row => ({
  group,
  field: conditionFields.find((one) => one === field) ?? "subject",
  op: operators.find((one) => one === op) ?? "is",
  values: values.join(" | "),
});

const rowsOfRule = ({ all, any }: Rule): Row[] => [...all.map(rowOf("all")), ...any.map(rowOf("any"))];

/** Adds a rule behind the others, or changes one. */
export function RuleForm({ agentId, rule, onClose }: { agentId: string; rule: Rule | null; onClose: () => void }) {
  const { t } = useTexts();
  const refresh = useSetupChange(agentId);
  const { data: teams = [] } = useTeams(agentId);
  const { people } = usePeople(agentId);
  const [rows, setRows] = useState<readonly Row[]>(rule ? rowsOfRule(rule) : [newRow]);
  const [team, setTeam] = useState<string>(rule?.teamId || nobody);
  const [assignee, setAssignee] = useState<string>(rule?.assigneeId || nobody);
  const send = async ({ name = "" }: Record<string, string>) => {
    // A rule names a team or a member: with neither it is the default team.
    const named = team !== nobody ? team : assignee === nobody ? teams.find((one) => one.default)?.teamId : undefined;
    const values: NewRule = {
      name,
      all: conditionsOf(rows, "all"),
      any: conditionsOf(rows, "any"),
      ...(named && { team: named }),
      ...(assignee !== nobody && { assignee }),
    };
    await (rule ? replaceRule(agentId, rule.key, values) : addRule(agentId, values));
    onClose();
    await refresh();
  };
  const replace = (at: number, part: Partial<Row>) => setRows(rows.map((row, i) => (i === at ? { ...row, ...part } : row)));
  const ofTeams = teams.map((one) => ({ id: one.teamId, name: showName(one.name, t) }));
  const ofPeople = people.map(({ id, name }) => ({ id, name: showName(name, t) }));
  return (
    <Form onSubmit={send}>
      {(isPending) => (
        <>
          <Field name="name" label={t("tickets.setup.ruleName")} defaultValue={rule?.name ?? ""} isRequired autoFocus />
          {rows.map((row, i) => (
            <ConditionRow
              key={i}
              row={row}
              number={i + 1}
              onChange={(part) => replace(i, part)}
              onRemove={() => setRows(rows.filter((_, other) => other !== i))}
            />
          ))}
          <div>
            <Button icon="plus" onPress={() => setRows([...rows, newRow])}>
              {t("tickets.setup.addCondition")}
            </Button>
          </div>
          <Choice
            label={t("tickets.team")}
            value={team}
            options={[{ id: nobody, name: t("tickets.setup.asBefore") }, ...ofTeams]}
            onChange={setTeam}
          />
          <Choice
            label={t("tickets.assignee")}
            value={assignee}
            options={[{ id: nobody, name: t("tickets.setup.byStrategy") }, ...ofPeople]}
            onChange={setAssignee}
          />
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

interface RowProps {
  row: Row;
  number: number;
  onChange: (part: Partial<Row>) => void;
  onRemove: () => void;
}

function ConditionRow({ row, number, onChange, onRemove }: RowProps) {
  const { t } = useTexts();
  return (
    <div className={styles.condition} role="group" aria-label={t("tickets.setup.conditionNumber", { number })}>
      <Choice
        label={t("tickets.setup.group")}
        value={row.group}
        options={[
          { id: "all", name: t("tickets.setup.must") },
          { id: "any", name: t("tickets.setup.oneOf") },
        ]}
        onChange={(group) => onChange({ group })}
      />
      <Choice
        label={t("tickets.setup.looksAt")}
        value={row.field}
        options={conditionFields.map((id) => ({ id, name: t(`tickets.setup.field.${id}`) }))}
        onChange={(field) => onChange({ field })}
      />
      <Choice
        label={t("tickets.setup.operator")}
        value={row.op}
        options={operators.map((id) => ({ id, name: t(`tickets.setup.op.${id}`) }))}
        onChange={(op) => onChange({ op })}
      />
      <Field
        label={t("tickets.setup.values")}
        hint={t("tickets.setup.valuesHint")}
        value={row.values}
        onChange={(values) => onChange({ values })}
        isRequired
      />
      <IconButton icon="trash" label={t("tickets.setup.removeCondition", { number })} onPress={onRemove} />
    </div>
  );
}
