import { Link } from "react-aria-components";
import { useMay } from "../../api/session";
import { isNear, isReached, shareOf, type AgentUsage, type Plan } from "../../api/usage";
import { Progress } from "../../components/progress";
import { formatCost, type CreditPrice } from "../../costs";
import { formatSize, useTexts } from "../../i18n";
import { showName } from "../../names";
import styles from "./usage.module.css";

interface Props {
  rows: readonly AgentUsage[];
  /** Whether these are all agents there are: then those that use most come first. */
  isAll: boolean;
  plan: Plan;
}

/** What each agent uses of the credits and of its storage. */
export function Agents({ rows, isAll, plan }: Props) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  if (rows.length === 0) return <p className={styles.detail}>{t("usage.withoutAgents")}</p>;
  const sorted = isAll ? rows.toSorted((a, b) => b.credits - a.credits) : rows;
  const total = rows.reduce((sum, { storage }) => sum + storage, 0);
  return (
    <>
      <table className={`${styles.table} ${styles.agents}`}>
        <thead>
          <tr>
            <th scope="col">{t("usage.agent")}</th>
            <th scope="col">{t("usage.credits")}</th>
            <th scope="col">{t("usage.storage")}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((agent) => (
            <tr key={agent.agentId}>
              <th scope="row">
                <Link href={`/agents/${agent.agentId}`}>
                  <bdi>{showName(agent.name, t)}</bdi>
                </Link>
              </th>
              <td data-name={t("usage.credits")}>
                <Share
                  used={agent.credits}
                  limit={agent.creditLimit}
                  show={(n) => number.format(n)}
                  label={t("usage.creditsOf", { name: agent.name })}
                />
                <Cost credits={agent.credits} price={plan.creditPrice} />
                <Ahead agent={agent} />
              </td>
              <td data-name={t("usage.storage")}>
                <Share
                  used={agent.storage}
                  limit={plan.storagePerAgent}
                  show={(n) => formatSize(n, locale)}
                  label={t("usage.storageOf", { name: agent.name })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isAll && rows.length > 1 && <p className={styles.detail}>{t("usage.allStorage", { size: formatSize(total, locale) })}</p>}
    </>
  );
}

/** What the credits of an agent cost, where a price is set. */
function Cost({ credits, price }: { credits: number; price: CreditPrice }) {
  const { locale } = useTexts();
  const cost = formatCost(credits, price, locale);
  return cost && <p className={styles.detail}>{cost}</p>;
}

/** What the agent will have used by the end of the month, and where its own limit is set. */
function Ahead({ agent: { agentId, name, forecast, reachesLimitAt, creditLimit } }: { agent: AgentUsage }) {
  const { t, locale } = useTexts();
  const mayChange = useMay("agents:write");
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });
  const act = t(creditLimit === null ? "usage.setLimit" : "usage.changeLimit");
  return (
    <>
      {forecast !== null && forecast !== undefined && (
        <p className={styles.detail}>{t("usage.forecast", { number: number.format(forecast) })}</p>
      )}
      {reachesLimitAt && <p className={styles.warning}>{t("usage.reachesLimit", { when: day.format(new Date(reachesLimitAt)) })}</p>}
      {mayChange && (
        <Link href={`/agents/${agentId}/settings/limits`} aria-label={`${act}: ${name}`}>
          {act}
        </Link>
      )}
    </>
  );
}

interface ShareProps {
  used: number;
  limit: number | null;
  show: (number: number) => string;
  label: string;
}

/** A number, and how much of its limit it is. */
function Share({ used, limit, show, label }: ShareProps) {
  const { t } = useTexts();
  const share = shareOf(used, limit);
  if (limit === null || share === null) return <span>{show(used)}</span>;
  const look = isReached(share) ? styles.full : isNear(share) ? styles.near : "";
  return (
    <div className={`${styles.share} ${look}`}>
      <span>
        {t("usage.of", { used: show(used), limit: show(limit) })}
        {isReached(share) && <span className={styles.warning}> · {t("usage.limitReached")}</span>}
      </span>
      <Progress label={label} share={share} />
    </div>
  );
}
