import { useId, useState } from "react";
import { Link } from "react-aria-components";
import type { InsightRow, Search } from "../../api/report";
import { useTexts } from "../../i18n";
import { Bars } from "./bars";
import styles from "./insights.module.css";

interface Props {
  rows: readonly InsightRow[];
  addressOf: (search: Search) => string;
}

/** Conversations by day, as bars and as a table. */
export function Days({ rows, addressOf }: Props) {
  const { t } = useTexts();
  const heading = useId();
  return (
    <section className={styles.days} aria-labelledby={heading}>
      <h2 id={heading}>{t("insights.byDay")}</h2>
      <Chart rows={rows} addressOf={addressOf} />
      <details>
        <summary>{t("insights.asTable")}</summary>
        <Table rows={rows} addressOf={addressOf} />
      </details>
    </section>
  );
}

/** Bars whose lower part is what was resolved, and a sentence that says what they show, or the one that has the focus. */
function Chart({ rows, addressOf }: Props) {
  const { t, locale } = useTexts();
  const [focused, setFocused] = useState<string | null>(null);
  const short = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const show = (day: string) => short.format(new Date(day));
  const most = rows.reduce((best, one) => (one.conversations > best.conversations ? one : best), { key: "", conversations: 0 });
  const sizeOf = (count: number) => (count > 0 ? Math.max(2, (count / most.conversations) * 100) : 0);
  const [first, last] = [rows[0], rows.at(-1)];
  if (most.conversations === 0) return <p className={styles.hint}>{t("insights.none")}</p>;
  return (
    <figure className={styles.chart}>
      <Bars
        label={t("insights.byDay")}
        onFocus={setFocused}
        bars={rows.map(({ key, conversations, resolved }) => {
          const [whole, lower] = [sizeOf(conversations), sizeOf(Math.min(resolved, conversations))];
          const label = t("insights.onDay", { when: show(key), count: conversations });
          const parts = [{ size: lower, look: "strong" }, { size: whole - lower, look: "weak" }] as const;
          return { key, label, href: addressOf({ startDate: key, endDate: key }), parts };
        })}
      />
      {first && last && (
        <p className={styles.axis} aria-hidden="true">
          <span>{show(first.key)}</span>
          <span>{show(last.key)}</span>
        </p>
      )}
      <figcaption>{focused ?? t("insights.most", { when: show(most.key), count: most.conversations })}</figcaption>
    </figure>
  );
}

function Table({ rows, addressOf }: Props) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale);
  const date = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "long", timeZone: "UTC" });
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t("insights.day")}</th>
          <th scope="col" className={styles.number}>
            {t("insights.conversations")}
          </th>
          <th scope="col" className={styles.number}>
            {t("insights.resolvedCount")}
          </th>
          <th scope="col" className={styles.number}>
            {t("insights.escalatedCount")}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, conversations, resolved, escalated }) => (
          <tr key={key}>
            <th scope="row">
              <Link href={addressOf({ startDate: key, endDate: key })}>{date.format(new Date(key))}</Link>
            </th>
            <td className={styles.number}>{number.format(conversations)}</td>
            <td className={styles.number}>{number.format(resolved)}</td>
            <td className={styles.number}>{number.format(escalated)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
