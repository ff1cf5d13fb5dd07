import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTexts } from "../i18n";
import { hasTitle, showTitle } from "../shell/title";
import styles from "./page.module.css";

interface Props {
  title: string;
  /** Buttons beside the title. */
  actions?: ReactNode;
  width?: "wide" | "narrow" | "full";
  /** Leaves the space of the heading to what is below it; it is read out all the same. */
  isTitleHidden?: boolean;
  children: ReactNode;
}

/** A screen with its heading. Coming to it names the window and moves the focus to the heading, which is then read out. */
export function Page({ title, actions, width = "wide", isTitleHidden = false, children }: Props) {
  const { t } = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const [isFirst] = useState(() => !hasTitle()); // it keeps the focus where the browser put it
  useEffect(() => {
    showTitle(t("page.title", { title }));
  }, [title, t]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
  }, [isFirst]);
  return (
    <div className={`${styles.page} ${styles[width]}`}>
      <div className={isTitleHidden ? styles.hiddenHead : styles.head}>
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </div>
  );
}

/** A part of a screen with a heading of its own. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
