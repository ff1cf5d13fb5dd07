import { useEffect, useState } from "react";
import { Autocomplete, Collection, Header, Input, Menu, MenuItem, MenuSection, SearchField, useFilter } from "react-aria-components";
import { useLocation } from "wouter";
import { useAllAgents } from "../api/agents";
import { useNamedSources } from "../api/sources";
import { signOut, useMay, useMembership, useSession, useSessionChange } from "../api/session";
import { Deferred } from "../components/deferred";
import { Dialog } from "../components/dialog";
import { useFirstByEnter } from "../components/first-by-enter";
import { Icon } from "../components/icon";
import { leaveScreen } from "../components/unsaved";
import { useTexts } from "../i18n";
import { setLooks, useLooks } from "../looks";
import { chapterOfScreen } from "../manual";
import { useChosenAgent } from "./agent-switch";
import { showKey } from "./keys";
import { useToldActions, type ScreenAction } from "./screen-actions";
import { sourceIcon, useAgentScreens, useWorkspaceScreens } from "./screens";
import field from "../components/field.module.css";
import menu from "../components/menu.module.css";
import styles from "./command-list.module.css";

type Command = ScreenAction;

interface Group {
  id: string;
  name: string;
  commands: readonly Command[];
}

interface Props {
  isOpen: boolean;
  onClose: () => void;
  onShowKeys: () => void;
}

/** Every screen, agent, source and action by name. */
export function CommandList({ isOpen, onClose, onShowKeys }: Props) {
  const { t } = useTexts();
  return (
    <Dialog place="top" title={t("commands.title")} isOpen={isOpen} onClose={onClose}>
      <Commands onClose={onClose} onShowKeys={onShowKeys} />
    </Dialog>
  );
}

function Commands({ onClose, onShowKeys }: Omit<Props, "isOpen">) {
  const { t } = useTexts();
  const [words, setWords] = useState("");
  const commands = useFound(words, useGroups(onShowKeys));
  const sources = useSourceCommands(words.trim());
  const groups = sources.length > 0 ? [...commands, { id: "group sources", name: t("sources.title"), commands: sources }] : commands;
  const all = groups.flatMap(({ commands }) => commands);
  const run = (key: unknown) => {
    onClose();
    all.find(({ id }) => id === key)?.run();
  };
  const first = useFirstByEnter(() => all[0] && run(all[0].id));
  const write = (text: string) => {
    first.onTyped();
    setWords(text);
  };
  return (
    <div onKeyDownCapture={first.onKeyDown} onPointerMove={first.onMoved}>
      <Autocomplete inputValue={words} onInputChange={write}>
        <SearchField autoFocus aria-label={t("commands.open")}>
          <Input className={field.input!} placeholder={t("commands.open")} />
        </SearchField>
        <Deferred>
          <Menu
            className={`${menu.menu} ${styles.list}`}
            aria-label={t("commands.title")}
            items={groups}
            onAction={run}
            renderEmptyState={() => <p className={styles.none}>{t("commands.none")}</p>}
          >
            {({ id, name, commands }) => (
              <MenuSection id={id}>
                <Header className={menu.heading!}>{name}</Header>
                <Collection items={commands}>{(command) => <Entry {...command} />}</Collection>
              </MenuSection>
            )}
          </Menu>
        </Deferred>
      </Autocomplete>
    </div>
  );
}

function Entry({ id, icon, name, keys }: Command) {
  return (
    <MenuItem id={id} className={menu.item!} textValue={name}>
      <span className={menu.label}>
        <Icon name={icon} />
        <span dir="auto">{name}</span>
      </span>
      {keys && <Keys keys={keys} />}
    </MenuItem>
  );
}

/** What does the same as the command, unless the person has switched that off. Screen readers have the list of keys. */
function Keys({ keys }: { keys: string }) {
  const { hasLetterKeys } = useLooks();
  if (!hasLetterKeys && !keys.startsWith("mod+")) return null;
  return (
    <kbd className={styles.keys} dir="ltr" aria-hidden="true">
      {showKey(keys)}
    </kbd>
  );
}

const mostShown = 30; // of a group: whoever looks for more types more

/** The commands that have all words in their names, in each group those first whose names are most like the words. */
function useFound(words: string, groups: readonly Group[]): readonly Group[] {
  const { contains, startsWith } = useFilter({ sensitivity: "base" });
  const parts = words.split(/\s+/).filter(Boolean);
  const text = parts.join(" ");
  const fits = ({ name }: Command) => parts.every((part) => contains(name, part));
  const beginsWord = (name: string) => (part: string) => name.split(/\s+/).some((word) => startsWith(word, part));
  const distance = ({ name }: Command) => {
    if (startsWith(name, text)) return startsWith(text, name) ? 0 : 1;
    return parts.every(beginsWord(name)) ? 2 : 3;
  };
  const sort = (found: Command[]) => (text ? found.toSorted((a, b) => distance(a) - distance(b)) : found);
  return groups
    .map((group) => ({ ...group, commands: sort(group.commands.filter(fits)).slice(0, mostShown) }))
    .filter(({ id, commands }) => commands.length > 0 && (parts.length > 0 || id !== "group others"));
}

