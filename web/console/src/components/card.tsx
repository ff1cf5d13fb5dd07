import { useEffect, type ReactNode } from "react";
import { useTexts } from "../i18n";
import { chapterOfCard } from "../manual";
import { showTitle } from "../shell/title";
import { HelpLink } from "./help-link";
import styles from "./card.module.css";

interface Props {
  title: string;
  text?: string;
  /** Stands beside the title. */
  detail?: string | false;
  /** The address of its chapter of the manual; by default that of the page's own address. */
  help?: string;
  children: ReactNode;
}

/** A page that is one card, for whoever has not signed in. */
export function CardPage({ title, text, detail, help, children }: Props) {
  const { t } = useTexts();
  useEffect(() => {
    showTitle(t("page.title", { title }));
  }, [title, t]);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <p className={styles.brand}>
          <span aria-hidden="true" className={styles.mark} />
          Parley
        </p>
        <div className={styles.head}>
          <h1>{title}</h1>
          {detail && <p className={styles.text}>{detail}</p>}
          <HelpLink href={help ?? chapterOfCard(location.pathname)} />
        </div>
        {text && <p className={styles.text}>{text}</p>}
        {children}
      </div>
    </main>
  );
}
