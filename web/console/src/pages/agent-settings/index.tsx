// The settings of an agent, in sections that have an address each. What is changed in one is kept while another is seen.
import { useMemo, type ReactNode } from "react";
import { Link } from "react-aria-components";
import { APIError } from "../../api/client";
import { usePresence } from "../../api/presence";
import { useMay } from "../../api/session";
import { useAgentSettings, useSettingsDraft, type AgentSettings, type Dispute } from "../../api/settings";
import { ConflictDialog } from "../../components/conflict";
import { FaultForm } from "../../components/fault-form";
import { Icon } from "../../components/icon";
import { Notice } from "../../components/notice";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { UnsavedBar } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import NotFoundPage from "../not-found";
import { Channels } from "./channels";
import { Danger } from "./danger";
import { sectionOf, sections, shape, type SectionName } from "./fields";
import { General } from "./general";
import { History } from "./history";
import { Limits, Notifications, Privacy } from "./parts";
import { EditorContext } from "./rows";
import { SearchAndTopics } from "./search";
import { useSettingName, useValueText } from "./values";
import { Voice } from "./voice";
import styles from "./agent-settings.module.css";

const isSection = (name: string): name is SectionName => (sections as readonly string[]).includes(name);

export default function AgentSettingsPage({ id, section = "general" }: { id: string; section?: string | undefined }) {
  const mayDelete = useMay("agents:delete");
  if (!isSection(section) || (section === "delete" && !mayDelete)) return <NotFoundPage />;
  return <Settings id={id} section={section} />;
}

function Settings({ id, section }: { id: string; section: SectionName }) {
  const { t } = useTexts();
  const settings = useAgentSettings(id);
  const draft = useSettingsDraft(id, settings.data, shape);
  const others = usePresence("agent", id, draft.count > 0 ? "typing" : "looking");
  const mayChange = useMay("agents:write");
  const tell = useDispute();
  const { values, change, error } = draft;
  const editor = useMemo(() => ({ values, change, isReadOnly: !mayChange }), [values, change, mayChange]);
  const faults = error instanceof APIError ? (error.details as Record<string, string>) : {};
  return (
    <Page title={t("settings.title")} actions={draft.isSaved && <p role="status">{t("settings.saved")}</p>}>
      <RoleNote needs="agents:write" note="role.settings" />
      {[...others.values()].includes("typing") && (
        <Notice isStatus>{t("settings.by")}</Notice>
      )}
      {error !== null && <Failed error={error} />}
      <div className={styles.columns}>
        <Parts id={id} chosen={section} faults={faults} />
        <div className={styles.fields}>
          {settings.isPending && <Loading />}
          {settings.isError && !settings.data && <Failed error={settings.error} onRetry={() => void settings.refetch()} />}
          {settings.data && (
            <EditorContext value={editor}>
              <FaultForm className={styles.fields!} said={faults} onSubmit={(event) => event.preventDefault()}>
                {contents[section](id, settings.data)}
              </FaultForm>
            </EditorContext>
          )}
        </div>
      </div>
      <UnsavedBar
        count={draft.count}
        isSaving={draft.isSaving}
        within={`/agents/${id}/settings`}
        onDiscard={draft.discard}
        onSave={draft.save}
      />
      <ConflictDialog
        differences={draft.disputes.map(tell)}
        onKeepMine={draft.keepMine}
        onTakeTheirs={draft.takeTheirs}
        onClose={draft.closeConflict}
      />
    </Page>
  );
}

const contents: Readonly<Record<SectionName, (id: string, stored: AgentSettings) => ReactNode>> = {
  general: (id) => <General id={id} />,
  channels: () => <Channels />,
  limits: (id) => <Limits id={id} />,
  notifications: () => <Notifications />,
  voice: (id) => <Voice id={id} />,
  privacy: (id) => <Privacy id={id} />,
  search: () => <SearchAndTopics />,
  history: (id, stored) => <History id={id} stored={stored} />,
  delete: (id, { settings }) => <Danger id={id} name={String(settings.name)} />,
};

interface PartsProps {
  id: string;
  chosen: SectionName;
  faults: Readonly<Record<string, string>>;
}

/** The sections, with a mark at those in which the server has found something wrong. */
function Parts({ id, chosen, faults }: PartsProps) {
  const { t } = useTexts();
  const mayChange = useMay("agents:write");
  const mayDelete = useMay("agents:delete");
  const wrong = new Set(Object.keys(faults).map((path) => sectionOf(path.replace(/^settings\./, ""))));
  const link = (name: SectionName) => (
    <li key={name}>
      <Link
        href={`/agents/${id}/settings${name === "general" ? "" : `/${name}`}`}
        className={styles.part!}
        aria-current={name === chosen ? "page" : undefined}
      >
        {t(`settings.${name}`)}
        {wrong.has(name) && (
          <span role="img" aria-label={t("settings.wrongHere")}>
            <Icon name="circle-alert" size={16} />
          </span>
        )}
      </Link>
    </li>
  );
  return (
    <nav aria-label={t("settings.parts")}>
      <ul className={styles.parts}>
        {sections.filter((name) => name !== "delete").map(link)}
        {mayChange && (
          <li>
            <Link href={`/agents/${id}/manifest`} className={styles.part!}>
              {t("manifest.title")}
            </Link>
          </li>
        )}
        {mayDelete && link("delete")}
      </ul>
    </nav>
  );
}

// useDispute says what two people have changed, in words.
function useDispute() {
  const name = useSettingName();
  const show = useValueText();
  return (dispute: Dispute) => ({ name: name(dispute.name), mine: show(dispute.mine), theirs: show(dispute.theirs) });
}
