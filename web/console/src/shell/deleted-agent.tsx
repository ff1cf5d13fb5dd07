import { useQueryClient, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import type { Agent } from "../api/agents";
import { isNotFound } from "../api/client";
import type { Live } from "../api/events";
import { ButtonLink } from "../components/button";
import { Icon } from "../components/icon";
import { useTexts } from "../i18n";
import states from "../components/states.module.css";

/** Says above a screen of an agent that somebody has deleted it. What is on the screen stays, to be copied. */
export function DeletedAgent({ live }: { live: Live | null }) {
  const { t } = useTexts();
  const [path] = useLocation();
  const names = useDeletedAgents(live);
  const name = names.get(/^\/agents\/([\w-]+)/.exec(path)?.[1] ?? "");
  if (name === undefined) return null;
  return (
    <div className={states.partial} role="alert">
      <Icon name="triangle-alert" />
      <p>{name ? t("agentDeleted.text", { name }) : t("agentDeleted.unnamed")}</p>
      <ButtonLink href="/agents">{t("notFound.agents")}</ButtonLink>
    </div>
  );
}

/** The agents that were there and are deleted, by id, with their names as far as they are known. */
function useDeletedAgents(live: Live | null): ReadonlyMap<string, string> {
  const client = useQueryClient();
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const note = (id: string) => {
      const name = findName(client, id);
      setNames((before) => (before.has(id) ? before : new Map(before).set(id, name)));
    };
    const stop = live?.onEach((name, { id, change }) => name === "agent" && change === "deleted" && id && note(id));
    // An event may be missed; then what was read of the agent is not found any more.
    const leave = client.getQueryCache().subscribe(({ type, query }) => {
      const { data, error } = query.state;
      const id = type === "updated" && data !== undefined && isNotFound(error) && agentOf(query.queryKey);
      if (id) note(id);
    });
    return () => {
      stop?.();
      leave();
    };
  }, [client, live]);
  return names;
}

const agentOf = ([word, id, more]: QueryKey) =>
  (word === "agent" || word === "settings") && typeof id === "string" && more === undefined ? id : null;

function findName(client: QueryClient, id: string): string {
  const listed = client.getQueryData<{ pages: { data: Agent[] }[] }>(["agents"])?.pages.flatMap(({ data }) => data);
  const found = listed?.find((agent) => agent.id === id) ?? client.getQueryData<Agent>(["agent", id]);
  const settings = client.getQueryData<{ settings: { name?: unknown } }>(["settings", id])?.settings;
  return found?.name ?? String(settings?.name ?? "");
}
