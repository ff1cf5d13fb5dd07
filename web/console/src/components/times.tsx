import { formatDate, formatDay, formatTime, isSameDay, useTexts } from "../i18n";
import styles from "./times.module.css";

/** A time of the day. The whole date is shown over it, and read out. */
export function ShortTime({ time }: { time: string }) {
  const { locale } = useTexts();
  const whole = formatDate(time, locale);
  return (
    <time dateTime={time} title={whole} className={styles.time}>
      <span aria-hidden="true">{formatTime(time, locale)}</span>
      <span className={styles.hidden}>{whole}</span>
    </time>
  );
}

/** A row with the day of what follows, where it is another one than that of what is before. */
export function DayBefore({ time, before }: { time: string; before: string | undefined }) {
  const { locale } = useTexts();
  if (before && isSameDay(time, before)) return null;
  return (
    <li className={styles.day}>
      <time dateTime={time}>{formatDay(time, locale)}</time>
    </li>
  );
}
