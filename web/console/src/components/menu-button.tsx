import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import type { IconName } from "../../../shared/icons";
import { Button, IconButton } from "./button";
import { Icon } from "./icon";
import styles from "./menu.module.css";

export interface MenuAction<T extends string = string> {
  id: T;
  name: string;
  icon: IconName;
}

interface Props<T extends string> {
  label: string;
  icon: IconName;
  /** Whether the button is the icon alone. */
  isIcon?: boolean;
  kind?: "primary" | "plain";
  actions: readonly MenuAction<T>[];
  onAction: (id: T) => void;
  /** Where something else opens it as well, such as a key. */
  control?: { isOpen: boolean; onOpenChange: (isOpen: boolean) => void };
}

/** A button that opens a list of actions. */
export function MenuButton<T extends string>({ label, icon, isIcon, kind = "plain", actions, onAction, control }: Props<T>) {
  return (
    <MenuTrigger {...control}>
      {isIcon ? (
        <IconButton icon={icon} label={label} />
      ) : (
        <Button kind={kind} icon={icon}>
          {label}
        </Button>
      )}
      <Popover className={styles.popover!} placement="bottom end">
        <Menu className={styles.menu!} items={actions} aria-label={label} onAction={(id) => onAction(id as T)}>
          {({ id, name, icon }) => (
            <MenuItem id={id} textValue={name} className={styles.item!}>
              <span className={styles.label}>
                <Icon name={icon} />
                {name}
              </span>
            </MenuItem>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
