import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-aria-components";
import { useLocation } from "wouter";
import { kinds, switchTool, useTools, type Kind, type ToolHead, type ToolList } from "../../api/actions";
import { useMay } from "../../api/session";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { MenuButton } from "../../components/menu-button";
import { Notice } from "../../components/notice";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Empty, Failed, Loading } from "../../components/states";
import { Toggle } from "../../components/toggle";
import { useTexts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import { explainRefusal } from "./faults";
import { addressOfTool, callsOf, kindIcons } from "./kinds";
import styles from "./actions.module.css";

/** What an agent can do besides answering. */
export default function ActionsPage({ id }: { id: string }) {
  const { t } = useTexts();
  const mayChange = useMay("agents:write");
  const tools = useTools(id);
  const isEmpty = tools.data?.actions.length === 0 && tools.data.procedures.length === 0;
  const add = mayChange && tools.data && <Add agent={id} />;
  return (
    <Page title={t("actions.title")} actions={!isEmpty && add}>
      <RoleNote needs="agents:write" note="role.actions" />
      {tools.isPending && <Loading rows={4} />}
      {tools.isError && !tools.data && <Failed error={tools.error} onRetry={() => void tools.refetch()} />}
      {isEmpty && (
        <Empty icon="zap" title={t("actions.none")} text={t("actions.noneText")}>
          {add}
        </Empty>
      )}
      {tools.data && !isEmpty && <Groups agent={id} tools={tools.data} mayChange={mayChange} />}
    </Page>
  );
}

function Add({ agent }: { agent: string }) {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const open = (kind: string) => navigate(`/agents/${agent}/actions/new/${kind}`);
  const choices = kinds.map((id) => ({ id, icon: kindIcons[id], name: t(`actions.kind.${id}`) }));
  useScreenActions(
    choices.map(({ id, icon, name }) => ({ id: `add ${id}`, icon, name: t("actions.addNamed", { kind: name }), run: () => open(id) })),
  );
  return <MenuButton kind="primary" icon="plus" label={t("actions.add")} actions={choices} onAction={open} />;
}

interface GroupsProps {
  agent: string;
  tools: ToolList;
  mayChange: boolean;
}

function Groups({ agent, tools, mayChange }: GroupsProps) {
  const { t } = useTexts();
  const groups = [
    ["actions", t("actions.title"), tools.actions],
    ["procedures", t("actions.procedures"), tools.procedures],
  ] as const;
  return groups
    .filter(([, , list]) => list.length > 0)
    .map(([id, name, list]) => (
      <section key={id} className={styles.group} aria-labelledby={`group-${id}`}>
        <h2 id={`group-${id}`}>{name}</h2>
        <ul className={styles.list}>
          {list.map((tool) => (
            <Row key={tool.key} agent={agent} tool={tool} mayChange={mayChange} canSearchWeb={tools.canSearchWeb} />
          ))}
        </ul>
      </section>
    ));
}

interface RowProps {
  agent: string;
  tool: ToolHead;
  mayChange: boolean;
  canSearchWeb: boolean;
}

function Row({ agent, tool, mayChange, canSearchWeb }: RowProps) {
  const { t, locale } = useTexts();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const kind = tool.kind as Kind;
  const change = async (isOn: boolean) => {
    setPending(true);
    setError(null);
    try {
      await switchTool(agent, tool, isOn);
    } catch (thrown) {
      setError(thrown);
    } finally {
      await client.invalidateQueries({ queryKey: ["actions", agent] });
      setPending(false);
    }
  };
  return (
    <li className={styles.row}>
      <Icon name={kindIcons[kind]} className={styles.kind} />
      <div className={styles.facts}>
        <h3 className={styles.name}>
          {mayChange ? (
            <Link href={addressOfTool(agent, kind, tool.key)} dir="auto">
              {tool.name}
            </Link>
          ) : (
            <bdi>{tool.name}</bdi>
          )}
        </h3>
        <p className={styles.about} dir="auto">
          {tool.description}
        </p>
        <p className={styles.detail}>
          <Facts>
            {t(`actions.kind.${kind}`)}
            {t(...callsOf(tool))}
            {tool.failures > 0 && <span className={styles.failures}>{t("actions.failures", { count: tool.failures })}</span>}
          </Facts>
        </p>
        {kind === "web-search" && !canSearchWeb && <Notice>{t("actions.noSearch")}</Notice>}
        {error !== null && <Failed error={error} text={explainRefusal(error, t, locale)} />}
      </div>
      {mayChange ? (
        <Toggle aria-label={t("actions.onNamed", { name: tool.name })} isSelected={tool.enabled} isDisabled={isPending} onChange={(isOn) => void change(isOn)}>
          {t(tool.enabled ? "actions.on" : "actions.off")}
        </Toggle>
      ) : (
        <span className={styles.detail}>{t(tool.enabled ? "actions.on" : "actions.off")}</span>
      )}
    </li>
  );
}
