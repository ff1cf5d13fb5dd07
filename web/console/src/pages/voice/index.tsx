// Voice sessions of an agent, and one of them with its recording and what was said.
import type { ReactNode } from "react";
import { Link } from "react-aria-components";
import { useAgent } from "../../api/agents";
import { isNotFound } from "../../api/client";
import { rowsOf } from "../../api/pages";
import { useVoiceSession, useVoiceSessions, type VoiceSession } from "../../api/people";
import { ButtonLink } from "../../components/button";
import { Facts } from "../../components/facts";
import { More } from "../../components/more";
import { Page, Section } from "../../components/page";
import { Empty, Failed, Loading } from "../../components/states";
import { Transcript } from "../../components/transcript";
import { formatDate, useTexts } from "../../i18n";
import NotFoundPage from "../not-found";
import styles from "../people/people.module.css";
import { VoiceCalls } from "../usage/voice";
import { EndSession } from "./end";
import { ends } from "./ends";
import { Recording } from "./recording";

interface Props {
  id: string;
  session: string | undefined;
}

export default function VoicePage({ id, session }: Props) {
  const agent = useAgent(id);
  if (!agent.data && isNotFound(agent.error)) return <NotFoundPage isAgent />;
  return session ? <SessionPage key={session} agentId={id} id={session} /> : <Sessions agentId={id} />;
}

function Sessions({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const list = useVoiceSessions(agentId);
  const rows = rowsOf(list.data);
  return (
    <Page title={t("people.voice")}>
      {list.isPending && <Loading rows={6} />}
      {list.isError && !rows && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {rows?.length === 0 && <Empty icon="phone" title={t("people.noSessions")} text={t("people.noSessionsText")} />}
      {rows && rows.length > 0 && (
        <Section title={t("usage.thisMonth")}>
          <VoiceCalls month="" agent={agentId} isOffered />
        </Section>
      )}
      {rows && rows.length > 0 && (
        <div className={styles.group}>
          <ol className={styles.rows} aria-label={t("people.voice")}>
            {rows.map((session) => (
              <Row key={session.sessionId} agentId={agentId} session={session} />
            ))}
          </ol>
          <More list={list} />
        </div>
      )}
    </Page>
  );
}

function Row({ agentId, session }: { agentId: string; session: VoiceSession }) {
  const { t, locale } = useTexts();
  const endOf = useEnd();
  return (
    <li>
      <Link href={`/agents/${agentId}/voice/${session.sessionId}`}>{formatDate(session.createdAt, locale)}</Link>
      <p className={styles.hint}>
        <Facts>
          {endOf(session)}
          {session.joinedAt && t("people.minutes", { count: session.minutes })}
          {session.userId && <bdi>{session.userId}</bdi>}
        </Facts>
      </p>
    </li>
  );
}

// useEnd returns why a session ended, in words; one that goes on has a word as well.
function useEnd() {
  const { t } = useTexts();
  return ({ endedAt, reason = "" }: VoiceSession) => {
    if (endedAt === null) return t("people.live");
    const key = ends[reason];
    return key ? t(key) : t("people.ended");
  };
}

function SessionPage({ agentId, id }: { agentId: string; id: string }) {
  const { t } = useTexts();
  const session = useVoiceSession(id);
  const isGone = isNotFound(session.error);
  const back = <ButtonLink href={`/agents/${agentId}/voice`}>{t("people.allSessions")}</ButtonLink>;
  return (
    <Page title={t("people.session")} actions={!isGone && back}>
      {session.isPending && <Loading rows={6} />}
      {isGone && (
        <Empty icon="phone" title={t("people.sessionGone")} text={t("people.sessionGoneText")}>
          {back}
        </Empty>
      )}
      {session.isError && !isGone && !session.data && <Failed error={session.error} onRetry={() => void session.refetch()} />}
      {session.data && <Session agentId={agentId} session={session.data} />}
    </Page>
  );
}

function Session({ agentId, session }: { agentId: string; session: VoiceSession }) {
  const { t, locale } = useTexts();
  const endOf = useEnd();
  const { sessionId, createdAt, joinedAt, endedAt, minutes, credits, userId, conversationId } = session;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t("people.began"), formatDate(createdAt, locale)],
    [t("people.joined"), joinedAt ? formatDate(joinedAt, locale) : t("people.nobodyJoined")],
    [t("people.endedAt"), endedAt ? formatDate(endedAt, locale) : t("people.live")],
    [t("people.state"), endOf(session)],
    [t("people.charged"), t("people.minutes", { count: minutes })],
    [t("people.credits"), number.format(credits)],
    [t("people.userId"), userId],
  ];
  return (
    <>
      <Section title={t("people.known")}>
        <dl className={styles.facts}>
          {facts.map(
            ([label, value]) =>
              value && (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd dir="auto">{value}</dd>
                </div>
              ),
          )}
        </dl>
        {endedAt === null && <EndSession agentId={agentId} sessionId={sessionId} />}
      </Section>
      <Recording sessionId={sessionId} isLive={endedAt === null} />
      <Section title={t("people.transcript")}>
        <Transcript conversationId={conversationId} />
      </Section>
    </>
  );
}
