import { useEffect, useMemo, useState } from "react";
import { Link } from "react-aria-components";
import { useLocation } from "wouter";
import { useTool, useToolDraft, useTools, type Kind, type ToolFailure, type ToolList, type ToolValues } from "../../api/actions";
import type { Dispute } from "../../api/draft";
import { isNotFound } from "../../api/client";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../components/button";
import { ConflictDialog } from "../../components/conflict";
import { Facts } from "../../components/facts";
import { FaultForm } from "../../components/fault-form";
import { Notice } from "../../components/notice";
import { Page, Section } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { Toggle } from "../../components/toggle";
import { UnsavedBar } from "../../components/unsaved";
import { formatDate, useTexts } from "../../i18n";
import { explainRefusal, inFields } from "./faults";
import { Doing, EditorContext, fieldLabels, Head } from "./fields";
import { callsOf } from "./kinds";
import { RemoveDialog } from "./remove";
import { Steps } from "./steps";
import { TryIt } from "./trial";
import styles from "./actions.module.css";

interface Props {
  id: string;
  kind: "action" | "procedure";
  toolKey: string;
}

/** An action or a procedure of an agent. */
export default function ToolPage({ id, kind, toolKey }: Props) {
  const { t } = useTexts();
  const mayChange = useMay("agents:write");
  const tool = useTool(id, kind, toolKey, mayChange);
  const tools = useTools(id);
  const [isSaved, setSaved] = useState(false);
  const error = tool.data && tools.data ? null : (tool.error ?? tools.error);
  return (
    <Page title={tool.data?.name ?? t("actions.title")} width="narrow" actions={<Top isSaved={isSaved} agent={id} place={tool.data && `${kind}s=${encodeURIComponent(toolKey)}`} />}>
      <RoleNote needs="agents:write" note="role.actions" />
      {tool.data && tools.data && <ToolScreen agent={id} details={tool.data} tools={tools.data} onSaved={setSaved} />}
      {mayChange && !error && !(tool.data && tools.data) && <Loading />}
      {isNotFound(error) ? (
        <Empty icon="zap" title={t("actions.gone")} text={t("actions.goneText")} />
      ) : (
        error && <Failed error={error} onRetry={() => void Promise.all([tool.refetch(), tools.refetch()])} />
      )}
    </Page>
  );
}

interface ScreenProps {
  agent: string;
  details: NonNullable<ReturnType<typeof useTool>["data"]>;
  tools: ToolList;
  /** Is told whether all is saved that was changed. */
  onSaved: (isSaved: boolean) => void;
}

