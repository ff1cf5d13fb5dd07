import type { ReactNode } from "react";
import { useAddressParams } from "../../address-params";
import { useVersions, type SourceDetails, type SourceVersion } from "../../api/sources";
import { Button } from "../../components/button";
import { Facts } from "../../components/facts";
import { Icon } from "../../components/icon";
import { Failed, Loading } from "../../components/states";
import { formatDate, formatSize, useTexts, type Key } from "../../i18n";
import type { IconName } from "../../../../shared/icons";
import { ofVersion } from "./details";
import { Reason } from "./reason";
import { VersionView } from "./version";
import styles from "./history.module.css";

const looks: Record<SourceVersion["state"], [IconName, Key]> = {
  answers: ["circle-check", "sources.version.answers"],
  reading: ["loader-circle", "sources.version.reading"],
  failed: ["circle-alert", "sources.version.failed"],
  earlier: ["clock", "sources.version.earlier"],
};

interface Props {
  agentId: string;
  source: SourceDetails;
  /** The page of a website whose versions are listed; undefined for the source itself. */
  pageId: string | undefined;
  /** Whether it is a website, whose pages have the versions. */
  isSite: boolean;
}

/** When a source was added and changed, and the versions that are kept: each can be read, and compared. */
export function History({ agentId, source, pageId, isSite }: Props) {
  const { t, locale } = useTexts();
  const sourceId = pageId ?? source.sourceId;
  const versions = useVersions(agentId, sourceId);
  const [query, setQuery] = useAddressParams();
  if (versions.isPending) return <Loading />;
  if (versions.isError) return <Failed error={versions.error} onRetry={() => void versions.refetch()} />;
  const list = versions.data.versions;
  const version = list.find(({ version }) => version === query.get("version"));
  const live = list.find(({ state }) => state === "answers");
  const open = (version: string) =>
    setQuery((before) => {
      before.set("version", version);
      return before;
    });
  const leave = () =>
    setQuery((before) => {
      for (const name of ofVersion) before.delete(name);
      return before;
    });
  if (version) {
    const other = live === version ? undefined : live;
    return <VersionView agentId={agentId} sourceId={sourceId} version={version} live={other} onLeave={leave} />;
  }
  return (
    <>
      <ol className={styles.events}>
        <Event icon="refresh-cw" name={t("sources.changed")} time={source.updatedAt}>
          {source.reason && <Reason code={source.reasonCode} reason={source.reason} />}
        </Event>
        {list.map(({ version, state, bytes, createdAt }) => (
          <Event
            key={version + createdAt}
            icon={looks[state][0]}
            name={t(looks[state][1])}
            time={createdAt}
            action={
              <Button
                kind="quiet"
                onPress={() => open(version)}
                aria-label={t("sources.openVersion", { time: formatDate(createdAt, locale) })}
              >
                {t("sources.open")}
              </Button>
            }
          >
            <Facts>
              {formatSize(bytes, locale)}
              <code dir="ltr">{version.slice(0, 12)}</code>
            </Facts>
          </Event>
        ))}
        <Event icon="plus" name={t("sources.added")} time={source.createdAt} />
      </ol>
      <p className={styles.note}>{isSite && !pageId ? t("sources.historyOfSite") : t("sources.historyNote")}</p>
    </>
  );
}

interface EventProps {
  icon: IconName;
  name: string;
  time: string;
  action?: ReactNode;
  children?: ReactNode;
}

function Event({ icon, name, time, action, children }: EventProps) {
  const { locale } = useTexts();
  return (
    <li className={styles.event}>
      <Icon name={icon} size={16} />
      <span>
        {name}
        {children && <span className={styles.note}>{children}</span>}
      </span>
      <time dateTime={time}>{formatDate(time, locale)}</time>
      <span className={styles.action}>{action}</span>
    </li>
  );
}
