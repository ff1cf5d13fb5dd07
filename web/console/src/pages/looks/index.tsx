// What the chat of an agent looks like and says by itself, with the chat itself beside it.
import { useMemo } from "react";
import { navigate, useSearch } from "wouter/use-browser-location";
import type { PreviewPart } from "../../../../shared/preview";
import { APIError } from "../../api/client";
import { usePagesOrigin } from "../../api/embed";
import { usePresence } from "../../api/presence";
import { useMay } from "../../api/session";
import { useAgentSettings, useSettingsDraft, type Dispute } from "../../api/settings";
import { ConflictDialog } from "../../components/conflict";
import { FaultForm } from "../../components/fault-form";
import { Notice } from "../../components/notice";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { Tabs } from "../../components/tabs";
import { UnsavedBar } from "../../components/unsaved";
import { useTexts, type Key } from "../../i18n";
import { Bubble } from "./bubble";
import { EditorContext } from "./editor";
import { looksShape, readFaults } from "./fields";
import { Preview } from "./preview";
import { Stage } from "./stage";
import { HelpPage, Texts } from "./texts";
import styles from "./looks.module.css";

const tabNames = ["bubble", "stage", "help", "texts"] as const;
type TabName = (typeof tabNames)[number];
const parts: Readonly<Record<TabName, PreviewPart>> = { bubble: "chat", stage: "centerStage", help: "help", texts: "chat" };

export default function LooksPage({ id }: { id: string }) {
  const { t } = useTexts();
  const settings = useAgentSettings(id);
  const draft = useSettingsDraft(id, settings.data, looksShape);
  const others = usePresence("agent", id, draft.count > 0 ? "typing" : "looking");
  const mayChange = useMay("agents:write");
  const tell = useDispute();
  return (
    <Page title={t("looks.title")} width="full" actions={draft.isSaved && <p role="status">{t("settings.saved")}</p>}>
      {settings.isPending && <Loading />}
      {settings.isError && !settings.data && <Failed error={settings.error} onRetry={() => void settings.refetch()} />}
      <RoleNote needs="agents:write" note="role.looks" />
      {[...others.values()].includes("typing") && (
        <Notice isStatus>{t("settings.by")}</Notice>
      )}
      {draft.error !== null && <Failed error={draft.error} />}
      {settings.data && <Body id={id} name={String(settings.data.settings.name)} draft={draft} mayChange={mayChange} />}
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

interface BodyProps {
  id: string;
  name: string;
  draft: ReturnType<typeof useSettingsDraft>;
  mayChange: boolean;
}

function Body({ id, name, draft, mayChange }: BodyProps) {
  const { t } = useTexts();
  const origin = usePagesOrigin(id);
  const query = new URLSearchParams(useSearch());
  const tab = tabNames.find((known) => known === query.get("tab")) ?? "bubble";
  const { values, change, error } = draft;
  const editor = useMemo(() => ({ values, change }), [values, change]);
  const faults = error instanceof APIError ? readFaults(error.details) : {};
  const tabs = [
    { id: "bubble" as const, name: t("looks.bubble"), content: <Bubble id={id} /> },
    { id: "stage" as const, name: t("looks.stage"), content: <Stage /> },
    { id: "help" as const, name: t("looks.help"), content: <HelpPage address={`${origin}/${id}/help`} /> },
    { id: "texts" as const, name: t("looks.texts"), content: <Texts /> },
  ];
  // Another tab is not another screen: what is not saved stays, and nobody is asked.
  const choose = (next: TabName) => navigate(`${location.pathname}${next === "bubble" ? "" : `?tab=${next}`}`, { replace: true });
  return (
    <EditorContext value={editor}>
      <div className={mayChange ? styles.columns : styles.alone}>
        {mayChange && (
          <FaultForm className={styles.fields!} said={faults} onSubmit={(event) => event.preventDefault()}>
            <Tabs label={t("looks.title")} chosen={tab} tabs={tabs} onChange={choose} />
          </FaultForm>
        )}
        <Preview id={id} values={values} name={name} part={parts[tab]} />
      </div>
    </EditorContext>
  );
}

// useDispute says what two people have changed, in words.
function useDispute() {
  const { t } = useTexts();
  const show = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return ({ name, mine, theirs }: Dispute) => {
    const [part, field] = name.includes(".") ? (name.split(".") as [string, string]) : ["", name];
    const where = part === "centerStage" ? `${t("looks.stage")}: ` : "";
    const label = labels[field];
    return { name: where + (label ? t(label) : field), mine: show(mine), theirs: show(theirs) };
  };
}

const labels: Readonly<Record<string, Key>> = {
  enabled: "looks.stageOn",
  theme: "looks.theme",
  headerColor: "looks.headerColor",
  userMessageColor: "looks.userMessageColor",
  buttonColor: "looks.buttonColor",
  displayName: "looks.displayName",
  welcomeMessage: "looks.welcomeMessage",
  autoOpenChatWindowAfter: "looks.autoOpen",
  mobile: "looks.phone",
  alignChatButton: "looks.side",
  messagePlaceholder: "looks.messagePlaceholder",
  footer: "looks.footer",
  dismissableNotice: "looks.dismissableNotice",
  showFeedback: "looks.showFeedback",
  showCopyButton: "looks.showCopyButton",
  showDictation: "looks.showDictation",
  showAttachments: "looks.showAttachments",
  showVoiceMode: "looks.showVoiceMode",
  showDataSource: "looks.showDataSource",
  showChatBubble: "looks.showChatBubble",
  closeOnOutsideClick: "looks.closeOnOutsideClick",
  initialMessages: "looks.initialMessages",
  suggestedMessages: "looks.suggestedMessages",
  tintedGrayscale: "looks.graysOn",
  accentColor: "looks.accentColor",
  customSurfaceColors: "looks.surfacesOn",
  typography: "looks.type",
  width: "looks.width",
  notificationIndicator: "looks.indicator",
  notificationMessage: "looks.noticeText",
};
