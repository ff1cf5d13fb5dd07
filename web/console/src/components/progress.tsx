import { useTexts } from "../i18n";
import styles from "./progress.module.css";

interface Props {
  label: string;
  /** From 0 to 1; null where nobody knows how much there is. */
  share: number | null;
}

/** How far something is. */
export function Progress({ label, share }: Props) {
  const { locale } = useTexts();
  if (share === null) return <progress className={styles.bar} aria-label={label} max={1} />;
  const value = Math.min(1, Math.max(0, share));
  const words = new Intl.NumberFormat(locale, { style: "percent" }).format(value); // as it is read out: "47%"
  return <progress className={styles.bar} aria-label={label} aria-valuetext={words} max={1} value={value} />;
}
