import { useLocation } from "wouter";
import { ButtonLink } from "../../components/button";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Tabs } from "../../components/tabs";
import { useTexts } from "../../i18n";
import { Rules } from "./rules";
import { SavedReplies } from "./saved-replies";
import { Statuses } from "./statuses";
import { Targets } from "./targets";
import { Teams } from "./teams";

const parts = ["statuses", "teams", "rules", "targets", "replies"] as const;

/** What the helpdesk of an agent is set up by: statuses, teams, rules and SLA targets; and the saved replies of the company. */
export default function HelpdeskSetupPage({ id, part }: { id: string; part: string | undefined }) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const contents = {
    statuses: <Statuses agentId={id} />,
    teams: <Teams agentId={id} />,
    rules: <Rules agentId={id} />,
    targets: <Targets agentId={id} />,
    replies: <SavedReplies />,
  };
  return (
    <Page
      title={t("tickets.setup.title")}
      actions={
        <ButtonLink icon="rows-3" href={`/agents/${id}/tickets`}>
          {t("tickets.title")}
        </ButtonLink>
      }
    >
      <RoleNote needs="helpdesk:write" note="role.helpdesk" />
      <Tabs
        label={t("tickets.setup.title")}
        chosen={parts.find((one) => one === part) ?? "statuses"}
        tabs={parts.map((one) => ({ id: one, name: t(`tickets.setup.part.${one}`), content: contents[one] }))}
        onChange={(one) => navigate(`/agents/${id}/helpdesk/${one}`)}
      />
    </Page>
  );
}
