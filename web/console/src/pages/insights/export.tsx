import { useState } from "react";
import type { Insights } from "../../api/insights";
import { useReport, type Period, type Sums } from "../../api/report";
import { Button } from "../../components/button";
import { writeCSV } from "../../components/csv";
import { download } from "../../components/download";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";

const columns = [
  "conversations", "messages", "answers", "refusedAnswers", "escalated", "thumbsUp", "thumbsDown", "resolved", "unresolved",
] as const satisfies readonly (keyof Sums)[];

const rowOf = (group: string, name: string, sums: Sums) => [group, name, ...columns.map((column) => sums[column])];

/** Saves the figures of the period as a table: by day, topic, channel and sentiment. */
export function Export({ agentId, period, report }: { agentId: string; period: Period; report: Insights }) {
  const { t } = useTexts();
  const channels = useReport(agentId, period, "channel");
  const sentiments = useReport(agentId, period, "sentiment");
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setError(null);
    try {
      const others = await Promise.all(
        ([["channel", channels], ["sentiment", sentiments]] as const).map(async ([group, query]) => {
          const { data } = query.data ? query : await query.refetch({ throwOnError: true });
          return (data?.series ?? []).map(({ key, ...sums }) => rowOf(group, key, sums));
        }),
      );
      const days = report.series.map(({ key, ...sums }) => rowOf("day", key, sums));
      const topics = report.topics.map(({ name, parent: _, ...sums }) => rowOf("topic", name, sums));
      const file = writeCSV([["group", "name", ...columns], ...days, ...topics, ...others.flat()]);
      download(file, `insights-${period.from}-${period.to}.csv`);
    } catch (thrown) {
      setError(thrown);
    }
  };
  useScreenActions([{ id: "export", icon: "download", name: t("insights.export"), run: () => void save() }]);
  return (
    <>
      {error !== null && <Failed error={error} />}
      <Button icon="download" onPress={() => void save()}>
        {t("insights.export")}
      </Button>
    </>
  );
}
