import { useEffect, useRef, type ReactNode } from "react";
import { HelpLink } from "../../components/help-link";
import { useTexts } from "../../i18n";
import { chapterOfCard } from "../../manual";
import styles from "./first-run.module.css";

interface Props {
  title: string;
  text?: string;
  step: number;
  width: "narrow" | "wide";
  children: ReactNode;
}

/** A step of the first run: a page that is one card. */
export function Step({ title, text, step, width, children }: Props) {
  const { t } = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = t("page.title", { title });
    heading.current?.focus();
  }, [title, t]);
  return (
    <main className={styles.page}>
      <div className={`${styles.card} ${styles[width]}`}>
        <div className={styles.head}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <p className={styles.detail}>{t("firstRun.step", { step, steps: 3 })}</p>
          <HelpLink href={chapterOfCard(location.pathname)} />
        </div>
        {text && <p className={styles.detail}>{text}</p>}
        {children}
      </div>
    </main>
  );
}
