import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useCallback, useState, type ReactNode } from "react";
import { Button as AriaButton } from "react-aria-components";
import { useLocation } from "wouter";
import { useLive } from "../api/events";
import type { Membership, User } from "../api/session";
import { IconButton } from "../components/button";
import { Dialog } from "../components/dialog";
import { HelpLink } from "../components/help-link";
import { Icon } from "../components/icon";
import { Loading } from "../components/states";
import { useTexts } from "../i18n";
import { chapterOfScreen } from "../manual";
import { AgentSwitch, useChosenAgent } from "./agent-switch";
import { ScreenBoundary } from "./boundary";
import { CommandList } from "./command-list";
import { DeletedAgent } from "./deleted-agent";
import { KeyHelp } from "./key-help";
import { LiveIndicator } from "./live-indicator";
import { focusRow, focusSearch, showKey, useKeys } from "./keys";
import { useNotices } from "./notices";
import { Rail } from "./rail";
import { useAgentScreens } from "./screens";
import { SearchOpener } from "./search-opener";
import { UserMenu } from "./user-menu";
import styles from "./shell.module.css";

interface Props {
  user: User;
  account: Membership;
  memberships: readonly Membership[];
  children: ReactNode;
}

type Open = "" | "rail" | "commands" | "keys";

/** The frame of every screen: the rail, the bar on top, and what opens over them. */
export function Shell({ user, account, memberships, children }: Props) {
  const { t } = useTexts();
  const [path, navigate] = useLocation();
  const [open, setOpen] = useState<Open>("");
  const agent = useChosenAgent();
  const live = useLive(useQueryClient(), user.id, account.accountId);
  useNotices(live, user);
  const close = () => setOpen("");
  const openSearch = useCallback(() => setOpen("commands"), []);
  const screens = useAgentScreens().flatMap(({ path, keys }) =>
    keys ? [[keys, () => agent && navigate(`/agents/${agent}${path}`)] as const] : [],
  );
  useKeys({
    "mod+k": () => setOpen("commands"),
    "?": () => setOpen("keys"),
    "g a": () => navigate("/agents"),
    "g i": () => navigate("/inbox"),
    ...Object.fromEntries(screens),
    "g m": () => navigate("/me"),
    "/": () => focusSearch() || setOpen("commands"),
    j: () => focusRow(1),
    k: () => focusRow(-1),
  });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        {t("shell.skip")}
      </a>
      <aside className={styles.side}>
        <Rail agent={agent} />
      </aside>
      <header className={styles.bar}>
        <div className={styles.menuButton}>
          <IconButton icon="menu" label={t("shell.menu")} onPress={() => setOpen("rail")} />
        </div>
        <AgentSwitch chosen={agent} />
        <AriaButton className={styles.search!} onPress={() => setOpen("commands")}>
          <Icon name="search" />
          <span>{t("commands.open")}</span>
          <kbd>{showKey("mod+k")}</kbd>
        </AriaButton>
        <LiveIndicator live={live} />
        <div className={styles.keysButton}>
          <IconButton icon="keyboard" label={t("keys.title")} onPress={() => setOpen("keys")} />
        </div>
        <HelpLink href={chapterOfScreen(path)} />
        <UserMenu user={user} account={account} memberships={memberships} />
      </header>
      <main id="main" tabIndex={-1} className={styles.main}>
        <DeletedAgent live={live} />
        <ScreenBoundary place={path}>
          <SearchOpener value={openSearch}>
            <Suspense fallback={<Loading />}>{children}</Suspense>
          </SearchOpener>
        </ScreenBoundary>
      </main>
      <Dialog place="start" title={t("shell.menu")} isOpen={open === "rail"} onClose={close}>
        <Rail agent={agent} onChoose={close} />
      </Dialog>
      <CommandList isOpen={open === "commands"} onClose={close} onShowKeys={() => setOpen("keys")} />
      <KeyHelp isOpen={open === "keys"} onClose={close} />
    </div>
  );
}
