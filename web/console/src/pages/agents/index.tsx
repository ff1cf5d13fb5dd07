import { useEffect, useState } from "react";
import { Input, Link, SearchField } from "react-aria-components";
import { useLocation } from "wouter";
import { useAddressParams } from "../../address-params";
import { useAgents, type Agent } from "../../api/agents";
import { useFigures, type AgentFigures } from "../../api/insights";
import { useMay } from "../../api/session";
import { Icon } from "../../components/icon";
import { MenuButton } from "../../components/menu-button";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { useSearchText } from "../../components/search-text";
import { Empty, Failed, Loading, Partial } from "../../components/states";
import { AgentState } from "../../components/status";
import { formatSize, useTexts } from "../../i18n";
import { ManifestDialog } from "./manifest";
import { CopyAgentDialog, NewAgentDialog } from "./new-agent";
import { Sparkline } from "./sparkline";
import field from "../../components/field.module.css";
import styles from "./agents.module.css";

type Way = "website" | "empty" | "manifest" | "copy";

const fewAgents = 8; // that need no search

/** All agents of the company. */
export default function AgentsPage() {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const agents = useAgents();
  const mayCreate = useMay("agents:write");
  const [way, setWay] = useState<Way | null>(null);
  const [query, setQuery] = useAddressParams();
  const tell = (name: string) => setQuery(name ? { name } : {}, { replace: true });
  const [name, setName] = useSearchText(query.get("name") ?? "", tell);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = agents;
  // What is searched for may be among those that are not read yet.
  useEffect(() => {
    if (name && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [name, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const pages = agents.data?.pages.map((page) => page.data) ?? [];
  const rows = pages.flat();
  const isEmpty = agents.isSuccess && rows.length === 0;
  const wanted = (list: readonly Agent[]) => list.filter((agent) => contains(agent.name, name));
  const isNothing = name !== "" && !hasNextPage && wanted(rows).length === 0;
  const create = mayCreate && (
    <MenuButton<Way>
      kind="primary"
      icon="plus"
      label={t("agents.new")}
      actions={[
        { id: "website", icon: "globe", name: t("agents.fromWebsite") },
        { id: "empty", icon: "bot", name: t("agents.empty") },
        { id: "manifest", icon: "file-text", name: t("agents.fromManifest") },
        ...(rows.length > 0 ? [{ id: "copy", icon: "copy", name: t("agents.copy") } as const] : []),
      ]}
      onAction={(way) => (way === "website" ? navigate("/welcome?way=website") : setWay(way))}
    />
  );
  const close = () => setWay(null);
  return (
    <Page title={t("agents.title")} actions={!isEmpty && create}>
      <RoleNote needs="agents:write" note="role.agents" />
      {agents.isPending && <Loading />}
      {agents.isError && !agents.isFetchNextPageError && (
        <Failed error={agents.error} onRetry={() => void agents.refetch()} />
      )}
      {isEmpty && (
        <Empty icon="bot" title={t("agents.none")} text={t("agents.noneText")}>
          {create}
        </Empty>
      )}
      {rows.length > fewAgents && (
        <SearchField aria-label={t("agents.search")} value={name} onChange={setName} className={styles.search!}>
          <Icon name="search" />
          <Input className={field.input!} placeholder={t("agents.search")} />
        </SearchField>
      )}
      {isNothing && <p role="status">{t("agents.noMatch")}</p>}
      {pages.map((list, i) => (
        <Cards key={i} agents={list} shown={wanted(list)} />
      ))}
      {!isNothing && <More list={agents} />}
      <NewAgentDialog isOpen={way === "empty"} onClose={close} />
      <ManifestDialog isOpen={way === "manifest"} onClose={close} />
      <CopyAgentDialog agents={rows} list={agents} isOpen={way === "copy"} onClose={close} />
    </Page>
  );
}

const contains = (text: string, part: string) => text.toLocaleLowerCase().includes(part.trim().toLocaleLowerCase());

/** The cards of a part of the list. Their figures are one request, for which they do not wait. */
function Cards({ agents, shown }: { agents: readonly Agent[]; shown: readonly Agent[] }) {
  const { t } = useTexts();
  const figures = useFigures(agents.map(({ id }) => id));
  const found = new Map(figures.data?.map((one) => [one.agentId, one]));
  if (shown.length === 0) return null;
  return (
    <>
      {figures.isError && (
        <Partial count={agents.length} text={t("agents.noFigures")} onRetry={() => void figures.refetch()} />
      )}
      <ul className={styles.list}>
        {shown.map((agent) => (
          <Card key={agent.id} agent={agent} figures={figures.data && (found.get(agent.id) ?? null)} isFailed={figures.isError} />
        ))}
      </ul>
    </>
  );
}

interface CardProps {
  agent: Agent;
  /** Null if there was nothing to count; undefined while it is not known. */
  figures: AgentFigures | null | undefined;
  /** Whether they could not be read, so that none are coming. */
  isFailed: boolean;
}

function Card({ agent, figures, isFailed }: CardProps) {
  const { t, locale } = useTexts();
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <Link href={`/agents/${agent.id}`} className={styles.link!}>
          <bdi>{agent.name}</bdi>
        </Link>
        <AgentState agent={agent} />
      </div>
      {(figures !== undefined || !isFailed) && <Week figures={figures} />}
      {figures && figures.unanswered > 0 && <p className={styles.needs}>{t("agents.unanswered", { count: figures.unanswered })}</p>}
      <p className={styles.detail}>
        {agent.size > 0 ? t("agents.size", { size: formatSize(agent.size, locale) }) : t("sources.none")}
      </p>
    </li>
  );
}

/** What the last seven days came to. */
function Week({ figures }: Pick<CardProps, "figures">) {
  const { t, locale } = useTexts();
  if (figures === undefined) return <p className={styles.detail}>{"\u00a0"}</p>;
  const percent = new Intl.NumberFormat(locale, { style: "percent" });
  const rate = figures?.resolvedRate ?? null;
  return (
    <>
      <p>{t("agents.week", { count: figures?.conversations ?? 0 })}</p>
      {figures && rate !== null && (
        <p className={styles.resolved}>
          {t("agents.resolved", { share: percent.format(rate) })}
          <Sparkline values={figures.days} />
        </p>
      )}
    </>
  );
}
