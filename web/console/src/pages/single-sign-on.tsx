import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { hooks } from "../api/client";
import { canUsePasskeys } from "../api/passkey";
import { disconnectSingleSignOn, isSteppedUp, useIdentities, type Identity, type User } from "../api/session";
import { Button } from "../components/button";
import { Section } from "../components/page";
import { Failed } from "../components/states";
import { leaveScreen } from "../components/unsaved";
import { formatDate, useTexts, type Key } from "../i18n";
import styles from "./me.module.css";

export const failures: Record<string, Key> = {
  address: "signOn.address",
  busy: "signIn.oidc.busy",
  conflict: "signOn.conflict",
  denied: "signIn.oidc.denied",
  domain: "signIn.oidc.domain",
  expired: "signIn.oidc.expired",
  foreign: "error.otherSignIn",
  invalid: "signIn.oidc.invalid",
  "no-member": "provider.notOwner",
  other: "signOn.ended",
  stale: "stepUp.stale",
  unavailable: "signIn.oidc.unavailable",
  unverified: "signIn.oidc.unverified",
};

/** What the address says of the way to the provider from which somebody comes back; it is said once. */
export function takeOutcome(): string {
  const outcome = /^#oidc-([a-z-]{1,20})$/.exec(location.hash)?.[1] ?? "";
  if (outcome) history.replaceState(history.state, "", location.pathname + location.search);
  return outcome;
}

/** Which provider the person has gone to, for when they come back. */
const goneTo = {
  store: (accountId: string) => sessionStorage.setItem("connecting", accountId),
  take: () => {
    const accountId = sessionStorage.getItem("connecting");
    sessionStorage.removeItem("connecting");
    return accountId;
  },
};

interface Change {
  outcome: string;
  /** Whose provider it is of; null where nobody knows any more. */
  accountId: string | null;
}

const takeChange = (): Change => ({ outcome: takeOutcome(), accountId: goneTo.take() });

/** Connects the person with the providers by which they may sign in, so that what they sign in with stays, and disconnects them. */
export function SingleSignOn({ me }: { me: User }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const identities = useIdentities();
  const [change, setChange] = useState(takeChange);
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState<string>();
  const list = identities.data?.data ?? [];
  if (!identities.isError && list.length === 0) return null;
  const run = async (accountId: string, act: () => Promise<unknown>) => {
    setPending(accountId);
    setError(null);
    try {
      await act();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(undefined);
    }
  };
  const disconnect = async (accountId: string) => {
    await disconnectSingleSignOn(accountId);
    await Promise.all([["me"], ["session"]].map((queryKey) => client.invalidateQueries({ queryKey })));
    setChange({ outcome: "disconnected", accountId });
  };
  const changed = list.find(({ accountId }) => accountId === change.accountId) ?? list[0];
  const connected = list.filter(({ connectedAt }) => connectedAt !== null);
  return (
    <Section title={t("signOn.title")}>
      {changed && <Outcome key={`${change.accountId} ${change.outcome}`} outcome={change.outcome} identity={changed} />}
      {identities.isError && list.length === 0 && <Failed error={identities.error} onRetry={() => void identities.refetch()} />}
      {error !== null && <Failed error={error} />}
      <ul className={styles.sessions}>
        {list.map((one) => (
          <Row
            key={one.accountId}
            identity={one}
            isOnly={!me.hasPassword && !me.hasPasskey && connected.length === 1}
            isPending={pending === one.accountId}
            onConnect={() => void run(one.accountId, () => connect(me, one.accountId))}
            onDisconnect={() => void run(one.accountId, () => disconnect(one.accountId))}
          />
        ))}
      </ul>
    </Section>
  );
}

/** Goes to the provider. Who can show here that it is them does so before: not every provider asks. */
async function connect(me: User, accountId: string) {
  const canConfirm = (me.hasPassword && !me.secondStep) || (me.hasPasskey && canUsePasskeys());
  if (canConfirm && !(await isSteppedUp()) && !(await hooks.stepUp())) return;
  const own = accountId && `&account=${encodeURIComponent(accountId)}`;
  leaveScreen(() => {
    goneTo.store(accountId);
    location.assign(`/console/api/v1/session/oidc?connect=true${own}`);
  });
}

/** Says what became of it, where the focus goes: what was pressed is gone. */
function Outcome({ outcome, identity: { name, connectedAt } }: { outcome: string; identity: Identity }) {
  const { t } = useTexts();
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => text.current?.focus(), []);
  if (!outcome) return null;
  const isConnected = connectedAt !== null;
  const isDone = outcome === (isConnected ? "connected" : "disconnected");
  if (!isDone && outcome.endsWith("connected")) return null; // of an address that somebody has made
  const done = t(isConnected ? "signOn.connected" : "signOn.disconnected", { name });
  return (
    <p ref={text} tabIndex={-1} role={isDone ? "status" : "alert"} className={styles.outcome}>
      {isDone ? done : t(failures[outcome] ?? "signIn.oidc.error", { name })}
    </p>
  );
}

interface RowProps {
  identity: Identity;
  /** It is the only way in which the person signs in, if it is connected. */
  isOnly: boolean;
  isPending: boolean;
  onConnect: () => void;
  onDisconnect: () => void;
}

function Row({ identity: { name, accountName, connectedAt }, isOnly, isPending, onConnect, onDisconnect }: RowProps) {
  const { t, locale } = useTexts();
  return (
    <li>
      <div>
        <p className={styles.name} dir="auto">
          {name}
        </p>
        {accountName && <p className={styles.detail}>{t("signOn.opens", { company: accountName })}</p>}
        {connectedAt && <p className={styles.detail}>{t("signOn.since", { when: formatDate(connectedAt, locale) })}</p>}
        <p className={styles.detail}>{t(!connectedAt ? "signOn.text" : isOnly ? "signOn.only" : "signOn.again", { name })}</p>
      </div>
      {!connectedAt && (
        <Button onPress={onConnect} isPending={isPending}>
          {t("signOn.connect", { name })}
        </Button>
      )}
      {connectedAt && !isOnly && (
        <Button onPress={onDisconnect} isPending={isPending} aria-label={t("signOn.disconnectNamed", { name })}>
          {t("signOn.disconnect")}
        </Button>
      )}
    </li>
  );
}
