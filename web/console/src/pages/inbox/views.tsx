import { Link } from "react-aria-components";
import { useLocation } from "wouter";
import { useInboxCounts, type InboxCounts } from "../../api/inbox";
import { useKeepsReadMarks } from "../../api/read-marks";
import type { SavedView } from "../../api/saved";
import { Choice } from "../../components/choice";
import { formatCount, useTexts } from "../../i18n";
import { showName } from "../../names";
import { filterNames, views, type Place, type View } from "./place";
import { savedHref, SavedViews } from "./saved-views";
import styles from "./inbox.module.css";

interface Props {
  place: Place;
  /** The query of the address. */
  search: string;
  isNarrow: boolean;
  saved: readonly SavedView[] | undefined;
}

const savedPrefix = "saved ";
const searching = "search"; // of no view

const countOf = (counts: InboxCounts | undefined, view: View): number =>
  counts && (view === "waiting" || view === "mine" || view === "unassigned" || view === "unread") ? counts[view] : 0;

/** The lists of the inbox. On a phone they open from a button. */
export function Views({ place, search, isNarrow, saved = [] }: Props) {
  const { t, locale } = useTexts();
  const counts = useInboxCounts(true).data;
  const isKept = useKeepsReadMarks();
  const shown = views.filter((id) => id !== "unread" || isKept);
  const named = shown.map((id) => {
    const count = countOf(counts, id);
    return { id, count, name: t(`inbox.view.${id}`) };
  });
  // A search looks through all of them: while there is one, none of the views is what is shown.
  const isSearch = Object.keys(place.filter).length > 0;
  const [, navigate] = useLocation();
  const hrefOf = (view: View) => {
    const query = new URLSearchParams(place.saved ? "" : search);
    for (const name of filterNames) query.delete(name); // a view is chosen in place of a search
    query.set("view", view);
    return `/inbox?${query}`;
  };
  const isShown = (view: View) => !place.saved && !isSearch && place.view === view;
  const choose = (id: string) => {
    if (id === searching) return;
    const isSaved = id.startsWith(savedPrefix);
    navigate(isSaved ? savedHref(id.slice(savedPrefix.length)) : hrefOf(id as View), { replace: true });
  };
  return (
    <div className={styles.views}>
      {isNarrow ? (
        <Choice
          label={t("inbox.views")}
          value={place.saved ? savedPrefix + place.saved : isSearch ? searching : place.view}
          options={[
            ...(isSearch && !place.saved ? [{ id: searching, name: t("inbox.words") }] : []),
            ...named.map(({ id, name, count }) => ({ id, name: count > 0 ? `${name} (${formatCount(count, locale)})` : name })),
            ...saved.map(({ savedViewId, name }) => ({ id: savedPrefix + savedViewId, name: showName(name, t) })),
          ]}
          onChange={choose}
        />
      ) : (
        <nav aria-label={t("inbox.views")} className={styles.viewList}>
          {named.map(({ id, name, count }) => (
            <Link key={id} href={hrefOf(id)} className={styles.view!} aria-current={isShown(id) ? "true" : undefined}>
              <span>{name}</span>
              {count > 0 && <span className={styles.count}>{formatCount(count, locale)}</span>}
            </Link>
          ))}
        </nav>
      )}
      <SavedViews views={isNarrow ? saved.filter(({ savedViewId }) => savedViewId === place.saved) : saved} place={place} />
    </div>
  );
}
