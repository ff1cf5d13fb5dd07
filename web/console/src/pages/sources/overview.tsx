import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAgent } from "../../api/agents";
import { setWeeklyResync, useKnowledge, useSummary, type SourcesSummary } from "../../api/sources";
import { Facts } from "../../components/facts";
import { Progress } from "../../components/progress";
import { Failed } from "../../components/states";
import { Toggle } from "../../components/toggle";
import { formatSize, useTexts, type Key } from "../../i18n";
import styles from "./overview.module.css";

const kinds: [keyof SourcesSummary, Key][] = [
  ["links", "sources.count.links"],
  ["files", "sources.count.files"],
  ["qnas", "sources.count.qnas"],
  ["texts", "sources.count.texts"],
];

/** How much an agent reads, in words: 2 websites, 4 files. `none` is shown where there is nothing. */
export function Counts({ agentId, none = null }: { agentId: string; none?: string | null }) {
  const { t } = useTexts();
  const { data, isError, error, refetch } = useSummary(agentId);
  if (isError) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const found = kinds.filter(([kind]) => data[kind].count > 0);
  if (found.length === 0) return none;
  return <Facts>{found.map(([kind, key]) => t(key, { count: data[kind].count }))}</Facts>;
}

/** The line over the list: counts, room, and the weekly reading of websites. */
export function Overview({ agentId, mayWrite }: { agentId: string; mayWrite: boolean }) {
  return (
    <div className={styles.overview}>
      <div className={styles.counts}>
        <Counts agentId={agentId} />
      </div>
      <Room agentId={agentId} />
      <Resync agentId={agentId} mayWrite={mayWrite} />
    </div>
  );
}

function Room({ agentId }: { agentId: string }) {
  const { t, locale } = useTexts();
  const { data } = useKnowledge(agentId);
  const agent = useAgent(agentId); // has the present size; what is counted of answers is older
  if (!data) return null;
  const bytes = agent.data?.size ?? data.size;
  const size = formatSize(bytes, locale);
  if (data.limit === null) return <p>{t("sources.size", { size })}</p>;
  return (
    <div className={styles.room}>
      <p>{t("sources.sizeOf", { size, limit: formatSize(data.limit, locale) })}</p>
      <Progress label={t("sources.room")} share={data.limit > 0 ? bytes / data.limit : 1} />
    </div>
  );
}

function Resync({ agentId, mayWrite }: { agentId: string; mayWrite: boolean }) {
  const { t } = useTexts();
  const client = useQueryClient();
  const { data } = useAgent(agentId);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  if (!data) return null;
  const change = async (isOn: boolean) => {
    setPending(true);
    setError(null);
    try {
      await setWeeklyResync(agentId, isOn);
      await client.invalidateQueries({ queryKey: ["agent", agentId] });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };
  return (
    <div className={styles.resync}>
      <Toggle isSelected={data.autoRetrain} isDisabled={isPending || !mayWrite} onChange={(isOn) => void change(isOn)}>
        {t("sources.resync")}
      </Toggle>
      {error !== null && <Failed error={error} />}
    </div>
  );
}
