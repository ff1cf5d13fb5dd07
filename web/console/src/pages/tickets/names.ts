// What statuses, priorities, teams and people are called.
import { nobody, usePeople, useStatuses, useTeams } from "../../api/tickets";
import { useTexts, type Key } from "../../i18n";
import { showName } from "../../names";

export const categoryKey = (category: string) => `tickets.category.${category}` as Key;
export const priorityKey = (priority: string) => `tickets.priority.${priority}` as Key;

const unread = "…"; // stands for a name until it is read

/** The names behind the ids of an agent's statuses, teams and members. Without an agent nothing is read. */
export function useNames(agentId: string) {
  const { t } = useTexts();
  const { data: statuses = [] } = useStatuses(agentId);
  const { data: teams = [], isLoading } = useTeams(agentId);
  const { people, isLoading: arePeopleRead } = usePeople(agentId);
  return {
    status: (id: string, category?: string) =>
      statuses.find(({ statusId }) => statusId === id)?.label ?? (category ? t(categoryKey(category)) : unread),
    team: (id: string | null | undefined) => {
      if (!id || id === nobody) return t("tickets.noTeam");
      const known = teams.find(({ teamId }) => teamId === id);
      return known ? showName(known.name, t) : isLoading ? unread : t("tickets.otherTeam");
    },
    person: (id: string | null | undefined) => {
      if (!id || id === nobody) return t("tickets.nobody");
      const known = people.find((one) => one.id === id);
      return known ? showName(known.name, t) : arePeopleRead ? unread : t("tickets.somebody");
    },
    statuses: statuses.filter(({ archivedAt }) => !archivedAt),
    teams,
    people,
  };
}

export type Names = ReturnType<typeof useNames>;
