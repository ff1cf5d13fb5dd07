import { useId } from "react";
import { useVoiceUsage, type VoiceUsage } from "../../api/usage";
import { Failed } from "../../components/states";
import { useTexts } from "../../i18n";
import { ends } from "../voice/ends";
import styles from "./usage.module.css";

interface Props {
  /** Empty for the present one. */
  month: string;
  /** Empty for all. */
  agent: string;
  isOffered: boolean;
}

/** How the voice calls went that have ended in a month. */
export function VoiceCalls({ month, agent, isOffered }: Props) {
  const { t } = useTexts();
  const heading = useId();
  const { data, error, refetch } = useVoiceUsage(month, agent);
  if (!data && !error) return null;
  if (data?.sessions === 0 && !isOffered) return null;
  return (
    <>
      <h3 id={heading}>{t("usage.voiceCalls")}</h3>
      {!data && <Failed error={error} onRetry={() => void refetch()} />}
      {data?.sessions === 0 && <p className={styles.detail}>{t("usage.voiceNone")}</p>}
      {data && data.sessions > 0 && <Figures usage={data} heading={heading} />}
    </>
  );
}

function Figures({ usage, heading }: { usage: VoiceUsage; heading: string }) {
  const { t, locale } = useTexts();
  const { sessions, joined, seconds, minutes, ends: reasons } = usage;
  const number = new Intl.NumberFormat(locale);
  const rows: [name: string, value: string][] = [
    [t("usage.voiceEnded"), number.format(sessions)],
    [t("usage.voiceJoined"), number.format(joined)],
    [t("usage.voiceLength"), joined > 0 ? formatLength(seconds / joined, locale) : "–"],
    [t("usage.voiceMinutes"), number.format(minutes)],
  ];
  return (
    <table className={styles.table} aria-labelledby={heading}>
      <tbody>
        {rows.map(([name, value]) => (
          <Row key={name} name={name} value={value} />
        ))}
      </tbody>
      <tbody>
        <tr>
          <th scope="rowgroup" colSpan={2}>
            {t("usage.voiceEnds")}
          </th>
        </tr>
        {reasons.map(({ reason, sessions: count }) => (
          <Row key={reason} name={ends[reason] ? t(ends[reason]) : reason} value={number.format(count)} />
        ))}
      </tbody>
    </table>
  );
}

const Row = ({ name, value }: { name: string; value: string }) => (
  <tr>
    <th scope="row">{name}</th>
    <td className={styles.number}>{value}</td>
  </tr>
);

// Under a minute in seconds, else in minutes.
function formatLength(seconds: number, locale: string): string {
  const [value, unit] = seconds < 60 ? [Math.round(seconds), "second"] : [seconds / 60, "minute"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}
