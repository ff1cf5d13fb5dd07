import { Input, SearchField } from "react-aria-components";
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { useAllAgents } from "../../api/agents";
import { nobody, type Team } from "../../api/tickets";
import { Choice } from "../../components/choice";
import { Icon } from "../../components/icon";
import { useSearchText } from "../../components/search-text";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { sorts, views, type TicketFilter, type View } from "./filter";
import field from "../../components/field.module.css";
import styles from "./tickets.module.css";

interface Props {
  /** The only agent; empty for all of them. */
  agentId: string;
  filter: TicketFilter;
  change: (part: Partial<TicketFilter>) => void;
  teams: readonly Team[];
  /** Whether the categories are columns, and so nothing to choose. */
  isBoard: boolean;
}

const all = "all"; // an option may not be empty

/** Words, or else the view, the team and the order. */
export function TicketFilters({ agentId, filter, change, teams, isBoard }: Props) {
  const { t } = useTexts();
  const [words, setWords] = useSearchText(filter.words, (words) => change({ words }));
  const ofTeams = teams.map(({ teamId, name }) => ({ id: teamId, name: showName(name, t) }));
  const shownViews: readonly View[] = isBoard ? boardViews : views;
  const view = shownViews.find((one) => one === filter.view) ?? "open";
  return (
    <div className={styles.filters} role="search">
      <AgentChoice agentId={agentId} />
      {!isBoard && (
        <SearchField aria-label={t("tickets.search")} value={words} onChange={setWords} className={styles.search!}>
          <Icon name="search" />
          <Input className={field.input!} placeholder={t("tickets.search")} />
        </SearchField>
      )}
      {(isBoard || !filter.words) && (
        <>
          <Choice
            label={t("tickets.view")}
            value={view}
            options={shownViews.map((id) => ({ id, name: t(isBoard && id === "open" ? "tickets.view.all" : `tickets.view.${id}`) }))}
            onChange={(view) => change({ view })}
          />
          {agentId && (
            <Choice
              label={t("tickets.team")}
              value={filter.team || all}
              options={[{ id: all, name: t("tickets.allTeams") }, { id: nobody, name: t("tickets.noTeam") }, ...ofTeams]}
              onChange={(team) => change({ team: team === all ? "" : team })}
            />
          )}
          {view !== "overdue" && (
            <Choice
              label={t("tickets.sort")}
              value={filter.sort}
              options={sorts.map((id) => ({ id, name: t(`tickets.sort.${id}`) }))}
              onChange={(sort) => change({ sort })}
            />
          )}
        </>
      )}
    </div>
  );
}

const boardViews: readonly View[] = ["open", "mine", "unassigned", "overdue"];

/** Whose tickets are shown, where there are several agents. Words, the view and the order stay; a team is one agent's. */
function AgentChoice({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const [query] = useAddressParams();
  const agents = useAllAgents(true).data ?? [];
  if (agents.length < 2 && agentId) return null;
  const choose = (id: string) => {
    const kept = new URLSearchParams([...query].filter(([name]) => name !== "team"));
    navigate(`${id === all ? "/tickets" : `/agents/${id}/tickets`}${kept.size > 0 ? `?${kept}` : ""}`);
  };
  return (
    <Choice
      label={t("inbox.agent")}
      value={agentId || all}
      options={[{ id: all, name: t("inbox.allAgents") }, ...agents.map(({ id, name }) => ({ id, name: showName(name, t) }))]}
      onChange={choose}
    />
  );
}
