import type { Insights } from "../../api/insights";
import { useFirstText, useReport, type Period, type Search } from "../../api/report";
import { Section } from "../../components/page";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { addressOfFound } from "./address";
import { Days } from "./days";
import { Groups, type Group } from "./groups";
import { NamedLink } from "./named-link";
import { Weeks } from "./weeks";
import styles from "./insights.module.css";

interface Props {
  agentId: string;
  period: Period;
  report: Insights;
  /** Of the time before, as long; undefined until it is there. */
  before: Insights | undefined;
}

/** The figures of a period, each with what it counts, beside those of the time before. */
export function Figures({ agentId, period, report, before }: Props) {
  const { t } = useTexts();
  const addressOf = (search: Search) => addressOfFound(agentId, period, search);
  const topics = report.topics.map(({ name, parent, ...sums }) => ({ key: name, parent, ...sums }));
  const figures = useFigures(report, before);
  return (
    <>
      <ul className={styles.figures}>
        {figures.map((figure) => (
          <FigureCard key={figure.name} figure={figure} addressOf={addressOf} agentId={agentId} />
        ))}
        <FirstWord agentId={agentId} period={period} former={before} addressOf={addressOf} />
      </ul>
      <Days rows={report.series} addressOf={addressOf} />
      <div className={styles.columns}>
        <Section title={t("insights.byTopic")}>
          <Groups rows={topics} filter="topic" addressOf={addressOf} />
        </Section>
        <Section title={t("insights.bySentiment")}>
          <p className={styles.hint}>{t("insights.sentimentMeans")}</p>
          <OtherGroups agentId={agentId} period={period} by="sentiment" addressOf={addressOf} />
          <Weeks agentId={agentId} period={period} addressOf={addressOf} />
        </Section>
        <Section title={t("insights.byChannel")}>
          <OtherGroups agentId={agentId} period={period} by="channel" addressOf={addressOf} />
        </Section>
      </div>
    </>
  );
}

interface OtherProps {
  agentId: string;
  period: Period;
  by: "sentiment" | "channel";
  addressOf: (search: Search) => string;
}

function OtherGroups({ agentId, period, by, addressOf }: OtherProps) {
  const report = useReport(agentId, period, by);
  if (report.isPending) return <Loading />;
  if (!report.data) return <Failed error={report.error} onRetry={() => void report.refetch()} />;
  const rows: Group[] = report.data.series.map((row) => ({ parent: null, ...row }));
  return <Groups rows={rows} filter={by === "channel" ? "source" : by} addressOf={addressOf} />;
}

interface Figure {
  name: string;
  value: string;
  /** Against the time before; null where that cannot be said. */
  change: string | null;
  definition: string;
  /** What finds the conversations behind it. */
  search: Search;
  /** What else is behind it: those that it does not count, or questions. */
  more?: "unresolved" | "questions";
}

const shareOf = (some: number, others: number) => (some + others > 0 ? some / (some + others) : null);

// A figure is a number, or a share from 0 to 1, now and in the time before.
function useFigures(report: Insights, before: Insights | undefined): Figure[] {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const change = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });
  const points = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: "exceptZero" });
  const compare = (by: string, then: string) => t("insights.change", { by, then });
  const count = (read: (from: Insights) => number): Pick<Figure, "value" | "change"> => {
    const [now, then] = [read(report), before && read(before)];
    const isComparable = then !== undefined && then > 0;
    return { value: number.format(now), change: isComparable ? compare(change.format(now / then - 1), number.format(then)) : null };
  };
  const share = (read: (from: Insights) => number | null): Pick<Figure, "value" | "change"> => {
    const [now, then] = [read(report), before ? read(before) : null];
    const isComparable = now !== null && then !== null;
    return {
      value: now === null ? "–" : percent.format(now),
      change: isComparable ? compare(t("insights.points", { number: points.format((now - then) * 100) }), percent.format(then)) : null,
    };
  };
  const { againDays, settling } = report.resolution;
  const settles = settling > 0 ? ` ${t("insights.settling", { count: settling })}` : "";
  return [
    { name: t("insights.conversations"), ...count(({ totals }) => totals.conversations), definition: t("insights.conversationsMeans"), search: {} },
    { name: t("insights.resolved"), ...share(({ resolution }) => resolution.rate), definition: t("insights.resolvedMeans", { count: againDays }) + settles, search: { figure: "resolved" }, more: "unresolved" },
    { name: t("insights.escalated"), ...share(({ totals }) => shareOf(totals.escalated, totals.conversations - totals.escalated)), definition: t("insights.escalatedMeans"), search: { escalated: "true" } },
    { name: t("insights.liked"), ...share(({ totals }) => shareOf(totals.thumbsUp, totals.thumbsDown)), definition: t("insights.likedMeans"), search: { feedback: "positive,negative" } },
    { name: t("insights.disliked"), ...count(({ totals }) => totals.thumbsDown), definition: t("insights.dislikedMeans"), search: { feedback: "negative" } },
    { name: t("insights.refused"), ...share(({ totals }) => shareOf(totals.refusedAnswers, totals.answers - totals.refusedAnswers)), definition: t("insights.refusedMeans"), search: { figure: "refused" }, more: "questions" },
  ];
}

interface FirstWordProps {
  agentId: string;
  period: Period;
  /** The time before; undefined until it is known. */
  former: Period | undefined;
  addressOf: (search: Search) => string;
}

/** How soon the answers began: a figure that is read by itself. */
function FirstWord({ agentId, period, former, addressOf }: FirstWordProps) {
  const { t, locale } = useTexts();
  const now = useFirstText(agentId, period);
  const before = useFirstText(agentId, former && { from: former.from, to: former.to });
  const [millis, formerMillis] = [now.data?.millis ?? null, before.data?.millis ?? null];
  const seconds = { style: "unit", unit: "second", maximumFractionDigits: 2 } as const;
  const show = new Intl.NumberFormat(locale, seconds);
  const change = new Intl.NumberFormat(locale, { ...seconds, signDisplay: "exceptZero" });
  const isComparable = millis !== null && formerMillis !== null;
  const figure: Figure = {
    name: t("insights.firstWord"),
    value: millis === null ? "–" : show.format(millis / 1000),
    change: isComparable ? t("insights.change", { by: change.format((millis - formerMillis) / 1000), then: show.format(formerMillis / 1000) }) : null,
    definition: t(now.isError ? "insights.firstWordFailed" : "insights.firstWordMeans"),
    search: {},
  };
  return <FigureCard figure={figure} addressOf={addressOf} agentId={agentId} />;
}

function FigureCard({ figure, agentId, addressOf }: { figure: Figure; agentId: string; addressOf: (search: Search) => string }) {
  const { t } = useTexts();
  const { name, value, change, definition, search, more } = figure;
  const others = more === "questions" ? `/agents/${agentId}/insights/questions` : addressOf({ figure: "unresolved" });
  return (
    <li className={styles.figure}>
      <h2>{name}</h2>
      <p>
        <strong>{value}</strong> {change && <span className={styles.hint}>{change}</span>}
      </p>
      <p className={styles.hint}>{definition}</p>
      <p className={styles.links}>
        <NamedLink href={addressOf(search)} text={t("insights.show")} name={name} />
        {more && <NamedLink href={others} text={t(more === "questions" ? "insights.showQuestions" : "insights.showUnresolved")} name={name} />}
      </p>
    </li>
  );
}
