import { useState } from "react";
import { tryRoute, type RouteResult, type RuleResult } from "../../api/helpdesk-setup";
import { Button } from "../../components/button";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Icon } from "../../components/icon";
import { Section } from "../../components/page";
import { TextArea } from "../../components/text-area";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import { describeCondition } from "./conditions";
import styles from "./setup.module.css";

/** Tries the rules with a ticket that is not opened. */
export function TryRules({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const [result, setResult] = useState<RouteResult | null>(null);
  const send = async ({ subject = "", description = "", email = "" }: Record<string, string>) => {
    setResult(null);
    setResult(await tryRoute(agentId, { subject, description, email }));
  };
  return (
    <Section title={t("tickets.setup.try")}>
      <p className={styles.detail}>{t("tickets.setup.tryText")}</p>
      <Form onSubmit={send}>
        {(isPending) => (
          <>
            <Field name="email" type="email" label={t("tickets.customerEmail")} isRequired />
            <Field name="subject" label={t("tickets.subject")} isRequired />
            <TextArea name="description" label={t("tickets.description")} rows={3} />
            <div>
              <Button type="submit" icon="search" isPending={isPending}>
                {t("tickets.setup.tryIt")}
              </Button>
            </div>
          </>
        )}
      </Form>
      <div role="status">{result && <RouteView result={result} />}</div>
    </Section>
  );
}

/** Where a ticket would go, and what has become of each rule. */
export function RouteView({ result: { team, assignee, defaultTeam, rules } }: { result: RouteResult }) {
  const { t } = useTexts();
  const to = [team && showName(team, t), assignee].filter((one) => one).join(", ");
  return (
    <div className={styles.part}>
      <p className={styles.name}>
        {to ? t("tickets.setup.goesTo", { to }) : t("tickets.setup.goesNowhere")} {defaultTeam && t("tickets.setup.asDefault")}
      </p>
      <ol className={styles.tried} aria-label={t("tickets.setup.part.rules")}>
        {rules.map((rule) => (
          <TriedRule key={rule.key} rule={rule} />
        ))}
      </ol>
    </div>
  );
}

/** What has become of a rule, and of each of its conditions. */
function TriedRule({ rule: { name, fired, held, enabled, reached, conditions } }: { rule: RuleResult }) {
  const { t } = useTexts();
  const outcome = fired ? "fired" : !enabled ? "off" : held ? "later" : reached ? "notHeld" : "notReached";
  return (
    <li>
      <p>
        <Icon name={fired ? "circle-check" : "circle-dashed"} size={16} /> <bdi>{showName(name, t)}</bdi>: {t(`tickets.setup.outcome.${outcome}`)}
      </p>
      <ul>
        {conditions.map((condition, i) => (
          <li key={i} className={styles.detail}>
            <bdi>{describeCondition(condition, t)}</bdi>: {t(condition.held ? "tickets.setup.holds" : "tickets.setup.doesNotHold")}
          </li>
        ))}
      </ul>
    </li>
  );
}
