import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endSession, useSessions, type WebSession } from "../api/session";
import { Button } from "../components/button";
import { Section } from "../components/page";
import { Failed, Loading } from "../components/states";
import { relativeTime, useTexts } from "../i18n";
import styles from "./me.module.css";

/** Where the person is signed in. */
export function Sessions() {
  const { t } = useTexts();
  const client = useQueryClient();
  const sessions = useSessions();
  const [error, setError] = useState<unknown>(null);
  const [isEnding, setEnding] = useState(false);
  const others = sessions.data?.data.filter(({ current }) => !current) ?? [];
  const end = async (list: readonly WebSession[]) => {
    setError(null);
    const ends = await Promise.allSettled(list.map(({ id }) => endSession(id)));
    setError(ends.find((one) => one.status === "rejected")?.reason ?? null);
    await client.invalidateQueries({ queryKey: ["me", "sessions"] });
  };
  const endOthers = () => {
    setEnding(true);
    void end(others).finally(() => setEnding(false));
  };
  return (
    <Section title={t("sessions.title")}>
      {sessions.isPending && <Loading rows={2} />}
      {sessions.isError && <Failed error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {error !== null && <Failed error={error} />}
      <ul className={styles.sessions}>
        {sessions.data?.data.map((session) => (
          <Row key={session.id} session={session} onEnd={() => end([session])} />
        ))}
      </ul>
      {others.length > 1 && (
        <div>
          <Button onPress={endOthers} isPending={isEnding}>
            {t("sessions.endOthers")}
          </Button>
        </div>
      )}
    </Section>
  );
}

function Row({ session, onEnd }: { session: WebSession; onEnd: () => Promise<void> }) {
  const { t, locale } = useTexts();
  const [isPending, setPending] = useState(false);
  const name = describeBrowser(session.userAgent) || t("sessions.unknown");
  const press = () => {
    setPending(true);
    void onEnd().finally(() => setPending(false));
  };
  return (
    <li>
      <div>
        <p className={styles.name}>{name}</p>
        <p className={styles.detail}>
          <span dir="ltr">{session.address}</span> · {relativeTime(session.lastSeenAt, locale)}
        </p>
      </div>
      {session.current ? (
        <span className={styles.detail}>{t("sessions.current")}</span>
      ) : (
        <Button onPress={press} isPending={isPending} aria-label={t("sessions.endNamed", { name })}>
          {t("sessions.end")}
        </Button>
      )}
    </li>
  );
}

/** The names of browser and system that a user agent holds, as far as they are known. */
function describeBrowser(userAgent: string): string {
  const find = (names: readonly (readonly [RegExp, string])[]) => names.find(([sign]) => sign.test(userAgent))?.[1];
  const browser = find([
    [/Edg\//, "Edge"],
    [/Firefox\//, "Firefox"],
    [/Chrome\//, "Chrome"],
    [/Safari\//, "Safari"],
  ]);
  const system = find([
    [/Android/, "Android"],
    [/iPhone|iPad/, "iOS"],
    [/Windows/, "Windows"],
    [/Mac OS/, "macOS"],
    [/Linux/, "Linux"],
  ]);
  return [browser, system].filter(Boolean).join(", ");
}
