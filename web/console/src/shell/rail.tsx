import { useEffect, useRef } from "react";
import { Link } from "react-aria-components";
import { useLocation } from "wouter";
import { useInboxCounts } from "../api/inbox";
import { useMay } from "../api/session";
import { formatCount, useTexts, type Key } from "../i18n";
import type { IconName } from "../../../shared/icons";
import { Icon } from "../components/icon";
import { useAgentScreens, useWorkspaceScreens } from "./screens";
import styles from "./rail.module.css";

interface Place {
  href: string;
  icon: IconName;
  name: Key;
  /** How many conversations wait there. */
  waiting?: number | undefined;
  /** How many of them are unread for the person. */
  unread?: number | undefined;
}

/** The places of the console: those of all agents, those of the chosen one, then those of the company. */
export function Rail({ agent, onChoose }: { agent: string | null; onChoose?: () => void }) {
  const { t } = useTexts();
  const screens = useAgentScreens();
  const mayReadInbox = useMay("conversations:read");
  const counts = useInboxCounts(mayReadInbox).data;
  const inbox: Place = { href: "/inbox", icon: "inbox", name: "inbox.title", waiting: counts?.waiting, unread: counts?.unread };
  const ofInbox = mayReadInbox ? [inbox] : [];
  const tickets: Place = { href: "/tickets", icon: "rows-3", name: "rail.tickets" };
  const ofTickets = useMay("tickets:read") ? [tickets] : [];
  const places: Place[] = [...ofInbox, ...ofTickets, { href: "/agents", icon: "bot", name: "rail.agents" }];
  const ofAgent = agent ? screens.map(({ path, icon, name }) => ({ href: `/agents/${agent}${path}`, icon, name })) : [];
  const ofCompany = useWorkspaceScreens().map(({ path, icon, name }) => ({ href: path, icon, name }));
  const nav = useShownPlace(ofAgent.length + ofCompany.length);
  return (
    <nav ref={nav} aria-label={t("rail.label")} className={styles.rail}>
      <p className={styles.brand}>
        <span aria-hidden="true" className={styles.mark} />
        Parley
      </p>
      <List places={places} onChoose={onChoose} />
      {ofAgent.length > 0 && (
        <>
          <p className={styles.heading} id="rail-agent">
            {t("rail.agent")}
          </p>
          <List places={ofAgent} labelledBy="rail-agent" onChoose={onChoose} />
        </>
      )}
      {ofCompany.length > 0 && (
        <>
          <p className={styles.heading} id="rail-workspace">
            {t("rail.workspace")}
          </p>
          <List places={ofCompany} labelledBy="rail-workspace" onChoose={onChoose} />
        </>
      )}
    </nav>
  );
}

// There are more places than a low screen has room for: that of the screen is scrolled to, also once `count` places are there.
function useShownPlace(count: number) {
  const nav = useRef<HTMLElement>(null);
  const [path] = useLocation();
  useEffect(() => {
    nav.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" }); // a promise in newer browsers
  }, [path, count]);
  return nav;
}

// What is of the company has its parts below its own address, and so have the inbox, tickets, settings, insights, people and
// voice.
const hasParts = (href: string) => href === "/inbox" || href.startsWith("/workspace/") || /\/(tickets|settings|insights|people|voice)$/.test(href);
const isAt = (path: string, href: string) => path === href || (hasParts(href) && path.startsWith(`${href}/`));

interface ListProps {
  places: readonly Place[];
  labelledBy?: string;
  onChoose: (() => void) | undefined;
}

function List({ places, labelledBy, onChoose }: ListProps) {
  const { t } = useTexts();
  const [path] = useLocation();
  return (
    <ul aria-labelledby={labelledBy}>
      {places.map(({ href, icon, name, waiting = 0, unread = 0 }) => (
        <li key={href}>
          <Link
            href={href}
            className={styles.link!}
            aria-current={isAt(path, href) ? "page" : undefined}
            onPress={() => onChoose?.()}
          >
            <Icon name={icon} />
            {t(name)}
            {waiting > 0 && <Count count={waiting} text="rail.waiting" />}
            {unread > 0 && <Count count={unread} text="rail.unread" />}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** A number, and in words what it counts. */
function Count({ count, text }: { count: number; text: "rail.waiting" | "rail.unread" }) {
  const { t, locale } = useTexts();
  const number = formatCount(count, locale);
  return (
    <>
      <span className={`${styles.count} ${text === "rail.unread" ? styles.unread : ""}`} aria-hidden="true">
        {number}
      </span>
      <span className={styles.hidden}>{t(text, { number })}</span>
    </>
  );
}
