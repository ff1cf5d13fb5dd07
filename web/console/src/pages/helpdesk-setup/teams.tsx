import { useState } from "react";
import { changeTeam, joinTeam, leaveTeam, removeTeam } from "../../api/helpdesk-setup";
import { useMembers } from "../../api/members";
import { rowsOf } from "../../api/pages";
import { useMay } from "../../api/session";
import { useTeams, type Team } from "../../api/tickets";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { MenuButton, type MenuAction } from "../../components/menu-button";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { useAttempt } from "./attempt";
import { describeShift } from "./shifts";
import { strategyKey, TeamForm } from "./team-form";
import styles from "./setup.module.css";

type Attempt = ReturnType<typeof useAttempt>["attempt"];

/** The teams with their members and shifts. */
export function Teams({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const mayWrite = useMay("helpdesk:write");
  const teams = useTeams(agentId);
  const [asked, setAsked] = useState<Team | "new" | null>(null);
  const [removing, setRemoving] = useState<Team | null>(null);
  const { error, attempt } = useAttempt(agentId);
  const close = () => setAsked(null);
  const remove = (team: Team) => {
    setRemoving(null);
    void attempt(() => removeTeam(agentId, team.teamId));
  };
  return (
    <div className={styles.part}>
      <p className={styles.intro}>{t("tickets.setup.teamIntro")}</p>
      {mayWrite && (
        <div>
          <Button icon="plus" onPress={() => setAsked("new")}>
            {t("tickets.setup.addTeam")}
          </Button>
        </div>
      )}
      {error !== null && <Failed error={error} />}
      {teams.isPending && <Loading rows={3} />}
      {teams.isError && !teams.data && <Failed error={teams.error} onRetry={() => void teams.refetch()} />}
      {teams.data?.map((team) => (
        <TeamCard
          key={team.teamId}
          agentId={agentId}
          team={team}
          mayWrite={mayWrite}
          attempt={attempt}
          onChange={() => setAsked(team)}
          onRemove={() => setRemoving(team)}
        />
      ))}
      <Dialog title={t(asked === "new" ? "tickets.setup.addTeam" : "tickets.setup.changeTeam")} isOpen={asked !== null} onClose={close}>
        <TeamForm agentId={agentId} team={asked === "new" ? null : asked} onClose={close} />
      </Dialog>
      <Dialog role="alertdialog" title={t("tickets.setup.removeTeam")} isOpen={removing !== null} onClose={() => setRemoving(null)}>
        <p>{t("tickets.setup.removeTeamText", { name: removing ? showName(removing.name, t) : "" })}</p>
        <Actions>
          <Button autoFocus onPress={() => setRemoving(null)}>
            {t("dialog.cancel")}
          </Button>
          <Button kind="danger" onPress={() => removing && remove(removing)}>
            {t("tickets.setup.remove")}
          </Button>
        </Actions>
      </Dialog>
    </div>
  );
}

interface CardProps {
  agentId: string;
  team: Team;
  mayWrite: boolean;
  attempt: Attempt;
  onChange: () => void;
  onRemove: () => void;
}

function TeamCard({ agentId, team, mayWrite, attempt, onChange, onRemove }: CardProps) {
  const { t } = useTexts();
  const name = showName(team.name, t);
  const actions: MenuAction[] = [
    { id: "change", icon: "pencil", name: t("tickets.setup.change") },
    ...(team.default
      ? []
      : [
          { id: "default", icon: "check", name: t("tickets.setup.makeDefault") } as const,
          { id: "remove", icon: "trash", name: t("tickets.setup.remove") } as const,
        ]),
  ];
  const run = (act: string) => {
    if (act === "change") onChange();
    else if (act === "remove") onRemove();
    else void attempt(() => changeTeam(agentId, team.teamId, { default: true }));
  };
  return (
    <section className={styles.card} aria-label={name}>
      <div className={styles.row}>
        <div className={styles.facts}>
          <h2 className={styles.name} dir="auto">
            {name}
          </h2>
          <p className={styles.detail}>
            <Facts>
              {team.default && t("tickets.setup.default")}
              {t(strategyKey(team.strategy))}
              {team.maxOpen !== null && t("tickets.setup.upTo", { count: team.maxOpen })}
            </Facts>
          </p>
          <Shifts team={team} />
        </div>
        {mayWrite && <MenuButton isIcon icon="ellipsis" label={t("tickets.setup.more", { name })} actions={actions} onAction={run} />}
      </div>
      <Members agentId={agentId} team={team} name={name} mayWrite={mayWrite} attempt={attempt} />
    </section>
  );
}

function Shifts({ team: { hours } }: { team: Team }) {
  const { t, locale } = useTexts();
  if (hours.length === 0) return <p className={styles.detail}>{t("tickets.setup.always")}</p>;
  return (
    <ul className={styles.detail} aria-label={t("tickets.setup.shifts")}>
      {hours.map((shift, i) => (
        <li key={i}>{describeShift(shift, locale)}</li>
      ))}
    </ul>
  );
}

interface MembersProps {
  agentId: string;
  team: Team;
  name: string;
  mayWrite: boolean;
  attempt: Attempt;
}

function Members({ agentId, team: { teamId, members }, name, mayWrite, attempt }: MembersProps) {
  const { t } = useTexts();
  const all = rowsOf(useMembers(useMay("members:read") && mayWrite).data) ?? [];
  const others = all.filter(({ userId }) => !members.some((one) => one.userId === userId));
  const run = (act: string, email: string, isAway: boolean) =>
    void attempt(() => (act === "away" ? joinTeam(agentId, teamId, email, { away: !isAway }) : leaveTeam(agentId, teamId, email)));
  return (
    <>
      {members.length === 0 && <p className={styles.detail}>{t("tickets.setup.noMembers")}</p>}
      {members.length > 0 && (
        <ul aria-label={t("tickets.setup.membersOf", { name })}>
          {members.map(({ userId, name, email, away }) => (
            <li key={userId} className={styles.row}>
              <p>
                <bdi>{showName(name || email, t)}</bdi> {away && <span className={styles.badge}>{t("tickets.setup.away")}</span>}
              </p>
              {mayWrite && (
                <MenuButton
                  isIcon
                  icon="ellipsis"
                  label={t("tickets.setup.more", { name: showName(name || email, t) })}
                  actions={[
                    { id: "away", icon: "clock", name: t(away ? "tickets.setup.isBack" : "tickets.setup.setAway") },
                    { id: "leave", icon: "x", name: t("tickets.setup.leave") },
                  ]}
                  onAction={(act) => run(act, email, away)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {mayWrite && others.length > 0 && (
        <div>
          <MenuButton
            icon="plus"
            label={t("tickets.setup.join")}
            actions={others.map((one) => ({ id: one.email, icon: "user" as const, name: showName(one.name || one.email, t) }))}
            onAction={(email) => void attempt(() => joinTeam(agentId, teamId, email))}
          />
        </div>
      )}
    </>
  );
}
