import { useEffect, useState } from "react";
import { Autocomplete, Button, Input, Menu, MenuItem, MenuTrigger, Popover, SearchField, useFilter } from "react-aria-components";
import { useLocation } from "wouter";
import { useAgent, useAgents, useAllAgents } from "../api/agents";
import { Icon } from "../components/icon";
import { Status } from "../components/status";
import { useTexts } from "../i18n";
import { isID } from "./screens";
import field from "../components/field.module.css";
import menu from "../components/menu.module.css";
import styles from "./agent-switch.module.css";

const storageKey = "parley.agent";
const pathOfAgent = /^\/agents\/([^/]+)(.*)$/;
const mostWithoutSearch = 8;

/** The agent of the present screen, or else the last one that was looked at, if it is still there. */
export function useChosenAgent(): string | null {
  const [path] = useLocation();
  const { data } = useAgents();
  const named = pathOfAgent.exec(path)?.[1] ?? "";
  const here = isID(named) ? named : null;
  const agents = data?.pages.flatMap((page) => page.data) ?? [];
  const last = sessionStorage.getItem(storageKey);
  const isListed = agents.some(({ id }) => id === last);
  const isFound = useAgent(last ?? "", last !== null && !here && data !== undefined && !isListed).isSuccess;
  useEffect(() => {
    if (here) sessionStorage.setItem(storageKey, here);
  }, [here]);
  return here ?? (isListed || isFound ? last : null) ?? agents[0]?.id ?? null;
}

/** Chooses the agent. The screen stays the same, of the other agent. */
export function AgentSwitch({ chosen }: { chosen: string | null }) {
  const { t } = useTexts();
  const { data } = useAgents();
  const [isOpen, setOpen] = useState(false);
  const agents = data?.pages.flatMap((page) => page.data) ?? [];
  const listed = agents.find(({ id }) => id === chosen);
  const other = useAgent(chosen ?? "", chosen !== null && data !== undefined && !listed);
  const current = listed ?? other.data;
  if (agents.length === 0) return null;
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button className={styles.button!} aria-label={t("agentSwitch.label", { name: current?.name ?? "" })}>
        <Icon name="bot" />
        <span dir="auto">{current?.name ?? t("agentSwitch.none")}</span>
        <Icon name="chevron-down" />
      </Button>
      <Popover className={`${menu.popover} ${styles.popover}`}>
        <Agents />
      </Popover>
    </MenuTrigger>
  );
}

function Agents() {
  const { t } = useTexts();
  const [path] = useLocation();
  const { contains } = useFilter({ sensitivity: "base" });
  const first = useAgents().data?.pages.flatMap(({ data }) => data) ?? [];
  const all = useAllAgents(true).data ?? first;
  const screen = pathOfAgent.exec(path)?.[2] ?? "";
  const list = (
    <Menu
      className={`${menu.menu} ${styles.list}`}
      items={all}
      aria-label={t("rail.agents")}
      renderEmptyState={() => <p className={styles.none}>{t("commands.none")}</p>}
    >
      {({ id, name, status }) => (
        <MenuItem className={menu.item!} href={`/agents/${id}${screen}`} textValue={name}>
          <span dir="auto">{name}</span>
          <Status status={status} />
        </MenuItem>
      )}
    </Menu>
  );
  if (first.length <= mostWithoutSearch) return list;
  return (
    <Autocomplete filter={contains}>
      <SearchField autoFocus aria-label={t("agentSwitch.search")} className={styles.search!}>
        <Input className={field.input!} placeholder={t("agentSwitch.search")} />
      </SearchField>
      {list}
    </Autocomplete>
  );
}
