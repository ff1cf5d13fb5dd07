import type { ReactNode } from "react";
import { Checkbox, type CheckboxProps } from "react-aria-components";
import { Icon } from "./icon";
import styles from "./check.module.css";

/** A box to tick. In a table `slot` is "selection", and the table names it. */
export function Check({ children, ...props }: Omit<CheckboxProps, "children" | "className"> & { children?: ReactNode }) {
  return (
    <Checkbox {...props} className={styles.check!}>
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className={styles.box} aria-hidden="true">
            {isIndeterminate ? <span className={styles.dash} /> : isSelected && <Icon name="check" size={14} />}
          </span>
          {children}
        </>
      )}
    </Checkbox>
  );
}
