import type { ReactNode } from "react";
import { Link } from "react-aria-components";
import { useAccount } from "../../api/account";
import { useMay } from "../../api/session";
import type { Usage } from "../../api/usage";
import { Section } from "../../components/page";
import { formatCost } from "../../costs";
import { formatSize, useTexts, type Key } from "../../i18n";
import { guides } from "../../manual";
import styles from "./usage.module.css";

/** What the plan allows, as the server enforces it. */
export function Plan({ usage: { plan, agents } }: { usage: Usage }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const count = (limit: number | null) => (limit === null ? t("usage.unlimited") : number.format(limit));
  const included = (isIncluded: boolean) => t(isIncluded ? "usage.included" : "usage.notIncluded");
  const rows: [Key, ReactNode][] = [
    ["usage.plan.credits", count(plan.creditsPerMonth)],
    ["usage.plan.agents", plan.agents === null ? t("usage.unlimited") : t("usage.of", { used: number.format(agents), limit: count(plan.agents) })],
    ["usage.plan.storage", plan.storagePerAgent === null ? t("usage.unlimited") : formatSize(plan.storagePerAgent, locale)],
    ["usage.plan.api", included(plan.api)],
    ["usage.plan.voice", included(plan.voice)],
  ];
  const price = formatCost(1, plan.creditPrice, locale);
  if (price) rows.push(["usage.plan.creditPrice", price]);
  if (plan.voice) rows.push(["usage.plan.voiceMinute", number.format(plan.creditsPerVoiceMinute)]);
  if (plan.voiceSessionsPerHour !== null) rows.push(["usage.plan.voiceHour", count(plan.voiceSessionsPerHour)]);
  if (plan.voiceSessionsPerDay !== null) rows.push(["usage.plan.voiceDay", count(plan.voiceSessionsPerDay)]);
  return (
    <Section title={t("usage.plan", { name: plan.name })}>
      <dl className={styles.plan}>
        {rows.map(([key, value]) => (
          <div key={key}>
            <dt>{t(key)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.detail}>
        <WhoSetsIt />{" "}
        <a href={guides.limits} target="_blank" rel="noopener">
          {t("usage.limits")}
        </a>
      </p>
    </Section>
  );
}

/** An owner chooses the plan where theirs is the only company of its server. */
function WhoSetsIt() {
  const { t } = useTexts();
  const { data: account } = useAccount();
  const mayChange = useMay("accounts:write");
  if (!account) return null;
  if (account.plans.length === 0) return t("usage.planBy");
  return mayChange ? <Link href="/workspace/general">{t("usage.planChoose")}</Link> : t("usage.planByOwner");
}
