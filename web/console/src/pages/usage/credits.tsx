import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeCredits, useAccount } from "../../api/account";
import { useMay } from "../../api/session";
import { isNear, isReached, shareOf, type Usage } from "../../api/usage";
import { Button } from "../../components/button";
import { Actions, Dialog } from "../../components/dialog";
import { Field } from "../../components/field";
import { Form } from "../../components/form";
import { Progress } from "../../components/progress";
import { Section } from "../../components/page";
import { formatCost } from "../../costs";
import { useTexts } from "../../i18n";
import styles from "./usage.module.css";

/** The credits of the month: what is used, and what will be at this pace. */
export function Credits({ usage }: { usage: Usage }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const { credits, reservedCredits, creditLimit } = usage;
  const share = shareOf(credits + reservedCredits, creditLimit);
  const cost = formatCost(credits, usage.plan.creditPrice, locale);
  const limit = creditLimit === null ? null : number.format(creditLimit);
  return (
    <Section title={t("usage.credits")}>
      <p className={styles.figure}>
        <strong>{number.format(credits)}</strong>{" "}
        <span>{limit === null ? t("usage.unlimitedCredits") : t("usage.ofCredits", { limit })}</span>
      </p>
      {cost && <p className={styles.detail}>{t("usage.cost", { amount: cost })}</p>}
      {share !== null && (
        <div className={isReached(share) ? styles.full : isNear(share) ? styles.near : undefined}>
          <Progress label={t("usage.credits")} share={share} />
        </div>
      )}
      <Forecast usage={usage} />
      <Limit usage={usage} />
      <AtLimit usage={usage} />
    </Section>
  );
}

function Forecast({ usage }: { usage: Usage }) {
  const { t, locale } = useTexts();
  const { forecast, reachesLimitAt, creditLimit, endsAt, reservedCredits, ownCreditLimit } = usage;
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const cost = formatCost(forecast ?? 0, usage.plan.creditPrice, locale);
  const isPresent = Date.parse(endsAt) > Date.now();
  const facts = [
    isPresent && reservedCredits > 0 && t("usage.reserved", { number: number.format(reservedCredits) }),
    isPresent && creditLimit !== null && t("usage.renewed", { when: day.format(new Date(endsAt)) }),
    ownCreditLimit && t("usage.ownLimit"),
  ].filter((fact) => fact !== false);
  return (
    <div className={styles.texts}>
      {forecast !== null && (
        <p>
          {creditLimit === null
            ? t("usage.forecast", { number: number.format(forecast) })
            : t("usage.forecastOf", { number: number.format(forecast), limit: number.format(creditLimit) })}{" "}
          {cost && `${t("usage.cost", { amount: cost })} `}
          <span className={styles.detail}>{t("usage.straightLine")}</span>
        </p>
      )}
      {reachesLimitAt && <p className={styles.warning}>{t("usage.reachesLimit", { when: day.format(new Date(reachesLimitAt)) })}</p>}
      {facts.map((fact) => (
        <p key={fact} className={styles.detail}>
          {fact}
        </p>
      ))}
    </div>
  );
}

/** Who sets how many credits the company has, and doing so: an owner, where it is the only company of its server. */
function Limit({ usage }: { usage: Usage }) {
  const { t } = useTexts();
  const { data: account } = useAccount();
  const mayChange = useMay("accounts:write");
  const [isOpen, setOpen] = useState(false);
  if (!account) return null;
  const isOperators = account.plans.length === 0;
  if (isOperators || !mayChange) return <p className={styles.detail}>{t(isOperators ? "usage.limitByOperator" : "usage.limitByOwner")}</p>;
  return (
    <div>
      <Button onPress={() => setOpen(true)}>{t(usage.creditLimit === null ? "usage.setLimit" : "usage.changeLimit")}</Button>
      <Dialog title={t("usage.limitTitle")} isOpen={isOpen} onClose={() => setOpen(false)}>
        <LimitForm usage={usage} onClose={() => setOpen(false)} />
      </Dialog>
    </div>
  );
}

/** What was typed as a number of credits: null for those of the plan. The server refuses what is no whole number. */
function readCredits(typed: string): number | string | null {
  const digits = typed.replace(/\s/g, "");
  if (digits === "") return null;
  return /^-?\d+$/.test(digits) ? Number(digits) : typed;
}

function LimitForm({ usage, onClose }: { usage: Usage; onClose: () => void }) {
  const { t, locale } = useTexts();
  const client = useQueryClient();
  const ofPlan = usage.plan.creditsPerMonth;
  const number = new Intl.NumberFormat(locale);
  const save = async ({ credits = "" }: Record<string, string>) => {
    await changeCredits(readCredits(credits));
    onClose();
    await Promise.all([["usage"], ["account"]].map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return (
    <Form onSubmit={save}>
      {(isPending) => (
        <>
          <Field
            name="credits"
            label={t("usage.plan.credits")}
            hint={ofPlan === null ? t("usage.limitHintNone") : t("usage.limitHint", { number: number.format(ofPlan) })}
            defaultValue={usage.ownCreditLimit && usage.creditLimit !== null ? String(usage.creditLimit) : ""}
            inputMode="numeric"
            autoFocus
          />
          <Actions>
            <Button onPress={onClose}>{t("dialog.cancel")}</Button>
            <Button type="submit" kind="primary" isPending={isPending}>
              {t("unsaved.save")}
            </Button>
          </Actions>
        </>
      )}
    </Form>
  );
}

/** What happens when the credits of the company, or of an agent, are used up. */
function AtLimit({ usage: { endsAt } }: { usage: Usage }) {
  const { t, locale } = useTexts();
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });
  const when = day.format(new Date(endsAt));
  return (
    <details>
      <summary>{t("usage.atLimit")}</summary>
      <ul className={styles.texts}>
        <li>{t("usage.atLimit.company", { when })}</li>
        <li>{t("usage.atLimit.agent")}</li>
        <li>{t("usage.atLimit.answers")}</li>
        <li>{t("usage.atLimit.voice")}</li>
        <li>{t("usage.atLimit.rest")}</li>
      </ul>
    </details>
  );
}
