import { days, type Shift } from "../../api/helpdesk-setup";
import { useTexts } from "../../i18n";
import { nameDay } from "./days";
import { dayMinutes, timeOf, weeksOf, type Span, type Week } from "./week";
import styles from "./setup.module.css";

/** When a team works, day by day: one table for each time zone. */
export function WeekGrid({ shifts }: { shifts: readonly Shift[] }) {
  return weeksOf(shifts).map((week) => <WeekTable key={week.zone} week={week} />);
}

const hours = [0, 6, 12, 18, 24];

function WeekTable({ week: { zone, days: spans } }: { week: Week }) {
  const { t, locale } = useTexts();
  return (
    <table className={styles.week}>
      <caption>{t("tickets.setup.week", { zone })}</caption>
      <tbody>
        {days.map((day, i) => (
          <tr key={day}>
            <th scope="row">{nameDay(day, locale)}</th>
            <td className={styles.bar}>
              <Bar spans={spans[i]!} />
            </td>
            <td>{spans[i]!.length > 0 ? <Times spans={spans[i]!} /> : t("tickets.setup.dayOff")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The parts of a day as a picture, with a line every six hours. */
function Bar({ spans }: { spans: readonly Span[] }) {
  return (
    <svg viewBox={`0 0 ${dayMinutes} 20`} preserveAspectRatio="none" aria-hidden="true">
      {spans.map(({ from, to }) => (
        <rect key={from} x={from} width={to - from} height="20" />
      ))}
      {hours.map((hour) => (
        <line key={hour} x1={hour * 60} x2={hour * 60} y1="0" y2="20" />
      ))}
    </svg>
  );
}

function Times({ spans }: { spans: readonly Span[] }) {
  const { locale } = useTexts();
  const texts = spans.map(({ from, to }) => `${timeOf(from)}–${timeOf(to)}`);
  return <bdi dir="ltr">{new Intl.ListFormat(locale, { type: "unit", style: "short" }).format(texts)}</bdi>;
}
