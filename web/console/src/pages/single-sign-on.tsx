import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { hooks } from "../api/client";
import { canUsePasskeys } from "../api/passkey";
import { disconnectSingleSignOn, isSteppedUp, useSession, type User } from "../api/session";
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

/** Connects the person with the provider of single sign-on, so that what they sign in with stays, and disconnects them. */
export function SingleSignOn({ me }: { me: User }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const { features } = useSession().data ?? {};
  const [outcome, setOutcome] = useState(takeOutcome);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  if (!features?.oidc) return null;
  const run = async (act: () => Promise<unknown>) => {
    setPending(true);
    setError(null);
    try {
      await act();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  const disconnect = async () => {
    await disconnectSingleSignOn();
    await Promise.all([["me"], ["session"]].map((queryKey) => client.invalidateQueries({ queryKey })));
    setOutcome("disconnected");
  };
  const name = features.oidcName;
  const isConnected = Boolean(me.hasSingleSignOn);
  return (
    <Section title={t("signOn.title")}>
      <Outcome key={outcome} outcome={outcome} name={name} isConnected={isConnected} />
      {error !== null && <Failed error={error} />}
      {isConnected ? (
        <Connected me={me} name={name} isPending={isPending} onDisconnect={() => void run(disconnect)} />
      ) : (
        <>
          <p className={styles.detail}>{t("signOn.text", { name })}</p>
          <div>
            <Button isPending={isPending} onPress={() => void run(() => connect(me))}>
              {t("signOn.connect", { name })}
            </Button>
          </div>
        </>
      )}
    </Section>
  );
}

/** Goes to the provider. Who can show here that it is them does so before: not every provider asks. */
async function connect(me: User) {
  const canConfirm = (me.hasPassword && !me.secondStep) || (me.hasPasskey && canUsePasskeys());
  if (canConfirm && !(await isSteppedUp()) && !(await hooks.stepUp())) return;
  leaveScreen(() => location.assign("/console/api/v1/session/oidc?connect=true"));
}

interface OutcomeProps {
  outcome: string;
  name: string;
  isConnected: boolean;
}

/** Says what became of it, where the focus goes: what was pressed is gone. */
function Outcome({ outcome, name, isConnected }: OutcomeProps) {
  const { t } = useTexts();
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => text.current?.focus(), []);
  if (!outcome) return null;
  const isDone = outcome === (isConnected ? "connected" : "disconnected");
  if (!isDone && outcome.endsWith("connected")) return null; // of an address that somebody has made
  const done = t(isConnected ? "signOn.connected" : "signOn.disconnected", { name });
  return (
    <p ref={text} tabIndex={-1} role={isDone ? "status" : "alert"} className={styles.outcome}>
      {isDone ? done : t(failures[outcome] ?? "signIn.oidc.error", { name })}
    </p>
  );
}

interface ConnectedProps {
  me: User;
  name: string;
  isPending: boolean;
  onDisconnect: () => void;
}

function Connected({ me, name, isPending, onDisconnect }: ConnectedProps) {
  const { t, locale } = useTexts();
  const { hasPassword, hasPasskey, singleSignOnSince } = me;
  const isOnly = !hasPassword && !hasPasskey;
  return (
    <ul className={styles.sessions}>
      <li>
        <div>
          <p className={styles.name} dir="auto">
            {name}
          </p>
          {singleSignOnSince && <p className={styles.detail}>{t("signOn.since", { when: formatDate(singleSignOnSince, locale) })}</p>}
          <p className={styles.detail}>{t(isOnly ? "signOn.only" : "signOn.again")}</p>
        </div>
        {!isOnly && (
          <Button onPress={onDisconnect} isPending={isPending} aria-label={t("signOn.disconnectNamed", { name })}>
            {t("signOn.disconnect")}
          </Button>
        )}
      </li>
    </ul>
  );
}
