import { useState } from "react";
import { useSentimentWeeks, type Period, type Search, type SentimentWeek } from "../../api/report";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { Bars, type Bar } from "./bars";
import styles from "./insights.module.css";

const feelings = ["positive", "neutral", "negative"] as const;
const looks = { positive: "good", neutral: "neutral", negative: "bad" } as const;

interface Props {
  agentId: string;
  period: Period;
  addressOf: (search: Search) => string;
}

/** How customers felt, week by week: from below positive, neutral and negative, each as its share. */
export function Weeks({ agentId, period, addressOf }: Props) {
  const { t, locale } = useTexts();
  const [focused, setFocused] = useState<string | null>(null);
  const report = useSentimentWeeks(agentId, period);
  const date = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const list = new Intl.ListFormat(locale, { type: "unit" });
  const number = new Intl.NumberFormat(locale);
  const barOf = (week: SentimentWeek): Bar => {
    const known = week.positive + week.neutral + week.negative;
    const when = date.formatRange(new Date(week.from), new Date(week.to));
    const counts = feelings.map((one) => `${t(`insights.${one}`)} ${number.format(week[one])}`);
    return {
      key: week.from,
      href: addressOf({ startDate: week.from, endDate: week.to }),
      label: `${when}: ${list.format(counts)}`,
      parts: feelings.map((one) => ({ size: known > 0 ? (week[one] / known) * 100 : 0, look: looks[one] })),
    };
  };
  if (report.isPending) return <Loading rows={1} />;
  if (!report.data) return <Failed error={report.error} onRetry={() => void report.refetch()} />;
  const { weeks } = report.data;
  if (!weeks.some((week) => feelings.some((one) => week[one] > 0))) return null;
  return (
    <figure className={styles.chart}>
      <Bars isStrip label={t("insights.feltByWeek")} bars={weeks.map(barOf)} onFocus={setFocused} />
      <figcaption>{focused ?? t("insights.feltByWeek")}</figcaption>
    </figure>
  );
}
