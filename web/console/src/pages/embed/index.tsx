// How the chat comes to a site, on which sites it is shown, and how they say who their visitors are.
import { Link } from "react-aria-components";
import { APIError } from "../../api/client";
import { usePagesOrigin } from "../../api/embed";
import { useMay } from "../../api/session";
import { useAgentSettings, useSettingsDraft, type Dispute } from "../../api/settings";
import { ConflictDialog } from "../../components/conflict";
import { Notice } from "../../components/notice";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { UnsavedBar } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import { Channels } from "./channels";
import { Domains } from "./domains";
import { hasStage, readFaults, shape } from "./fields";
import { Identity } from "./identity";
import { labels, Limits } from "./limits";
import { Coming, Place } from "./place";

export default function EmbedPage({ id }: { id: string }) {
  const { t } = useTexts();
  const settings = useAgentSettings(id);
  const draft = useSettingsDraft(id, settings.data, shape);
  const mayChange = useMay("agents:write");
  const origin = usePagesOrigin(id);
  const { error } = draft;
  const faults = error instanceof APIError ? readFaults(error.details, draft.values) : {};
  const show = (value: unknown) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));
  const tell = ({ name, mine, theirs }: Dispute) => ({ name: t(labels[name] ?? "embed.limits"), mine: show(mine), theirs: show(theirs) });
  return (
    <Page title={t("embed.title")} actions={draft.isSaved && <p role="status">{t("settings.saved")}</p>}>
      <RoleNote needs="agents:write" note="role.embed" />
      {settings.isPending && <Loading />}
      {settings.isError && !settings.data && <Failed error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data?.settings.visibility === "private" && (
        <Notice isStatus>
          {t("embed.private")} <Link href={`/agents/${id}/settings`}>{t("settings.title")}</Link>
        </Notice>
      )}
      <Place
        id={id}
        origin={origin}
        isPublic={settings.data?.settings.visibility === "public"}
        isStageOff={settings.data !== undefined && !hasStage(settings.data.settings)}
      />
      <Coming origin={origin} />
      {error !== null && <Failed error={error} />}
      {settings.data && <Domains id={id} draft={draft} mayChange={mayChange} faults={faults} />}
      {settings.data && <Limits draft={draft} mayChange={mayChange} faults={faults} />}
      <Identity id={id} mayChange={mayChange} />
      <Channels id={id} origin={origin} />
      <UnsavedBar count={draft.count} isSaving={draft.isSaving} onDiscard={draft.discard} onSave={draft.save} />
      <ConflictDialog
        differences={draft.disputes.map(tell)}
        onKeepMine={draft.keepMine}
        onTakeTheirs={draft.takeTheirs}
        onClose={draft.closeConflict}
      />
    </Page>
  );
}
