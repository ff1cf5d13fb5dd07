import { Button as AriaButton, Link as AriaLink, type ButtonProps, type LinkProps } from "react-aria-components";
import { Icon } from "./icon";
import type { IconName } from "../../../shared/icons";
import styles from "./button.module.css";

type Kind = "primary" | "plain" | "quiet" | "danger";

interface Look {
  kind?: Kind;
  icon?: IconName;
  children: string;
}

export function Button({ kind = "plain", icon, children, ...props }: Omit<ButtonProps, "children" | "className"> & Look) {
  return (
    <AriaButton {...props} className={`${styles.button} ${styles[kind]}`}>
      {props.isPending ? <Icon name="loader-circle" className={styles.spin} /> : icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

/** A button that is an icon alone; `label` is its name. */
export function IconButton({ icon, label, ...props }: Omit<ButtonProps, "className"> & { icon: IconName; label: string }) {
  return (
    <AriaButton {...props} aria-label={label} className={`${styles.button} ${styles.quiet} ${styles.icon}`}>
      <Icon name={icon} />
    </AriaButton>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ kind = "plain", icon, children, ...props }: Omit<LinkProps, "children" | "className"> & Look) {
  return (
    <AriaLink {...props} className={`${styles.button} ${styles[kind]}`}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaLink>
  );
}

/** A link that is an icon alone; `label` is its name. */
export function IconLink({ icon, label, ...props }: Omit<LinkProps, "children" | "className"> & { icon: IconName; label: string }) {
  return (
    <AriaLink {...props} aria-label={label} className={`${styles.button} ${styles.quiet} ${styles.icon}`}>
      <Icon name={icon} />
    </AriaLink>
  );
}
