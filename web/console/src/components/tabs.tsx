import type { ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from "react-aria-components";
import styles from "./tabs.module.css";

interface Props<T extends string> {
  label: string;
  chosen: T;
  tabs: readonly { id: T; name: string; content: ReactNode }[];
  onChange: (id: T) => void;
}

/** Parts of a screen of which one is shown. */
export function Tabs<T extends string>({ label, chosen, tabs, onChange }: Props<T>) {
  return (
    <AriaTabs className={styles.tabs!} selectedKey={chosen} onSelectionChange={(key) => onChange(key as T)}>
      <TabList className={styles.list!} aria-label={label}>
        {tabs.map(({ id, name }) => (
          <Tab key={id} id={id} className={styles.tab!}>
            {name}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={styles.panel!}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
