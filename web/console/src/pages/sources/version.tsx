import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAddressParams } from "../../address-params";
import { readWholeText, type SourceVersion } from "../../api/sources";
import { Button } from "../../components/button";
import { Failed, Loading } from "../../components/states";
import { Toggle } from "../../components/toggle";
import { formatDate, useTexts } from "../../i18n";
import { compareLines, leaveOutSame, type Line } from "./compare";
import { SourceTextView } from "./views";
import styles from "./version.module.css";

interface Props {
  agentId: string;
  sourceId: string;
  version: SourceVersion;
  /** The version that answers, to compare with; undefined if there is none or it is this one. */
  live: SourceVersion | undefined;
  onLeave: () => void;
}

/** The text of a version of a source, or how it differs from the one that answers. */
export function VersionView({ agentId, sourceId, version, live, onLeave }: Props) {
  const { t, locale } = useTexts();
  const [query, setQuery] = useAddressParams();
  const isComparing = query.has("compare");
  const setComparing = (isComparing: boolean) =>
    setQuery(
      (before) => {
        isComparing ? before.set("compare", "on") : before.delete("compare");
        return before;
      },
      { replace: true },
    );
  return (
    <>
      <div className={styles.head}>
        <h3>{t("sources.versionOf", { time: formatDate(version.createdAt, locale) })}</h3>
        <Button autoFocus onPress={onLeave}>
          {t("sources.allVersions")}
        </Button>
      </div>
      {live && (
        <Toggle isSelected={isComparing} onChange={setComparing}>
          {t("sources.compareVersions")}
        </Toggle>
      )}
      {isComparing && live ? (
        <Comparison agentId={agentId} sourceId={sourceId} from={version.version} to={live.version} />
      ) : (
        <SourceTextView agentId={agentId} id={sourceId} version={version.version} />
      )}
    </>
  );
}

const mostShown = 2000; // lines

function Comparison({ agentId, sourceId, from, to }: { agentId: string; sourceId: string; from: string; to: string }) {
  const { t } = useTexts();
  const texts = useQuery({
    queryKey: ["source", agentId, sourceId, "comparison", from, to],
    queryFn: ({ signal }) => Promise.all([from, to].map((one) => readWholeText(agentId, sourceId, one, signal))),
    gcTime: 0,
  });
  if (texts.isError) return <Failed error={texts.error} onRetry={() => void texts.refetch()} />;
  if (!texts.data) return <Loading />;
  return <ChangedLines before={texts.data[0]!} after={texts.data[1]!} label={t("sources.comparison")} />;
}

// A text that is empty has no line, where it becomes one that is not.
const isNoLine = ({ kind, text }: Line, before: string, after: string) =>
  text === "" && ((kind === "removed" && before === "") || (kind === "added" && after === ""));

interface LinesProps {
  before: string;
  after: string;
  /** What is compared. */
  label: string;
  /** Whether they are lines of a program, from the left in every language. */
  isCode?: boolean;
}

/** How two texts differ, line by line. */
export function ChangedLines({ before, after, label, isCode = false }: LinesProps) {
  const { t } = useTexts();
  const lines = useMemo(() => compareLines(before, after).filter((line) => !isNoLine(line, before, after)), [before, after]);
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  const shown = leaveOutSame(lines);
  const words = { added: t("sources.lineAdded"), removed: t("sources.lineRemoved") };
  return (
    <>
      <p role="status" className={styles.sum}>
        {t("sources.linesChanged", { added: count("added"), removed: count("removed") })}
      </p>
      <div
        className={`${styles.text} ${isCode ? styles.code : ""}`}
        dir={isCode ? "ltr" : "auto"}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        {shown.slice(0, mostShown).map((line, i) => {
          if (line.kind === "gap") return <p key={i} className={styles.gap}>{t("sources.linesSame", { count: line.count })}</p>;
          if (line.kind === "same") return <p key={i}>{line.text}</p>;
          const Change = line.kind === "added" ? "ins" : "del";
          return (
            <p key={i} className={styles[line.kind]}>
              <span className={styles.hidden}>{words[line.kind]}</span>
              <Change>{line.text}</Change>
            </p>
          );
        })}
        {shown.length > mostShown && <p className={styles.gap}>{t("sources.linesMore", { count: shown.length - mostShown })}</p>}
      </div>
    </>
  );
}
