import { Link } from "react-aria-components";
import type { InsightRow, Search } from "../../api/report";
import { useTexts } from "../../i18n";
import { useGroupName } from "./names";
import styles from "./insights.module.css";

export interface Group extends InsightRow {
  /** The group that it is counted with as well. */
  parent: string | null;
}

interface Props {
  rows: readonly Group[];
  /** The parameter of the search that finds the conversations of a group. */
  filter: "topic" | "sentiment" | "source";
  addressOf: (search: Search) => string;
}

/** Groups of conversations with a bar each, those below others indented. */
export function Groups({ rows, filter, addressOf }: Props) {
  const { t, locale } = useTexts();
  const nameOf = useGroupName();
  const percent = new Intl.NumberFormat(locale, { style: "percent" });
  const most = Math.max(1, ...rows.map(({ conversations }) => conversations));
  const isBelow = (row: Group) => row.parent !== row.key && rows.some(({ key }) => key === row.parent);
  const withThoseBelow = (row: Group): Group[] => {
    const below = rows.filter(({ key, parent }) => parent === row.key && key !== row.key);
    return [row, ...below.flatMap(withThoseBelow)];
  };
  const sorted = rows.filter((row) => !isBelow(row)).flatMap(withThoseBelow);
  if (rows.length === 0) return <p className={styles.hint}>{t("insights.none")}</p>;
  return (
    <ul className={styles.groups}>
      {sorted.map((row) => {
        const { key, conversations, resolved, unresolved } = row;
        const asked = resolved + unresolved;
        return (
          <li key={key} className={isBelow(row) ? styles.below : undefined}>
            <Link href={addressOf({ [filter]: key })}>
              <bdi>{nameOf(filter, key)}</bdi>
            </Link>
            <svg aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none" fill="currentColor">
              <rect width={(conversations / most) * 100} height={8} />
            </svg>
            <span className={styles.hint}>
              {t("insights.count", { count: conversations })}
              {asked > 0 && ` · ${t("insights.resolvedShare", { share: percent.format(resolved / asked) })}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
