import type { ReactNode } from "react";
import { Link } from "react-aria-components";
import { useAgent, type Agent } from "../../api/agents";
import { useAgentDay, useInsights, type AgentDay, type Insights } from "../../api/insights";
import { useMay } from "../../api/session";
import { useReading, type SourceRow } from "../../api/sources";
import { ButtonLink } from "../../components/button";
import { Facts } from "../../components/facts";
import { Page, Section } from "../../components/page";
import { RoleNote } from "../../components/role-note";
import { Failed, Loading } from "../../components/states";
import { AgentState } from "../../components/status";
import { formatDate, formatSize, relativeTime, useTexts } from "../../i18n";
import { showName } from "../../names";
import { Counts } from "../sources/overview";
import { Reason } from "../sources/reason";
import { ReadingBar, StateDetail } from "../sources/state";
import styles from "./agent-home.module.css";

/** What an agent does today, what it needs, and what it knows. */
export default function AgentHomePage({ id }: { id: string }) {
  const { t } = useTexts();
  const agent = useAgent(id);
  const mayAsk = useMay("playground:use");
  return (
    <Page
      title={agent.data?.name ?? t("agent.title")}
      actions={
        agent.data && (
          <div className={styles.head}>
            <AgentState agent={agent.data} />
            <ButtonLink href={`/agents/${id}/embed`}>{t("agent.embed")}</ButtonLink>
            {mayAsk && (
              <ButtonLink kind="primary" href={`/agents/${id}/playground`}>
                {t("agent.try")}
              </ButtonLink>
            )}
          </div>
        )
      }
      key={id}
    >
      {agent.isPending && <Loading />}
      {agent.isError && <Failed error={agent.error} onRetry={() => void agent.refetch()} />}
      {agent.data && <Parts agent={agent.data} />}
    </Page>
  );
}

function Parts({ agent }: { agent: Agent }) {
  const { t } = useTexts();
  const month = useInsights(agent.id, 30);
  const day = useAgentDay(agent.id);
  const reading = useReading(agent.id, agent.status === "training");
  const isSettled = ![month, day, reading].some(({ isPending }) => isPending);
  return (
    <>
      <RoleNote needs="sources:write" note="role.home" />
      <div className={styles.parts}>
        <Section title={t("agent.today")}>
          {day.isPending && <Loading rows={2} />}
          {day.isError && <Failed error={day.error} onRetry={() => void day.refetch()} />}
          {day.data && <Today day={day.data} />}
        </Section>
        <Section title={t("agent.needs")}>
          {day.isPending && <Loading rows={1} />}
          {day.isError && <Failed error={day.error} onRetry={() => void day.refetch()} />}
          {day.data && <Needs agent={agent} month={month.data} day={day.data} />}
        </Section>
        <Section title={t("agent.knowledge")}>
          <Knowledge agent={agent} reading={reading.rows} />
        </Section>
      </div>
      {isSettled && <Below agent={agent} month={month} />}
    </>
  );
}

/** What comes after the parts whose heights are known only with what is in them: nothing is pushed down under the pointer. */
function Below({ agent, month }: { agent: Agent; month: ReturnType<typeof useInsights> }) {
  const { t } = useTexts();
  return (
    <>
      {month.isError && <Failed error={month.error} onRetry={() => void month.refetch()} />}
      {month.data && <Unanswered agentId={agent.id} month={month.data} />}
      {month.data && <Month month={month.data} />}
      <Section title={t("agent.settings")}>
        <Settings agent={agent} />
        <div>
          <ButtonLink href={`/agents/${agent.id}/settings`}>{t("agent.openSettings")}</ButtonLink>
        </div>
      </Section>
    </>
  );
}

type Row = readonly [string, ReactNode];

