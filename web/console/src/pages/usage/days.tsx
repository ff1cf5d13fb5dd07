import { useId } from "react";
import type { AgentUsage, CreditDay, Usage } from "../../api/usage";
import { Choice } from "../../components/choice";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { Models } from "./models";
import { VoiceCalls } from "./voice";
import styles from "./usage.module.css";

interface Props {
  usage: Usage;
  agents: readonly AgentUsage[];
  agent: string;
  /** Empty for the present one. */
  month: string;
  onChoose: (agent: string) => void;
}

const all = "all"; // an option may not be empty

/** What was used on each day and of each model, and how voice calls went, of all agents or of one. */
export function Days({ usage: { days, endsAt, models, plan }, agents, agent, month, onChoose }: Props) {
  const { t } = useTexts();
  const heading = useId();
  const named = agents.map(({ agentId, name }) => ({ id: agentId, name: showName(name, t) }));
  const options = !agent || named.some(({ id }) => id === agent) ? named : [...named, { id: agent, name: agent }];
  return (
    <section className={styles.days} aria-labelledby={heading}>
      <div className={styles.head}>
        <h2 id={heading}>{t("usage.byDay")}</h2>
        <Choice
          isInLine
          label={t("usage.whose")}
          value={agent || all}
          options={[{ id: all, name: t("usage.allAgents") }, ...options]}
          onChange={(id) => onChoose(id === all ? "" : id)}
        />
      </div>
      <Chart days={days} endsAt={endsAt} />
      <Table days={days} />
      <Models models={models} price={plan.creditPrice} />
      <VoiceCalls month={month} agent={agent} isOffered={plan.voice} />
    </section>
  );
}

const height = 120;
const step = 20; // from bar to bar
const gap = 4;
const dayLength = 86_400_000; // milliseconds; days are those of UTC, which are all as long

/** Bars, and a sentence that says what they show; the table below has the numbers. */
function Chart({ days, endsAt }: { days: readonly CreditDay[]; endsAt: string }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const most = days.reduce((best, one) => (one.credits > best.credits ? one : best), { day: "", credits: 0 });
  const short = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const show = (day: string) => short.format(new Date(day));
  const last = new Date(Date.parse(endsAt) - dayLength);
  const first = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth()));
  const slots = last.getUTCDate(); // days that are to come have room as well
  if (most.credits === 0) return <p className={styles.detail}>{t("usage.noUse")}</p>;
  return (
    <figure className={styles.chart}>
      <svg aria-hidden="true" viewBox={`0 0 ${slots * step} ${height}`} preserveAspectRatio="none" fill="currentColor">
        {days.map(({ day, credits }, i) => {
          const size = credits > 0 ? Math.max(2, (credits / most.credits) * height) : 0;
          return (
            <rect key={day} x={i * step} y={height - size} width={step - gap} height={size}>
              <title>{`${show(day)}: ${number.format(credits)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className={styles.axis} aria-hidden="true">
        <span>{short.format(first)}</span>
        <span>{short.format(last)}</span>
      </p>
      <figcaption>{t("usage.most", { when: show(most.day), number: number.format(most.credits) })}</figcaption>
    </figure>
  );
}

function Table({ days }: { days: readonly CreditDay[] }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const date = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "long", timeZone: "UTC" });
  return (
    <details>
      <summary>{t("usage.numbers")}</summary>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t("usage.day")}</th>
            <th scope="col" className={styles.number}>
              {t("usage.credits")}
            </th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, credits }) => (
            <tr key={day}>
              <th scope="row">{date.format(new Date(day))}</th>
              <td className={styles.number}>{number.format(credits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