function useGroups(onShowKeys: () => void): readonly Group[] {
  const { t } = useTexts();
  const groups: [string, string, readonly Command[]][] = [
    ["here", t("commands.here"), useToldActions()],
    ["screens", t("commands.screens"), useScreenCommands()],
    ["agents", t("agents.title"), useAgentCommands()],
    ["others", t("commands.others"), useOtherScreens()],
    ["accounts", t("user.accounts"), useAccountCommands()],
    ["console", t("commands.console"), useConsoleCommands(onShowKeys)],
  ];
  // All ids of a list differ, those of groups and of what is in them.
  return groups.map(([id, name, commands]) => ({ id: `group ${id}`, name, commands }));
}

function useScreenCommands(): readonly Command[] {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const chosen = useChosenAgent();
  const screens = useAgentScreens();
  const mayCreate = useMay("agents:write");
  const ofCompany = useWorkspaceScreens().map(({ path, icon, name }): Command => {
    return { id: path, icon, name: t(name), run: () => navigate(path) };
  });
  const mayReadInbox = useMay("conversations:read");
  const inbox: Command = { id: "inbox", icon: "inbox", name: t("inbox.title"), keys: "g i", run: () => navigate("/inbox") };
  const mayReadTickets = useMay("tickets:read");
  const tickets: Command = { id: "tickets", icon: "rows-3", name: t("rail.tickets"), run: () => navigate("/tickets") };
  const create: Command = { id: "new", icon: "plus", name: t("agents.new"), run: () => navigate("/welcome") };
  const ofAgent = screens.map(({ path, icon, name, keys }): Command => {
    return { id: `here ${path}`, icon, name: t(name), keys, run: () => navigate(`/agents/${chosen}${path}`) };
  });
  return [
    ...(chosen ? ofAgent : []),
    ...(mayReadInbox ? [inbox] : []),
    ...(mayReadTickets ? [tickets] : []),
    { id: "agents", icon: "bot", name: t("agents.title"), keys: "g a", run: () => navigate("/agents") },
    ...(mayCreate ? [create] : []),
    ...ofCompany,
    { id: "me", icon: "user", name: t("me.title"), keys: "g m", run: () => navigate("/me") },
  ];
}

function useAgentCommands(): readonly Command[] {
  const [, navigate] = useLocation();
  const { data = [] } = useAllAgents(true);
  return data.map(({ id, name }) => ({ id: `agent ${id}`, icon: "bot", name, run: () => navigate(`/agents/${id}`) }));
}

/** The screens of the agents that are not chosen. They are shown to whoever types. */
function useOtherScreens(): readonly Command[] {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const { data = [] } = useAllAgents(true);
  const chosen = useChosenAgent();
  const screens = useAgentScreens();
  const others = data.filter(({ id }) => id !== chosen);
  return others.flatMap(({ id, name }) =>
    screens.slice(1).map(({ path, icon, name: screen }): Command => {
      const text = t("commands.ofAgent", { name, screen: t(screen) });
      return { id: `agent ${id}${path}`, icon, name: text, run: () => navigate(`/agents/${id}${path}`) };
    }),
  );
}

const pause = 200; // milliseconds without a key before the server is asked

/** The sources of the chosen agent by their names, which the server looks for. */
function useSourceCommands(words: string): readonly Command[] {
  const [, navigate] = useLocation();
  const agent = useChosenAgent() || null;
  const [name, setName] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setName(words), pause);
    return () => clearTimeout(timer);
  }, [words]);
  const { data = [] } = useNamedSources(agent, name);
  if (words.length < 2 || name.length < 2) return [];
  return data.map(({ sourceId, name, type }) => ({
    id: `source ${sourceId}`,
    icon: sourceIcon(type),
    name,
    run: () => navigate(`/agents/${agent}/sources/${sourceId}`),
  }));
}

function useAccountCommands(): readonly Command[] {
  const { t } = useTexts();
  const present = useMembership();
  const { data } = useSession();
  const others = (data?.memberships ?? []).filter(({ accountId }) => accountId !== present?.accountId);
  return others.map(({ accountId, accountName }) => ({
    id: `account ${accountId}`,
    icon: "inbox",
    name: t("commands.account", { name: accountName }),
    run: () => leaveScreen(() => location.assign(`/console/a/${encodeURIComponent(accountId)}`)),
  }));
}

function useConsoleCommands(onShowKeys: () => void): readonly Command[] {
  const { t } = useTexts();
  const [path] = useLocation();
  const { density } = useLooks();
  const changed = useSessionChange();
  const other = density === "compact" ? "comfortable" : "compact";
  const openManual = () => open(chapterOfScreen(path), "_blank", "noopener");
  const leave = () => leaveScreen(() => void signOut().finally(changed));
  return [
    { id: "light", icon: "sun", name: t("commands.light"), run: () => setLooks({ theme: "light" }) },
    { id: "dark", icon: "moon", name: t("commands.dark"), run: () => setLooks({ theme: "dark" }) },
    { id: "system", icon: "monitor", name: t("commands.system"), run: () => setLooks({ theme: "system" }) },
    { id: "density", icon: "rows-3", name: t(`commands.${other}`), run: () => setLooks({ density: other }) },
    { id: "keys", icon: "keyboard", name: t("keys.title"), keys: "?", run: onShowKeys },
    { id: "manual", icon: "circle-question-mark", name: t("manual.open"), run: openManual },
    { id: "leave", icon: "log-out", name: t("user.signOut"), run: leave },
  ];
}
