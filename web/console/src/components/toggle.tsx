import { Switch, type SwitchProps } from "react-aria-components";
import styles from "./toggle.module.css";

/** Something that is on or off. */
export function Toggle({ children, ...props }: Omit<SwitchProps, "children" | "className"> & { children: string }) {
  return (
    <Switch {...props} className={styles.switch!}>
      <span className={styles.track} aria-hidden="true" />
      {children}
    </Switch>
  );
}
