import { useAgent } from "../../api/agents";
import { shareRead, useSources, type SourceRow } from "../../api/sources";
import { Progress } from "../../components/progress";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { Queue } from "../sources/queue";
import { StateDetail } from "../sources/state";
import { useUploads } from "../sources/uploads";
import { Next } from "./next";
import { Step } from "./step";
import { Trial } from "./trial";
import styles from "./first-run.module.css";

/** The third step: the agent reads, and answers its first question. */
export function AskStep({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const uploads = useUploads(agentId);
  const agent = useAgent(agentId);
  const sources = useSources(agentId, { name: "", type: "", state: "" });
  const rows = sources.data?.pages.flatMap(({ data }) => data) ?? [];
  const canAsk = rows.some(({ answers }) => answers);
  const isExample = rows.some(({ name }) => name === t("firstRun.exampleName"));
  const questions = isExample ? [t("firstRun.exampleHours"), t("firstRun.exampleShipping")] : [];
  const failed = [agent, sources].find(({ isError, data }) => isError && !data);
  return (
    <Step title={t("firstRun.askTitle")} step={3} width="wide">
      {failed && <Failed error={failed.error} onRetry={() => void failed.refetch()} />}
      <Queue uploads={uploads} />
      {sources.data && <Reading rows={rows} canAsk={canAsk} />}
      <div className={styles.columns}>
        <Trial
          key={agentId}
          agent={agentId}
          canAsk={canAsk}
          hasFailed={rows.length > 0 && rows.every(hasFailed)}
          questions={questions}
        />
        <Next agent={agentId} />
      </div>
    </Step>
  );
}

const hasFailed = ({ status }: SourceRow) => status === "failed";

/** How far everything is read, and what could not be. */
function Reading({ rows, canAsk }: { rows: readonly SourceRow[]; canAsk: boolean }) {
  const { t } = useTexts();
  const failed = rows.filter(hasFailed);
  const isDone = rows.length > 0 && rows.every(({ progress }) => progress === null);
  return (
    <div className={styles.reading}>
      {!isDone && <Progress label={t("firstRun.reading")} share={shareRead(rows)} />}
      <div role="status" className={styles.readingWords}>
        <p>{isDone ? <ReadWords all={rows.length} failed={failed.length} canAsk={canAsk} /> : <ReadingWords rows={rows} />}</p>
        {!isDone && canAsk && <p>{t("firstRun.canAskAlready")}</p>}
      </div>
      {failed.length > 0 && (
        <ul className={styles.failed} aria-label={t("firstRun.notRead")}>
          {failed.map((source) => (
            <li key={source.sourceId}>
              <bdi>{source.name}</bdi>
              <StateDetail source={source} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ReadWords({ all, failed, canAsk }: { all: number; failed: number; canAsk: boolean }) {
  const { t } = useTexts();
  if (!canAsk) return t("firstRun.nothingRead");
  return failed === 0 ? t("firstRun.allRead") : t("firstRun.partRead", { count: failed, done: all - failed, all });
}

function ReadingWords({ rows }: { rows: readonly SourceRow[] }) {
  const { t } = useTexts();
  const pages = rows.length === 1 && rows[0]!.progress?.unit === "pages" ? rows[0]!.progress : null;
  if (!pages || pages.total === 0) return t("firstRun.reading");
  return t("sources.readPages", { count: pages.total, done: pages.done });
}
