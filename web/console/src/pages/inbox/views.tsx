import { Link } from "react-aria-components";
import { useAllAgents } from "../../api/agents";
import { useInboxCounts, type InboxCounts } from "../../api/inbox";
import { Choice } from "../../components/choice";
import { useTexts } from "../../i18n";
import { views, type Change, type Place, type View } from "./place";
import styles from "./inbox.module.css";

interface Props {
  place: Place;
  move: (change: Change) => void;
  /** The query of the address. */
  search: string;
  isNarrow: boolean;
}

const countOf = (counts: InboxCounts | undefined, view: View): number =>
  counts && (view === "waiting" || view === "mine" || view === "unassigned") ? counts[view] : 0;

/** The lists of the inbox, and the agent whose conversations are shown. On a phone both open from a button. */
export function Views({ place, move, search, isNarrow }: Props) {
  const { t, locale } = useTexts();
  const counts = useInboxCounts(true).data;
  const number = new Intl.NumberFormat(locale);
  const named = views.map((id) => {
    const count = countOf(counts, id);
    return { id, count, name: t(`inbox.view.${id}`) };
  });
  const hrefOf = (view: View) => {
    const query = new URLSearchParams(search);
    query.set("view", view);
    return `/inbox?${query}`;
  };
  return (
    <div className={styles.views}>
      {isNarrow ? (
        <Choice
          label={t("inbox.views")}
          value={place.view}
          options={named.map(({ id, name, count }) => ({ id, name: count > 0 ? `${name} (${number.format(count)})` : name }))}
          onChange={(view) => move({ view })}
        />
      ) : (
        <nav aria-label={t("inbox.views")}>
          {named.map(({ id, name, count }) => (
            <Link key={id} href={hrefOf(id)} className={styles.view!} aria-current={place.view === id ? "true" : undefined}>
              <span>{name}</span>
              {count > 0 && <span className={styles.count}>{number.format(count)}</span>}
            </Link>
          ))}
        </nav>
      )}
      <AgentChoice chosen={place.agent} onChange={(agent) => move({ agent })} />
    </div>
  );
}

const all = "all"; // an option may not be empty

function AgentChoice({ chosen, onChange }: { chosen: string; onChange: (agent: string) => void }) {
  const { t } = useTexts();
  const agents = useAllAgents(true).data ?? [];
  const options = [{ id: all, name: t("inbox.allAgents") }, ...agents.map(({ id, name }) => ({ id, name }))];
  if (chosen && !options.some(({ id }) => id === chosen)) options.push({ id: chosen, name: chosen });
  return <Choice label={t("inbox.agent")} value={chosen || all} options={options} onChange={(id) => onChange(id === all ? "" : id)} />;
}