function List({ rows }: { rows: readonly Row[] }) {
  return (
    <dl className={styles.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Today({ day }: { day: AgentDay }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const { conversations, answers, resolved, escalated, firstTextMillis } = day;
  const seconds = new Intl.NumberFormat(locale, { style: "unit", unit: "second", maximumSignificantDigits: 2 });
  return (
    <List
      rows={[
        [t("agent.conversations"), number.format(conversations)],
        [t("agent.resolvedCount"), number.format(resolved)],
        [t("agent.answers"), number.format(answers)],
        [t("agent.escalated"), number.format(escalated)],
        [t("agent.firstWord"), firstTextMillis === null ? "–" : seconds.format(firstTextMillis / 1000)],
      ]}
    />
  );
}

function Needs({ agent, month, day }: { agent: Agent; month: Insights | undefined; day: AgentDay }) {
  const { t } = useTexts();
  const count = day.failedCount;
  const open = month?.unanswered.groups.length ?? 0;
  const mayWrite = useMay("sources:write");
  const isSilent = mayWrite && agent.status === "untrained";
  const named = day.failedSources;
  if (count === 0 && open === 0 && day.waiting === 0 && !isSilent) return <p className={styles.calm}>{t("agent.needsNothing")}</p>;
  return (
    <ul className={styles.links}>
      {isSilent && (
        <li>
          <Link href={`/agents/${agent.id}/sources`}>{t("agent.needsSources")}</Link>
        </li>
      )}
      {day.waiting > 0 && (
        <li>
          <Link href={`/inbox?view=waiting&agent=${agent.id}`}>{t("agent.waiting", { count: day.waiting })}</Link>
        </li>
      )}
      {open > 0 && (
        <li>
          <a href="#unanswered">{t("agent.openQuestions", { count: open })}</a>
        </li>
      )}
      {named.map(({ sourceId, name, reason, reasonCode }) => (
        <li key={sourceId}>
          <Link href={`/agents/${agent.id}/sources/${sourceId}`}>
            <bdi>{name}</bdi>
          </Link>{" "}
          <span className={styles.calm}>
            <Facts>
              {t("agent.notRead")}
              {reason && <Reason code={reasonCode} reason={reason} />}
            </Facts>
          </span>
        </li>
      ))}
      {count > named.length && (
        <li>
          <Link href={`/agents/${agent.id}/sources?state=failed`}>{t("agent.failedSources", { count })}</Link>
        </li>
      )}
    </ul>
  );
}

function Knowledge({ agent, reading }: { agent: Agent; reading: readonly SourceRow[] }) {
  const { t, locale } = useTexts();
  const { lastTrainedAt } = agent;
  return (
    <>
      <p>
        <Link href={`/agents/${agent.id}/sources`}>
          <Counts agentId={agent.id} none={t("agent.noSources")} />
        </Link>
      </p>
      <List
        rows={[
          [t("agent.size"), formatSize(agent.size, locale)],
          [t("agent.trained"), lastTrainedAt ? relativeTime(lastTrainedAt, locale) : t("agent.never")],
        ]}
      />
      {reading.length > 0 && <Reading agentId={agent.id} rows={reading} />}
    </>
  );
}

const mostNamed = 3;

/** What is being read now, and how far that is. */
function Reading({ agentId, rows }: { agentId: string; rows: readonly SourceRow[] }) {
  const { t } = useTexts();
  const more = rows.length - mostNamed;
  return (
    <ul className={styles.reading} aria-label={t("firstRun.reading")}>
      {rows.slice(0, mostNamed).map((source) => (
        <li key={source.sourceId}>
          <Link href={`/agents/${agentId}/sources/${source.sourceId}`}>
            <bdi>{showName(source.name, t)}</bdi>
          </Link>
          <ReadingBar source={source} />
          <StateDetail source={source} isShort />
        </li>
      ))}
      {more > 0 && (
        <li>
          <Link href={`/agents/${agentId}/sources`}>{t("sources.andMore", { count: more })}</Link>
        </li>
      )}
    </ul>
  );
}

const mostShown = 10;

/** What customers asked and no source answers, with a way to answer it. */
function Unanswered({ agentId, month }: { agentId: string; month: Insights }) {
  const { t, locale } = useTexts();
  const { groups, withheld } = month.unanswered;
  const mayAnswer = useMay("sources:write");
  if (groups.length === 0 && !withheld) return null;
  const answer = (question: string) => `/agents/${agentId}/sources?${new URLSearchParams({ add: "qna", question })}`;
  return (
    <div id="unanswered">
      <Section title={t("agent.unanswered")}>
        {withheld && <p className={styles.calm}>{t("agent.withheld")}</p>}
        <ul className={styles.questions}>
          {groups.slice(0, mostShown).map(({ example, count, lastAsked }) => (
            <li key={example + lastAsked}>
              <span>
                <bdi>{example}</bdi>
                <span className={styles.calm}>
                  <Facts>
                    {t("agent.asked", { count })}
                    {relativeTime(new Date(lastAsked * 1000).toISOString(), locale)}
                  </Facts>
                </span>
              </span>
              {mayAnswer && <ButtonLink href={answer(example)}>{t("agent.answerIt")}</ButtonLink>}
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function Month({ month }: { month: Insights }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent" });
  const { conversations, answers, refusedAnswers, escalated } = month.totals;
  const { rate, againDays } = month.resolution;
  return (
    <Section title={t("agent.month")}>
      <div className={styles.wide}>
        <List
          rows={[
            [t("agent.conversations"), number.format(conversations)],
            [t("agent.resolvedShare"), rate === null ? "–" : percent.format(rate)],
            [t("agent.answers"), number.format(answers)],
            [t("agent.refused"), number.format(refusedAnswers)],
            [t("agent.escalated"), number.format(escalated)],
          ]}
        />
      </div>
      <p className={styles.calm}>{t("agent.resolvedMeans", { count: againDays })}</p>
    </Section>
  );
}

function Settings({ agent }: { agent: Agent }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const limit = agent.creditLimit === null ? t("agent.noLimit") : number.format(agent.creditLimit);
  return (
    <div className={styles.wide}>
      <List
        rows={[
          [t("agent.model"), agent.model],
          [t("agent.visibility"), agent.visibility === "private" ? t("agent.private") : t("agent.public")],
          [t("agent.credits"), number.format(agent.creditsUsed)],
          [t("agent.creditLimit"), limit],
          [t("agent.lastMessage"), agent.lastMessageAt ? formatDate(agent.lastMessageAt, locale) : t("agent.never")],
          [t("agent.created"), formatDate(agent.createdAt, locale)],
          [t("agent.id"), agent.id],
        ]}
      />
    </div>
  );
}
