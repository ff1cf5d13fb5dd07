import styles from "./progress.module.css";

interface Props {
  label: string;
  /** From 0 to 1; null where nobody knows how much there is. */
  share: number | null;
}

/** How far something is. */
export function Progress({ label, share }: Props) {
  const known = share === null ? {} : { value: Math.min(1, Math.max(0, share)) };
  return <progress className={styles.bar} aria-label={label} max={1} {...known} />;
}
