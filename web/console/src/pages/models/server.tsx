import { useState } from "react";
import { useLocation } from "wouter";
import {
  tryModelServer,
  tryStoredModelServer,
  useModelServerDraft,
  useModelServers,
  type ModelServer,
  type ModelServers,
  type Settings,
} from "../../api/model-servers";
import type { Dispute } from "../../api/draft";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../components/button";
import { ConflictDialog } from "../../components/conflict";
import { Page, Section } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { ModelServerState } from "../../components/status";
import { UnsavedBar } from "../../components/unsaved";
import { useTexts, type Key } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import { Fields } from "./fields";
import { ServerForm } from "./form";
import { Reason, TestResult } from "./reason";
import { RemoveDialog } from "./remove";
import { useTesting } from "./testing";
import styles from "./models.module.css";

/** A server of models of the company. */
export default function ModelServerPage({ id }: { id: string }) {
  const { t } = useTexts();
  const mayRead = useMay("models:read");
  const servers = useModelServers(mayRead);
  const server = servers.data?.servers.find((one) => one.modelServerId === id);
  if (server && servers.data) return <ServerScreen id={id} server={server} all={servers.data} />;
  return (
    <Page title={t("models.title")} width="narrow">
      <RoleNote needs="models:read" note="role.models" />
      {mayRead && servers.isPending && <Loading />}
      {servers.isError && <Failed error={servers.error} onRetry={() => void servers.refetch()} />}
      {servers.data && (
        <Empty icon="cpu" title={t("models.gone")} text={t("models.goneText")}>
          <ButtonLink href="/workspace/models">{t("models.all")}</ButtonLink>
        </Empty>
      )}
    </Page>
  );
}

const labels: Readonly<Record<string, Key>> = {
  name: "models.field.name",
  url: "models.field.url",
  key: "models.field.key",
  dropsKey: "models.field.dropKey",
  model: "models.field.model",
  modelNames: "models.field.names",
  contextTokens: "models.field.context",
  dimensions: "models.field.dimensions",
};

function Head({ isSaved }: { isSaved: boolean }) {
  const { t } = useTexts();
  return (
    <div className={styles.submit}>
      {isSaved && <p role="status">{t("settings.saved")}</p>}
      <ButtonLink href="/workspace/models">{t("models.all")}</ButtonLink>
    </div>
  );
}

interface ScreenProps {
  id: string;
  server: ModelServer;
  all: ModelServers;
}

function ServerScreen({ id, server, all }: ScreenProps) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const [isRemoving, setRemoving] = useState(false);
  const draft = useModelServerDraft(id, server);
  const values = draft.values as unknown as Settings;
  const testing = useTesting(() => (draft.count > 0 ? tryModelServer(server.kind, values, id) : tryStoredModelServer(id)));
  const change = (name: string, value: unknown) => {
    testing.forget();
    draft.change(name, value);
  };
  const show = (value: unknown) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));
  const tell = ({ name, mine, theirs }: Dispute) => ({ name: t(labels[name] ?? "models.title"), mine: show(mine), theirs: show(theirs) });
  useScreenActions([
    { id: "test", icon: "refresh-cw", name: t("models.testNamed", { name: server.name }), run: testing.run },
    { id: "remove", icon: "trash", name: t("models.removeNamed", { name: server.name }), run: () => setRemoving(true) },
  ]);
  return (
    <Page title={server.name} width="narrow" actions={<Head isSaved={draft.isSaved} />}>
      <Section title={t("models.state")}>
        <div className={styles.head}>
          <ModelServerState server={server} />
          {server.kind === "chat" && <span className={styles.detail}>{t("models.agents", { count: server.agents })}</span>}
        </div>
        {server.failingSince && !testing.outcome && <Reason report={server.lastError ?? ""} />}
        <TestResult outcome={testing.outcome} />
        <div>
          <Button onPress={testing.run} isPending={testing.isPending}>
            {draft.count > 0 ? t("models.testDraft") : t("models.test")}
          </Button>
        </div>
      </Section>
      <ServerForm error={draft.error ?? testing.error} onSubmit={draft.save}>
        <Section title={t("models.connection")}>
          <Fields kind={server.kind} values={values} change={change} all={all} stored={{ ...server, id }} />
        </Section>
      </ServerForm>
      <Section title={t("models.removeTitle")}>
        <p className={styles.detail}>{t(`models.removed.${server.kind}`)}</p>
        <div>
          <Button kind="danger" onPress={() => setRemoving(true)}>
            {t("models.remove")}
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
      <RemoveDialog server={isRemoving ? server : null} onClose={() => setRemoving(false)} onDone={() => navigate("/workspace/models")} />
    </Page>
  );
}
