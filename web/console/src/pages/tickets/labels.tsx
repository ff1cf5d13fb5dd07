// What is said of a ticket in one word: its status, its priority, who has it.
import { categories, nobody, useStatuses, useTeams, usePeople, type Category, type TicketChange, type TicketRow } from "../../api/tickets";
import { Icon } from "../../components/icon";
import { formatDate, formatDuration, relativeTime, useTexts, type Key } from "../../i18n";
import { showName } from "../../names";
import type { IconName } from "../../../../shared/icons";
import styles from "./tickets.module.css";

const categoryIcons: Record<Category, IconName> = {
  new: "inbox",
  on_you: "circle-alert",
  on_customer: "clock",
  on_hold: "square",
  closed: "circle-check",
  cancelled: "x",
};

export const categoryKey = (category: string) => `tickets.category.${category}` as Key;
export const priorityKey = (priority: string) => `tickets.priority.${priority}` as Key;
export const categoryIcon = (category: string): IconName => categoryIcons[category as Category] ?? "circle-dashed";

/** A status: its icon is of the category, its word the team’s own. */
export function StatusLabel({ category, label }: { category: string; label: string }) {
  return (
    <span className={`${styles.status} ${styles[category] ?? ""}`}>
      <Icon name={categoryIcon(category)} size={16} />
      <bdi>{label}</bdi>
    </span>
  );
}

/** A priority that somebody has given; nothing for none. */
export function PriorityLabel({ priority }: { priority: string }) {
  const { t } = useTexts();
  if (priority === "none") return null;
  const isHigh = priority === "high" || priority === "urgent";
  return (
    <span className={`${styles.badge} ${isHigh ? styles.high : ""}`}>
      {isHigh && <Icon name="triangle-alert" size={14} />}
      {t(priorityKey(priority))}
    </span>
  );
}

/** Until when something is due in a ticket, or for how long it is overdue; nothing where nothing is due. */
export function DueLabel({ dueAt }: { dueAt: string | null | undefined }) {
  const { t, locale } = useTexts();
  if (!dueAt) return null;
  const isOverdue = Date.parse(dueAt) <= Date.now();
  const length = formatDuration(dueAt, locale);
  const late = length ? t("tickets.overdueBy", { time: length }) : t("tickets.overdue");
  return (
    <time dateTime={dueAt} title={formatDate(dueAt, locale)} className={`${styles.badge} ${isOverdue ? styles.high : ""}`}>
      <Icon name={isOverdue ? "triangle-alert" : "clock"} size={14} />
      {isOverdue ? late : t("tickets.due", { when: relativeTime(dueAt, locale) })}
    </time>
  );
}

/** The names behind the ids of an agent's statuses, teams and members. */
export function useNames(agentId: string) {
  const { t } = useTexts();
  const { data: statuses = [] } = useStatuses(agentId);
  const { data: teams = [] } = useTeams(agentId);
  const people = usePeople(agentId);
  return {
    status: (id: string, category = "new") => statuses.find(({ statusId }) => statusId === id)?.label ?? t(categoryKey(category)),
    team: (id: string | null | undefined) => {
      if (!id || id === nobody) return t("tickets.noTeam");
      const known = teams.find(({ teamId }) => teamId === id);
      return known ? showName(known.name, t) : t("tickets.otherTeam");
    },
    person: (id: string | null | undefined) => {
      if (!id || id === nobody) return t("tickets.nobody");
      const known = people.find((one) => one.id === id);
      return known ? showName(known.name, t) : t("tickets.somebody");
    },
    statuses: statuses.filter(({ archivedAt }) => !archivedAt),
    teams,
    people,
  };
}

export type Names = ReturnType<typeof useNames>;

/** The label of a ticket's status. */
export const statusOf = ({ status, statusId, statusCategory }: TicketRow, names: Names) => status || names.status(statusId, statusCategory);

/** Who has a ticket. */
export const assigneeOf = ({ assigneeName, assigneeId }: TicketRow, names: Names, t: ReturnType<typeof useTexts>["t"]) =>
  assigneeName ? showName(assigneeName, t) : names.person(assigneeId);

export interface StatusTarget {
  id: string;
  icon: IconName;
  name: string;
  change: TicketChange;
}

/** The statuses that tickets can get. Those of several agents have their categories alone in common. */
export function useStatusTargets(names: Names, isOfAll: boolean): StatusTarget[] {
  const { t } = useTexts();
  if (isOfAll) {
    return categories.map((id) => ({ id, icon: categoryIcon(id), name: t(categoryKey(id)), change: { statusCategory: id } }));
  }
  return names.statuses.map(({ statusId, label, category }) => ({ id: statusId, icon: categoryIcon(category), name: label, change: { status: statusId } }));
}
