import { Link } from "react-aria-components";
import { useAddressParams } from "../../address-params";
import { useFoundRows } from "../../api/inbox";
import { windowOf, type Window } from "../../api/pages";
import { countedFigures, searchNames, useCounted, type CountedFigure, type Period } from "../../api/report";
import { ButtonLink } from "../../components/button";
import { Facts } from "../../components/facts";
import { KeepPlace } from "../../components/keep-place";
import { placesIn, type PlaceInList } from "../../components/list-places";
import { More } from "../../components/more";
import { Page } from "../../components/page";
import { Empty, Failed, Loading } from "../../components/states";
import { Transcript } from "../../components/transcript";
import { relativeTime, useTexts, type Key } from "../../i18n";
import { showName } from "../../names";
import { useGroupName } from "./names";
import styles from "./insights.module.css";

const names = [...searchNames, "figure"] as const;
type Name = (typeof names)[number];
type Named = readonly (readonly [Name, string])[];

/** The conversations behind a figure, as the address names them. */
export function Conversations({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const [query] = useAddressParams();
  const named: Named = names.map((name) => [name, query.get(name) ?? ""] as const).filter(([, value]) => value !== "");
  const figure = countedFigures.find((one) => one === query.get("figure"));
  const period = { from: query.get("startDate") ?? "", to: query.get("endDate") ?? "" };
  const props = { agentId, address: query.toString() };
  return (
    <Page
      title={t("insights.behind")}
      actions={<ButtonLink href={`/agents/${agentId}/insights`}>{t("insights.back")}</ButtonLink>}
    >
      <Filters named={named} />
      {figure ? (
        <CountedList {...props} figure={figure} period={period} askedAt={query.get("askedAt") ?? ""} />
      ) : (
        <FoundList {...props} named={named} />
      )}
    </Page>
  );
}

interface ListProps {
  agentId: string;
  /** What the address narrows the list to, for the way back. */
  address: string;
}

function FoundList({ named, ...props }: ListProps & { named: Named }) {
  const list = useFoundRows(props.agentId, Object.fromEntries(named.filter(([name]) => name !== "figure")), false);
  const part = windowOf(list.data, ({ conversationId }) => conversationId);
  const rows = part?.rows.map(({ conversationId, title = "", source, status, lastActivity, snippet }) => ({
    id: conversationId,
    title,
    source,
    status,
    at: lastActivity,
    excerpt: snippet.map(({ text }) => text).join(""),
  }));
  return <Rows {...props} part={part && { ...part, rows: rows! }} list={list} />;
}

function CountedList({ figure, period, askedAt, ...props }: ListProps & { figure: CountedFigure; period: Period; askedAt: string }) {
  const list = useCounted(props.agentId, figure, period, askedAt);
  const part = windowOf(list.data, ({ conversationId }) => conversationId);
  const rows = part?.rows.map(({ conversationId, title, source, status, lastActivity }) => ({
    id: conversationId,
    title,
    source,
    status,
    at: lastActivity,
    excerpt: "",
  }));
  return <Rows {...props} part={part && { ...part, rows: rows! }} list={list} />;
}

interface Shown {
  id: string;
  title: string;
  source: string;
  status: string;
  /** When something last happened in it. */
  at: string;
  excerpt: string;
}

interface RowsProps extends ListProps {
  /** Undefined until it is there. */
  part: Window<Shown> | undefined;
  list: ReturnType<typeof useFoundRows> | ReturnType<typeof useCounted>;
}

function Rows({ agentId, address, part, list }: RowsProps) {
  const { t } = useTexts();
  if (!part) return list.error ? <Failed error={list.error} onRetry={() => void list.refetch()} /> : <Loading rows={6} />;
  if (part.rows.length === 0) return <Empty icon="inbox" title={t("insights.noneFound")} text={t("insights.noneFoundText")} />;
  const placeOf = placesIn(part);
  return (
    <div className={styles.days}>
      <More list={list} isBack />
      <KeepPlace isStartKept={part.count > 0}>
        <ol className={styles.rows} aria-label={t("insights.behind")}>
          {part.rows.map((shown, i) => (
            <Row key={shown.id} agentId={agentId} shown={shown} address={address} place={placeOf(i)} />
          ))}
        </ol>
      </KeepPlace>
      <More list={list} />
    </div>
  );
}

/** Says what the list is narrowed to. */
function Filters({ named }: { named: Named }) {
  const { t, locale } = useTexts();
  const nameOf = useGroupName();
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const show = (name: Name, value: string) => {
    if (name === "topic" || name === "sentiment" || name === "source") return nameOf(name, value);
    if (name === "escalated") return t("insights.escalatedCount");
    if (name === "feedback") return t(value === "negative" ? "insights.disliked" : "insights.rated");
    const figure = countedFigures.find((one) => one === value);
    if (figure) return t(`insights.figure.${figure}`);
    return Number.isNaN(Date.parse(value)) ? value : date.format(new Date(value));
  };
  return (
    <ul className={styles.filters} aria-label={t("insights.narrowed")}>
      {named.map(([name, value]) => (
        <li key={name}>
          {t(`insights.filter.${name}`)} <bdi>{show(name, value)}</bdi>
        </li>
      ))}
    </ul>
  );
}

const states: Readonly<Record<string, Key>> = {
  ongoing: "insights.status.ongoing",
  ended: "insights.status.ended",
  taken_over: "insights.status.taken_over",
};

interface RowProps extends ListProps {
  shown: Shown;
  place: PlaceInList | undefined;
}

function Row({ agentId, shown, address, place }: RowProps) {
  const { t, locale } = useTexts();
  const { id, title, source, status, at, excerpt } = shown;
  const state = states[status];
  return (
    <li data-row={id} {...place}>
      <Link href={`/agents/${agentId}/insights/conversations/${id}${address ? `?${address}` : ""}`}>
        <bdi>{title ? showName(title, t) : t("insights.untitled")}</bdi>
      </Link>
      {excerpt && <p dir="auto">{excerpt}</p>}
      <p className={styles.hint}>
        <Facts>
          <bdi>{source}</bdi>
          {state && t(state)}
          {relativeTime(at, locale)}
        </Facts>
      </p>
    </li>
  );
}

/** One of the conversations behind a figure. */
export function Conversation({ agentId, conversationId }: { agentId: string; conversationId: string }) {
  const { t } = useTexts();
  const [query] = useAddressParams();
  const back = `/agents/${agentId}/insights/conversations${query.size > 0 ? `?${query}` : ""}`;
  return (
    <Page title={t("insights.conversation")} actions={<ButtonLink href={back}>{t("insights.backToList")}</ButtonLink>}>
      <Transcript conversationId={conversationId} />
    </Page>
  );
}
