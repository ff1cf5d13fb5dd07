// What keys may do, in words beside those of the API.
import { Facts } from "../../components/facts";
import { useTexts, type Key } from "../../i18n";
import styles from "./workspace.module.css";

const words: Readonly<Record<string, Key>> = {
  "agents:read": "apiKeys.may.agents.read",
  "agents:write": "apiKeys.may.agents.write",
  "agents:delete": "apiKeys.may.agents.delete",
  "sources:read": "apiKeys.may.sources.read",
  "sources:write": "apiKeys.may.sources.write",
  "sources:delete": "apiKeys.may.sources.delete",
  "chatlogs:write": "apiKeys.may.chatlogs.write",
  "chatlogs:export": "apiKeys.may.chatlogs.export",
  "chatlogs:delete": "apiKeys.may.chatlogs.delete",
  "helpdesk_tickets:read": "apiKeys.may.tickets.read",
  "helpdesk_tickets:write": "apiKeys.may.tickets.write",
  "helpdesk_tickets:delete": "apiKeys.may.tickets.delete",
};

const wordsOf = (scope: string): Key | undefined => (Object.hasOwn(words, scope) ? words[scope] : undefined);

/** What a scope allows; nothing of one that this console does not know. */
export function ScopeWords({ scope }: { scope: string }) {
  const { t } = useTexts();
  const key = wordsOf(scope);
  return key && t(key);
}

/** What a key with these scopes may do; without any it may do everything. */
export function Allowed({ scopes }: { scopes: readonly string[] | null }) {
  const { t } = useTexts();
  const known = scopes?.flatMap((scope) => wordsOf(scope) ?? []);
  if (known?.length === 0) return null; // their names are there
  return <p className={styles.detail}>{known ? <Facts>{known.map((key) => t(key))}</Facts> : t("apiKeys.mayAll")}</p>;
}
