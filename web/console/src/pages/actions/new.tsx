import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState, type FormEvent } from "react";
import { useLocation } from "wouter";
import { addTool, emptyValues, kinds, useTools, type Kind, type ToolList, type ToolValues } from "../../api/actions";
import { useMay } from "../../api/session";
import { Button, ButtonLink } from "../../components/button";
import { FaultForm } from "../../components/fault-form";
import { Notice } from "../../components/notice";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { KeepTyped } from "../../components/unsaved";
import { useTexts } from "../../i18n";
import NotFoundPage from "../not-found";
import { explainRefusal, inFields } from "./faults";
import { Doing, EditorContext, Head, type Editor } from "./fields";
import { addressOfTool } from "./kinds";
import { Steps } from "./steps";
import { TryIt } from "./trial";
import styles from "./actions.module.css";

/** Adds an action or a procedure to an agent. */
export default function NewToolPage({ id, kind: named }: { id: string; kind: string }) {
  const { t } = useTexts();
  const mayChange = useMay("agents:write");
  const tools = useTools(id);
  const kind = kinds.find((one) => one === named);
  if (!kind) return <NotFoundPage />;
  return (
    <Page title={t("actions.addNamed", { kind: t(`actions.kind.${kind}`) })} width="narrow">
      <RoleNote needs="agents:write" note="role.actions" />
      {tools.isPending && <Loading />}
      {tools.isError && !tools.data && <Failed error={tools.error} onRetry={() => void tools.refetch()} />}
      {mayChange && tools.data && (
        <KeepTyped>{(saved) => <NewForm agent={id} kind={kind} tools={tools.data} onSaved={saved} />}</KeepTyped>
      )}
    </Page>
  );
}

interface FormProps {
  agent: string;
  kind: Kind;
  tools: ToolList;
  onSaved: () => void;
}

function NewForm({ agent, kind, tools, onSaved }: FormProps) {
  const { t, locale } = useTexts();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [values, setValues] = useState<ToolValues>(emptyValues);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const faults = useMemo(() => inFields(error), [error]);
  const editor = useMemo((): Editor => {
    const change: Editor["change"] = (name, value) => setValues((before) => ({ ...before, [name]: value }));
    return { kind, values, change, faults };
  }, [kind, values, faults]);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    setPending(true);
    try {
      const { key } = await addTool(agent, kind, values);
      onSaved();
      await client.invalidateQueries({ queryKey: ["actions", agent] });
      navigate(addressOfTool(agent, kind, key));
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  };
  return (
    <EditorContext value={editor}>
      <FaultForm className={styles.form!} said={faults} onSubmit={(event) => void add(event)}>
        {error !== null && <Failed error={error} text={explainRefusal(error, t, locale)} />}
        {kind === "web-search" && !tools.canSearchWeb && <Notice>{t("actions.noSearch")}</Notice>}
        {kind === "http" && !tools.canKeepSecrets && <Notice>{t("actions.noSecrets")}</Notice>}
        <Head />
        {kind === "procedure" ? <Steps tools={tools} /> : <Doing stored={[]} notes={[]} />}
        <TryIt agent={agent} onError={setError} />
        <div className={styles.submit}>
          <Button type="submit" kind="primary" isPending={isPending}>
            {t("actions.addNow")}
          </Button>
          <ButtonLink kind="quiet" href={`/agents/${agent}/actions`}>
            {t("dialog.cancel")}
          </ButtonLink>
        </div>
      </FaultForm>
    </EditorContext>
  );
}
