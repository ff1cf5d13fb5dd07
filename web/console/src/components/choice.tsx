import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from "react-aria-components";
import { Icon } from "./icon";
import field from "./field.module.css";
import styles from "./menu.module.css";

interface Props<T extends string> {
  label: string;
  value: T;
  options: readonly { id: T; name: string; lang?: string }[];
  /** Puts the label before the list, as in a line with a heading or with buttons. */
  isInLine?: boolean;
  onChange: (value: T) => void;
}

/** One of a few, from a list that opens. */
export function Choice<T extends string>({ label, value, options, isInLine = false, onChange }: Props<T>) {
  return (
    <Select className={`${field.field} ${isInLine ? field.inLine : ""}`} value={value} onChange={(key) => onChange(key as T)}>
      <Label className={field.label!}>{label}</Label>
      <Button className={`${field.input} ${styles.select}`}>
        <SelectValue />
        <Icon name="chevron-down" />
      </Button>
      <Popover className={styles.popover!}>
        <ListBox className={styles.menu!} items={options}>
          {({ id, name, lang }) => (
            <ListBoxItem id={id} textValue={name} className={styles.item!}>
              {({ isSelected }) => (
                <>
                  <span lang={lang}>{name}</span>
                  {isSelected && <Icon name="check" />}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
