import { Children, type ReactNode } from "react";
import styles from "./facts.module.css";

/** Facts in a row, each of them a text of its own; those that are not there leave no gap. */
export function Facts({ children }: { children: ReactNode }) {
  const facts = Children.toArray(children).filter((fact) => fact !== "");
  return (
    <span className={styles.facts}>
      {facts.map((fact, i) => (
        <span key={i}>
          {i > 0 && " · "}
          {fact}
        </span>
      ))}
    </span>
  );
}
