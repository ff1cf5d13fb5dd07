import { Button, Input, ListBox, ListBoxItem, Popover, SearchField, Select, SelectValue } from "react-aria-components";
import { useAddressParams } from "../../address-params";
import { sourceStates, sourceTypes, type SourceFilter } from "../../api/sources";
import { Icon } from "../../components/icon";
import { useSearchText } from "../../components/search-text";
import { sourceStateKey } from "../../components/status";
import { useTexts } from "../../i18n";
import field from "../../components/field.module.css";
import menu from "../../components/menu.module.css";
import styles from "./filters.module.css";

/** What the address narrows the list to. */
export function useFilter(): [SourceFilter, (change: Partial<SourceFilter>) => void] {
  const [query, setQuery] = useAddressParams();
  const filter: SourceFilter = {
    name: query.get("name") ?? "",
    type: sourceTypes.find((type) => type === query.get("type")) ?? "",
    state: sourceStates.find((state) => state === query.get("state")) ?? "",
  };
  const change = (part: Partial<SourceFilter>) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [key, value] of Object.entries(part)) value ? next.set(key, value) : next.delete(key);
        return next;
      },
      { replace: true },
    );
  return [filter, change];
}

/** Search, kind and state. */
export function Filters() {
  const { t } = useTexts();
  const [filter, change] = useFilter();
  const [name, setName] = useSearchText(filter.name, (name) => change({ name }));
  return (
    <div className={styles.filters} role="search">
      <SearchField aria-label={t("sources.search")} value={name} onChange={setName} className={styles.search!}>
        <Icon name="search" />
        <Input className={field.input!} placeholder={t("sources.search")} />
      </SearchField>
      <Narrow
        label={t("sources.type")}
        all={t("sources.allTypes")}
        value={filter.type}
        options={sourceTypes.map((id) => ({ id, name: t(`sources.types.${id}`) }))}
        onChange={(type) => change({ type: type as SourceFilter["type"] })}
      />
      <Narrow
        label={t("sources.state")}
        all={t("sources.allStates")}
        value={filter.state}
        options={sourceStates.map((id) => ({ id, name: t(sourceStateKey(id)) }))}
        onChange={(state) => change({ state: state as SourceFilter["state"] })}
      />
    </div>
  );
}

interface NarrowProps {
  label: string;
  all: string;
  value: string;
  options: readonly { id: string; name: string }[];
  onChange: (id: string) => void;
}

const anyOf = "any"; // a key may not be empty

function Narrow({ label, all, value, options, onChange }: NarrowProps) {
  const change = (key: unknown) => onChange(key === anyOf ? "" : String(key));
  return (
    <Select aria-label={label} value={value || anyOf} onChange={change} className={styles.narrow!}>
      <Button className={`${field.input} ${menu.select}`}>
        <SelectValue />
        <Icon name="chevron-down" />
      </Button>
      <Popover className={menu.popover!}>
        <ListBox className={menu.menu!} items={[{ id: anyOf, name: all }, ...options]}>
          {({ id, name }) => (
            <ListBoxItem id={id} textValue={name} className={menu.item!}>
              {({ isSelected }) => (
                <>
                  <span>{name}</span>
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
