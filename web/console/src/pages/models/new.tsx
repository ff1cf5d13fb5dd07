import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import {
  createModelServer,
  kinds,
  tryModelServer,
  useModelServers,
  type Kind,
  type ModelServers,
  type Settings,
} from "../../api/model-servers";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../components/button";
import { Page, Section } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { KeepTyped } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import NotFoundPage from "../not-found";
import { Fields } from "./fields";
import { ServerForm } from "./form";
import { TestResult } from "./reason";
import { useTesting } from "./testing";
import styles from "./models.module.css";

/** Connects a server of models. */
export default function NewModelServerPage({ kind: named }: { kind: string }) {
  const { t } = useTexts();
  const mayRead = useMay("models:read");
  const mayWrite = useMay("models:write");
  const servers = useModelServers(mayRead);
  const kind = kinds.find((one) => one === named);
  if (!kind) return <NotFoundPage />;
  return (
    <Page title={t(`models.new.${kind}`)} width="narrow">
      <RoleNote needs="models:write" note="role.models" />
      {mayRead && servers.isPending && <Loading />}
      {servers.isError && !servers.data && <Failed error={servers.error} onRetry={() => void servers.refetch()} />}
      {mayWrite && servers.data && <NewServer kind={kind} all={servers.data} />}
    </Page>
  );
}

// What a new server begins with: it answers for what nobody else does, unless somebody does already.
function emptySettings({ servers, modelNames }: ModelServers): Settings {
  const isTaken = (name: string) => servers.some((one) => !one.setBy && one.modelNames.includes(name));
  const free = modelNames.filter(({ name, setBy }) => name === "auto" && !setBy && !isTaken(name));
  const texts = { name: "", url: "", key: "", model: "", contextTokens: "", dimensions: "" };
  return { ...texts, format: "openai", modelNames: free.map(({ name }) => name), dropsKey: false };
}

function NewServer({ kind, all }: { kind: Kind; all: ModelServers }) {
  const [isTyped, setTyped] = useState(false);
  return (
    <KeepTyped onChange={setTyped}>{(saved) => <NewForm kind={kind} all={all} isTyped={isTyped} onSaved={saved} />}</KeepTyped>
  );
}

interface FormProps {
  kind: Kind;
  all: ModelServers;
  isTyped: boolean;
  onSaved: () => void;
}

function NewForm({ kind, all, isTyped, onSaved }: FormProps) {
  const { t } = useTexts();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [values, setValues] = useState(() => emptySettings(all));
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const testing = useTesting(() => tryModelServer(kind, values));
  const change = <N extends keyof Settings>(name: N, value: Settings[N]) => {
    testing.forget();
    setError(null);
    setValues((before) => ({ ...before, [name]: value }));
  };
  const connect = async () => {
    testing.forget();
    setError(null);
    setPending(true);
    try {
      await createModelServer(kind, values);
      await client.invalidateQueries({ queryKey: ["modelServers"] });
      onSaved();
      navigate("/workspace/models");
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  const test = () => {
    setError(null);
    testing.run();
  };
  return (
    <ServerForm error={error ?? testing.error} onSubmit={() => void connect()}>
      <Section title={t("models.connection")}>
        <p className={styles.detail}>{t(`models.about.${kind}`)}</p>
        <Fields kind={kind} values={values} change={change} all={all} />
      </Section>
      <TestResult outcome={testing.outcome} />
      <div className={styles.submit}>
        <Button type="submit" kind="primary" isPending={isPending}>
          {t("models.connect")}
        </Button>
        <Button onPress={test} isPending={testing.isPending}>
          {t("models.test")}
        </Button>
        <ButtonLink kind="quiet" href="/workspace/models">
          {isTyped ? t("unsaved.discard") : t("dialog.cancel")}
        </ButtonLink>
      </div>
    </ServerForm>
  );
}
