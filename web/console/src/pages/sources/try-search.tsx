import { useQuery, useQueryClient } from "@tanstack/react-query";
import { trySearch, type SearchTrialResult } from "../../api/sources";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Progress } from "../../components/progress";
import { shareOfBest } from "../../components/share-of-best";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import styles from "./try-search.module.css";

interface Props {
  agentId: string;
  /** What is looked for, out of the address; null while nobody tries. */
  query: string | null;
  onSearch: (query: string) => void;
  onClose: () => void;
}

const trialOf = (agentId: string, query: string) => ({
  queryKey: ["try-search", agentId, query],
  queryFn: () => trySearch(agentId, query),
  retry: false,
});

/** Searches the sources for a question. No model is asked, so it costs nothing. */
export function TrySearchDialog({ agentId, query, onSearch, onClose }: Props) {
  const { t } = useTexts();
  const client = useQueryClient();
  const found = useQuery({ ...trialOf(agentId, query ?? ""), enabled: Boolean(query), staleTime: Infinity });
  const search = async ({ query = "" }: Record<string, string>) => {
    await client.fetchQuery({ ...trialOf(agentId, query), staleTime: 0 });
    onSearch(query);
  };
  return (
    <Dialog place="top" title={t("sources.trySearch")} isOpen={query !== null} onClose={onClose}>
      <p className={styles.detail}>{t("sources.trySearchText")}</p>
      <Form onSubmit={search}>
        {(isPending) => (
          <div className={styles.ask}>
            <Field
              name="query"
              label={t("sources.trySearchQuery")}
              defaultValue={query ?? ""}
              maxLength={2000}
              isRequired
              autoFocus
            />
            <Button type="submit" kind="primary" isPending={isPending}>
              {t("sources.trySearchSubmit")}
            </Button>
          </div>
        )}
      </Form>
      {found.isError && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && <Found result={found.data} />}
    </Dialog>
  );
}

function Found({ result }: { result: SearchTrialResult }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, minimumFractionDigits: 2 });
  if (result.passages.length === 0) return <p role="status">{t("sources.foundNothing")}</p>;
  return (
    <>
      <p role="status" className={styles.detail}>
        {t("sources.found", { count: result.passages.length })}
      </p>
      <ol className={styles.list}>
        {result.passages.map(({ passageId, sourceName, heading, text, score, rank, rerank }) => (
          <li key={passageId} className={styles.passage}>
            <p className={styles.head}>
              <bdi>{sourceName}</bdi>
              <span className={styles.score}>
                <Progress label={t("sources.score")} share={shareOfBest(rank, result.passages)} />
                {number.format(shareOfBest(rank, result.passages))}
              </span>
            </p>
            {heading && (
              <p className={styles.detail}>
                <bdi>{heading}</bdi>
              </p>
            )}
            <p className={styles.words} dir="auto">
              {text}
            </p>
            <p className={styles.detail}>
              <Facts>
                {t("sources.rank", { rank: number.format(rank) })}
                {t("sources.likely", { score: number.format(score) })}
                {rerank !== null && t("sources.rerank", { score: number.format(rerank) })}
              </Facts>
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
