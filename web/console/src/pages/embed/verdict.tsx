import { Icon } from "../../components/icon";
import styles from "./embed.module.css";

/** What a check has found, in words and with a mark. */
export function Verdict({ isGood, children }: { isGood: boolean; children: string }) {
  return (
    <p role="status" className={isGood ? styles.good : styles.bad}>
      <Icon name={isGood ? "circle-check" : "circle-alert"} />
      <span>{children}</span>
    </p>
  );
}