function ToolScreen({ agent, details, tools, onSaved }: ScreenProps) {
  const { t, locale } = useTexts();
  const [, navigate] = useLocation();
  const [isRemoving, setRemoving] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const kind = details.kind as Kind;
  const draft = useToolDraft(agent, kind, details);
  const values = draft.values as unknown as ToolValues;
  const error = draft.error ?? refusal;
  useEffect(() => onSaved(draft.isSaved), [draft.isSaved, onSaved]);
  const { change } = draft;
  const faults = useMemo(() => inFields(error), [error]);
  const editor = useMemo(() => ({ kind, values, change, faults }), [kind, values, change, faults]);
  const tell = ({ name, mine, theirs }: Dispute) => ({ name: t(fieldLabels[name] ?? "actions.title"), mine: show(mine), theirs: show(theirs) });
  const all = `/agents/${agent}/actions`;
  return (
    <>
      <EditorContext value={editor}>
        <FaultForm className={styles.form!} said={faults} onSubmit={(event) => event.preventDefault()}>
          {error !== null && <Failed error={error} text={explainRefusal(error, t, locale)} />}
          {kind === "web-search" && !tools.canSearchWeb && <Notice>{t("actions.noSearch")}</Notice>}
          {kind === "http" && !tools.canKeepSecrets && <Notice>{t("actions.noSecrets")}</Notice>}
          <Section title={t("actions.state")}>
            <Toggle isSelected={values.enabled} onChange={(isOn) => draft.change("enabled", isOn)}>
              {t("actions.offered")}
            </Toggle>
            <p className={styles.detail}>
              <Facts>
                {t(...callsOf(details))}
                {details.failures > 0 && t("actions.failures", { count: details.failures })}
              </Facts>
            </p>
            {details.calls > 0 && (
              <p className={styles.when}>
                <Link href={conversationsWith(agent, kind, details.name)}>{t("actions.showCalls")}</Link>
                {details.failures > 0 && <Link href={conversationsWith(agent, kind, details.name, true)}>{t("actions.showFailures")}</Link>}
              </p>
            )}
            <Failures agent={agent} list={details.lastFailures} />
          </Section>
          <Head />
          {"secretNames" in details ? <Doing stored={details.secretNames} notes={details.secretNotes} /> : <Steps tools={tools} toolKey={details.key} />}
          <TryIt agent={agent} toolKey={details.key} onError={setRefusal} />
        </FaultForm>
      </EditorContext>
      <Section title={t(kind === "procedure" ? "actions.removeProcedure" : "actions.removeTitle")}>
        <p className={styles.detail}>{t(kind === "procedure" ? "actions.removedProcedure" : "actions.removed")}</p>
        <div>
          <Button kind="danger" onPress={() => setRemoving(true)}>
            {t("actions.remove")}
          </Button>
        </div>
      </Section>
      <UnsavedBar count={draft.count} isSaving={draft.isSaving} onDiscard={draft.discard} onSave={draft.save} />
      <ConflictDialog
        differences={draft.disputes.map(tell)}
        onKeepMine={draft.keepMine}
        onTakeTheirs={draft.takeTheirs}
        onClose={draft.closeConflict}
      />
      <RemoveDialog
        agent={agent}
        kind={kind}
        toolKey={details.key}
        name={details.name}
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        onDone={() => navigate(all)}
      />
    </>
  );
}

// What two people have typed, as text; new secrets have no text.
const show = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

interface TopProps {
  isSaved: boolean;
  agent: string;
  /** Of the stored one, in the address of the manifest. */
  place: string | undefined;
}

function Top({ isSaved, agent, place }: TopProps) {
  const { t } = useTexts();
  const mayChange = useMay("agents:write");
  return (
    <div className={styles.submit}>
      {isSaved && <p role="status">{t("settings.saved")}</p>}
      {place && mayChange && (
        <ButtonLink kind="quiet" href={`/agents/${agent}/manifest?${place}`}>
          {t("actions.asYAML")}
        </ButtonLink>
      )}
      <ButtonLink href={`/agents/${agent}/actions`}>{t("actions.all")}</ButtonLink>
    </div>
  );
}

/** The search of the inbox for the conversations in which a tool was called, or in which it failed. */
function conversationsWith(agent: string, kind: Kind, name: string, hasFailed = false): string {
  const query = new URLSearchParams({ view: "all", agent });
  if (kind === "procedure") {
    query.set("procedure", name);
    if (hasFailed) query.set("procedureOutcome", "failed");
  } else {
    query.set("tool", name);
    if (hasFailed) query.set("toolOutcome", "error");
  }
  return `/inbox?${query}`;
}

const screenOf = (channel: string) => (channel === "Playground" ? "playground?conversation=" : "insights/conversations/");

/** The last calls that failed, each with where it was and its conversation. */
function Failures({ agent, list }: { agent: string; list: readonly ToolFailure[] }) {
  const { t, locale } = useTexts();
  if (list.length === 0) return null;
  return (
    <div className={styles.pairs}>
      <h3>{t("actions.lastFailures")}</h3>
      <ul className={styles.failed}>
        {list.map(({ at, error, channel, conversationId }, i) => (
          <li key={i}>
            <p className={styles.when}>
              <time dateTime={at}>{formatDate(at, locale)}</time>
              <Link href={`/agents/${agent}/${screenOf(channel)}${encodeURIComponent(conversationId)}`}>{t("actions.conversation")}</Link>
              {channel !== "Playground" && <bdi className={styles.detail}>{channel}</bdi>}
            </p>
            <p>
              <bdi className={styles.report}>{error}</bdi>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
