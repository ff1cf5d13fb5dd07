import type { ReactNode } from "react";
import { Icon } from "./icon";
import styles from "./notice.module.css";

interface Props {
  /** Set where it comes and goes while the screen is open: then it is read out. */
  isStatus?: boolean;
  children: ReactNode;
}

/** Something that whoever looks at the screen should know before they go on. */
export function Notice({ isStatus = false, children }: Props) {
  return (
    <p className={styles.notice} role={isStatus ? "status" : undefined}>
      <Icon name="triangle-alert" />
      <span>{children}</span>
    </p>
  );
}
