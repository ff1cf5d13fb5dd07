// The settings that the agent has had, what differs from those in force, and having them again.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAddressParams } from "../../address-params";
import { useMay } from "../../api/session";
import { readConflict, restoreVersion, useAgentVersion, useHistory, type AgentSettings, type AgentVersion } from "../../api/settings";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Facts } from "../../components/facts";
import { Section } from "../../components/page";
import { Empty, Failed, Loading } from "../../components/states";
import { formatDate, useTexts } from "../../i18n";
import { showName } from "../../names";
import { ChangedLines } from "../sources/version";
import { findDifferences, useSettingName, useValueText } from "./values";
import styles from "./agent-settings.module.css";

export function History({ id, stored }: { id: string; stored: AgentSettings }) {
  const { t } = useTexts();
  const history = useHistory(id);
  const [query, setQuery] = useAddressParams();
  const [isRestored, setRestored] = useState(false);
  const chosen = history.data?.versions.find(({ version }) => String(version) === query.get("version"));
  const open = (version: number | null) => setQuery(version === null ? {} : { version: String(version) });
  const close = (hasRestored: boolean) => {
    setRestored(hasRestored);
    open(null);
  };
  return (
    <Section title={t("settings.history")}>
      <p>{t("settings.historyText")}</p>
      {isRestored && <p role="status">{t("settings.restored")}</p>}
      {history.isPending && <Loading />}
      {history.isError && <Failed error={history.error} onRetry={() => void history.refetch()} />}
      {history.data?.versions.length === 0 && (
        <Empty icon="clock" title={t("settings.noHistory")} text={t("settings.noHistoryText")} />
      )}
      {history.data && history.data.versions.length > 0 && (
        <ol className={styles.versions}>
          {history.data.versions.map((version, i) => (
            <Row key={version.version} version={version} isPresent={i === 0} onOpen={() => open(version.version)} />
          ))}
        </ol>
      )}
      {chosen && <Comparison id={id} version={chosen} stored={stored} onClose={close} />}
    </Section>
  );
}

interface RowProps {
  version: AgentVersion;
  isPresent: boolean;
  onOpen: () => void;
}

function Row({ version: { at, by, changed }, isPresent, onOpen }: RowProps) {
  const { t, locale } = useTexts();
  const nameOf = useSettingName();
  const time = formatDate(at, locale);
  const names = [...new Set(changed.map(nameOf))];
  const what = names.length > 0 ? new Intl.ListFormat(locale).format(names) : t("settings.firstVersion");
  return (
    <li>
      <div>
        <p>{what}</p>
        <p className={styles.hint}>
          <Facts>
            <time dateTime={at}>{time}</time>
            {changed.length > 0 && (by.name ? <bdi>{showName(by.name, t)}</bdi> : t(`settings.by.${by.kind}`))}
            {isPresent && t("settings.isPresent")}
          </Facts>
        </p>
      </div>
      {!isPresent && (
        <Button kind="quiet" onPress={onOpen} aria-label={t("settings.showVersionOf", { time })}>
          {t("settings.showVersion")}
        </Button>
      )}
    </li>
  );
}

interface ComparisonProps {
  id: string;
  version: AgentVersion;
  stored: AgentSettings;
  onClose: (hasRestored: boolean) => void;
}

function Comparison({ id, version, stored, onClose }: ComparisonProps) {
  const { t, locale } = useTexts();
  const found = useAgentVersion(id, version.version);
  return (
    <Dialog title={t("settings.versionOf", { time: formatDate(version.at, locale) })} isOpen onClose={() => onClose(false)}>
      {found.isPending && <Loading />}
      {found.isError && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && <Differences id={id} then={found.data} now={stored} onClose={onClose} />}
    </Dialog>
  );
}

interface DifferencesProps {
  id: string;
  then: AgentSettings;
  now: AgentSettings;
  onClose: (hasRestored: boolean) => void;
}

function Differences({ id, then, now, onClose }: DifferencesProps) {
  const { t } = useTexts();
  const client = useQueryClient();
  const mayChange = useMay("agents:write");
  const nameOf = useSettingName();
  const show = useValueText();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const differences = findDifferences(now.settings, then.settings);
  const restore = async () => {
    setPending(true);
    setError(null);
    try {
      client.setQueryData(["settings", id], await restoreVersion(id, then.version, now.version));
      onClose(true);
    } catch (thrown) {
      setError(thrown);
      if (readConflict(thrown)) await client.invalidateQueries({ queryKey: ["settings", id] });
    } finally {
      setPending(false);
      await client.invalidateQueries({ queryKey: ["settings", id, "history"] });
    }
  };
  return (
    <>
      {differences.length === 0 && <p>{t("settings.noDifference")}</p>}
      {differences.map(({ path, before, after }) => {
        const name = nameOf(path);
        const [group = ""] = path.split(".");
        return (
          <section key={path} className={styles.difference}>
            <h3>
              {name === path ? (
                <Facts>
                  {group !== path && nameOf(group)}
                  <code dir="ltr">{path}</code>
                </Facts>
              ) : (
                name
              )}
            </h3>
            <ChangedLines label={name} before={show(before)} after={show(after)} />
          </section>
        );
      })}
      {error !== null && <Failed error={error} />}
      <Actions>
        <Button onPress={() => onClose(false)}>{t("dialog.close")}</Button>
        {mayChange && differences.length > 0 && (
          <Button kind="primary" isPending={isPending} onPress={() => void restore()}>
            {t("settings.restore")}
          </Button>
        )}
      </Actions>
    </>
  );
}
