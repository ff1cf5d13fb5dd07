// What was read of a source: its pages, its text, its passages.
import { GridList, GridListItem, ListLayout, Virtualizer } from "react-aria-components";
import { usePassages, useSitePages, useSourceText, type SitePage, type SourcePassage } from "../../api/sources";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { More } from "../../components/more";
import { Failed, Loading } from "../../components/states";
import { relativeTime, useTexts, type Key } from "../../i18n";
import type { IconName } from "../../../../shared/icons";
import { Reason } from "./reason";
import styles from "./views.module.css";

const pageLooks: Record<string, [IconName, Key, string]> = {
  included: ["circle-check", "sources.page.included", "good"],
  unchanged: ["circle-check", "sources.page.unchanged", "good"],
  read: ["circle-check", "sources.page.read", "none"],
  merged: ["arrow-left", "sources.page.merged", "none"],
  excluded: ["circle-dashed", "sources.page.excluded", "none"],
  failed: ["circle-alert", "sources.page.failed", "bad"],
  waiting: ["loader-circle", "sources.page.waiting", "none"],
};

// Only what is in view is in the page; the heights of the rest are guessed until they were seen once.
const pageLayout = { estimatedRowHeight: 56 };
const passageLayout = { estimatedRowHeight: 140, gap: 10 };

interface PagesProps {
  agentId: string;
  id: string;
  isMoving: boolean;
  onOpen: (sourceId: string) => void;
}

/** The addresses of a website, with what came of each. */
export function SitePages({ agentId, id, isMoving, onOpen }: PagesProps) {
  const { t } = useTexts();
  const pages = useSitePages(agentId, id, isMoving);
  if (pages.isPending) return <Loading />;
  if (pages.isError) return <Failed error={pages.error} onRetry={() => void pages.refetch()} />;
  const rows = pages.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0) return <p className={styles.detail}>{t("sources.noPages")}</p>;
  return (
    <>
      <Virtualizer layout={ListLayout} layoutOptions={pageLayout}>
        <GridList
          aria-label={t("sources.tab.pages")}
          items={rows.map((page) => ({ id: page.url, page }))}
          keyboardNavigationBehavior="tab"
          className={styles.rows!}
          render={({ children, ...props }) => (
            <div {...props} aria-rowcount={pages.data.pages[0]!.pagination.total ?? rows.length}>
              {children}
            </div>
          )}
        >
          {({ page }) => (
            <GridListItem textValue={page.url} className={styles.row!}>
              <PageRow page={page} onOpen={onOpen} />
            </GridListItem>
          )}
        </GridList>
      </Virtualizer>
      <More list={pages} />
    </>
  );
}

function PageRow({ page, onOpen }: { page: SitePage; onOpen: PagesProps["onOpen"] }) {
  const { t, locale } = useTexts();
  const [icon, word, look] = pageLooks[page.state] ?? ["circle-dashed", "sources.page.waiting", "none"];
  const { sourceId } = page;
  return (
    <div className={`${styles.page} ${styles[look]}`}>
      <Icon name={icon} size={16} />
      <span className={styles.address}>
        <bdi dir="ltr">{page.url}</bdi>
        <span className={styles.detail}>
          <Facts>
            {t(word)}
            {page.passages > 0 && t("sources.passageCount", { count: page.passages })}
            {page.readAt && relativeTime(page.readAt, locale)}
            {(page.reason || (page.status ?? 0) >= 400) && (
              <Reason code={page.reasonCode} reason={page.reason || String(page.status)} />
            )}
          </Facts>
        </span>
      </span>
      {sourceId && (
        <Button
          kind="quiet"
          onPress={() => onOpen(sourceId)}
          aria-label={t("sources.readText", { name: page.url })}
        >
          {t("sources.tab.text")}
        </Button>
      )}
    </div>
  );
}

/** The text as the agent has it. */
export function SourceTextView({ agentId, id, version = "" }: { agentId: string; id: string; version?: string }) {
  const { t } = useTexts();
  const text = useSourceText(agentId, id, version);
  if (text.isPending) return <Loading />;
  if (text.isError) return <Failed error={text.error} onRetry={() => void text.refetch()} />;
  const whole = text.data.pages.map((part) => part.text).join("");
  if (!whole) return <p className={styles.detail}>{t("sources.noText")}</p>;
  return (
    <>
      <div className={styles.text} dir="auto" tabIndex={0} role="region" aria-label={t("sources.tab.text")}>
        {whole}
      </div>
      <More list={text} />
    </>
  );
}

/** The parts that are searched and quoted. */
export function Passages({ agentId, id }: { agentId: string; id: string }) {
  const { t } = useTexts();
  const passages = usePassages(agentId, id);
  if (passages.isPending) return <Loading />;
  if (passages.isError) return <Failed error={passages.error} onRetry={() => void passages.refetch()} />;
  const rows = passages.data.pages.flatMap(({ data }) => data);
  const total = passages.data.pages[0]!.pagination.total ?? rows.length;
  if (rows.length === 0) return <p className={styles.detail}>{t("sources.noText")}</p>;
  return (
    <>
      <p className={styles.detail}>{t("sources.passageCount", { count: total })}</p>
      <Virtualizer layout={ListLayout} layoutOptions={passageLayout}>
        <GridList
          aria-label={t("sources.tab.passages")}
          items={rows.map((passage) => ({ id: passage.passageId, passage }))}
          keyboardNavigationBehavior="tab"
          className={styles.passages!}
          render={({ children, ...props }) => (
            <div {...props} aria-rowcount={total}>
              {children}
            </div>
          )}
        >
          {({ passage }) => (
            <GridListItem textValue={t("sources.passageNumber", { number: passage.number })} className={styles.row!}>
              <PassageRow passage={passage} />
            </GridListItem>
          )}
        </GridList>
      </Virtualizer>
      <More list={passages} />
    </>
  );
}

function PassageRow({ passage: { number, heading, text } }: { passage: SourcePassage }) {
  const { t } = useTexts();
  return (
    <div className={styles.passage}>
      <p className={styles.detail}>
        <Facts>
          {t("sources.passageNumber", { number })}
          {heading && <bdi>{heading}</bdi>}
        </Facts>
      </p>
      <p className={styles.words} dir="auto">
        {text}
      </p>
    </div>
  );
}
