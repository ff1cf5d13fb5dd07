import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { Icon } from "./icon";
import type { IconName } from "../../../shared/icons";
import styles from "./switcher.module.css";

interface Props<T extends string> {
  label: string;
  value: T;
  options: readonly { id: T; name: string; icon?: IconName }[];
  onChange: (value: T) => void;
}

/** One of two or three ways to look at the same thing. */
export function Switcher<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className={styles.group!}
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => onChange([...keys][0] as T)}
    >
      {options.map(({ id, name, icon }) => (
        <ToggleButton key={id} id={id} className={styles.option!}>
          {icon && <Icon name={icon} size={16} />}
          {name}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
