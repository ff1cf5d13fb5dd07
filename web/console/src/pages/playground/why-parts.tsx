import type { ReactNode } from "react";
import { Icon } from "../../components/icon";
import styles from "./why.module.css";

/** A part that is opened to be read. */
export function Part({ title, isOpen = false, children }: { title: string; isOpen?: boolean; children: ReactNode }) {
  return (
    <details className={styles.part} open={isOpen}>
      <summary>
        <Icon name="chevron-right" size={16} />
        {title}
      </summary>
      {children}
    </details>
  );
}

export function Row({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </div>
  );
}

export function JSONText({ label, value }: { label: string; value: unknown }) {
  if (value === undefined) return null;
  return (
    <pre className={styles.json} tabIndex={0} role="region" aria-label={label} dir="ltr">
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
