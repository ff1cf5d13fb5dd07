import { useState } from "react";
import { useAddressParams } from "../../address-params";
import { rowsOf } from "../../api/pages";
import { useMay } from "../../api/session";
import { exportUsage, isReached, shareOf, useAgentUsage, useUsage, type Usage } from "../../api/usage";
import { Choice } from "../../components/choice";
import { download } from "../../components/download";
import { Icon } from "../../components/icon";
import { MenuButton } from "../../components/menu-button";
import { More } from "../../components/more";
import { Page, Section } from "../../components/page";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../i18n";
import { useScreenActions } from "../../shell/screen-actions";
import { Agents } from "./agents";
import { Credits } from "./credits";
import { Days } from "./days";
import { Plan } from "./plan";
import styles from "./usage.module.css";

/** What the plan of the company allows, and what was used of it. */
export default function UsagePage() {
  const { t } = useTexts();
  const mayRead = useMay("accounts:read");
  const [query, setQuery] = useAddressParams();
  const month = query.get("month") ?? "";
  const agent = query.get("agent") ?? "";
  const usage = useUsage(month, agent, mayRead);
  const agents = useAgentUsage(month, mayRead);
  const rows = rowsOf(agents.data);
  const change = (name: "month" | "agent", value: string) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        value ? next.set(name, value) : next.delete(name);
        return next;
      },
      { replace: true },
    );
  return (
    <Page title={t("usage.title")} actions={<Head month={month} onChange={(value) => change("month", value)} />}>
      {usage.isPending && <Loading rows={6} />}
      {usage.isError && <Failed error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.data && (
        <>
          <Reached usage={usage.data} isPresent={!month} />
          <Credits usage={usage.data} />
          <Days usage={usage.data} agents={rows ?? []} agent={agent} month={month} onChoose={(value) => change("agent", value)} />
          <Section title={t("usage.byAgent")}>
            {agents.isPending && <Loading rows={3} />}
            {agents.isError && !rows && <Failed error={agents.error} onRetry={() => void agents.refetch()} />}
            {rows && <Agents rows={rows} isAll={!agents.hasNextPage} plan={usage.data.plan} />}
            <More list={agents} />
          </Section>
          <Plan usage={usage.data} />
        </>
      )}
    </Page>
  );
}

const present = "present"; // an option may not be empty
const monthsBack = 12;

// The months before the present one, the latest first.
function pastMonths(): string[] {
  const now = new Date();
  return Array.from({ length: monthsBack }, (_, i) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1 - i)).toISOString().slice(0, 7),
  );
}

interface HeadProps {
  month: string;
  onChange: (month: string) => void;
}

function Head({ month, onChange }: HeadProps) {
  const { t, locale } = useTexts();
  const [error, setError] = useState<unknown>(null);
  const name = new Intl.DateTimeFormat(locale, { year: "numeric", month: "long", timeZone: "UTC" });
  const past = pastMonths();
  const months = !month || past.includes(month) ? past : [...past, month];
  const nameOf = (id: string) => (Number.isNaN(Date.parse(id)) ? id : name.format(new Date(id)));
  const save = async (by: "agent" | "model") => {
    setError(null);
    try {
      const file = await exportUsage(month, by);
      download(file, `usage-by-${by}-${month || new Date().toISOString().slice(0, 7)}.csv`);
    } catch (thrown) {
      setError(thrown);
    }
  };
  const tables = [
    { id: "agent", icon: "bot", name: t("usage.byAgent") },
    { id: "model", icon: "cpu", name: t("usage.byModel") },
  ] as const;
  useScreenActions(tables.map(({ id, icon, name }) => ({ id: `export ${id}`, icon, name: t("usage.exportAs", { table: name }), run: () => void save(id) })));
  return (
    <div className={styles.actions}>
      {error !== null && <Failed error={error} />}
      <Choice
        isInLine
        label={t("usage.month")}
        value={month || present}
        options={[{ id: present, name: t("usage.thisMonth") }, ...months.map((id) => ({ id, name: nameOf(id) }))]}
        onChange={(id) => onChange(id === present ? "" : id)}
      />
      <MenuButton icon="download" label={t("usage.export")} actions={tables} onAction={(by) => void save(by)} />
    </div>
  );
}

/** Says which limits of the company are reached, and what that means. */
function Reached({ usage, isPresent }: { usage: Usage; isPresent: boolean }) {
  const { t, locale } = useTexts();
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });
  const when = day.format(new Date(usage.endsAt));
  const texts = [
    isReached(shareOf(usage.credits + usage.reservedCredits, usage.creditLimit)) && t("usage.noCredits", { when }),
    isReached(shareOf(usage.agents, usage.plan.agents)) && t("usage.noAgents"),
    usage.plan.unknown && t("usage.unknownPlan", { plan: usage.plan.name }),
  ].filter((text) => text !== false);
  if (!isPresent || texts.length === 0) return null;
  return (
    <ul className={styles.reached} aria-label={t("usage.reached")}>
      {texts.map((text) => (
        <li key={text}>
          <Icon name="triangle-alert" />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
