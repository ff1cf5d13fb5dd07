import { conditionFields, operators, type Condition } from "../../api/helpdesk-setup";
import type { Texts } from "../../i18n";

/** A condition as it is read. A field or an operator that the console does not know is shown as it is. */
export function describeCondition({ field, op, values }: Condition, t: Texts["t"]): string {
  return t("tickets.setup.condition", { field: nameField(field, t), op: nameOperator(op, t), values: values.join(" | ") });
}

function nameField(field: string, t: Texts["t"]): string {
  const known = conditionFields.find((one) => one === field);
  return known ? t(`tickets.setup.field.${known}`) : field;
}

function nameOperator(op: string, t: Texts["t"]): string {
  const known = operators.find((one) => one === op);
  return known ? t(`tickets.setup.op.${known}`) : op;
}
