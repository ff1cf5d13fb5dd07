import { isNear, isReached, shareOf, type Usage } from "../../api/usage";
import { Progress } from "../../components/progress";
import { Section } from "../../components/page";
import { useTexts } from "../../i18n";
import styles from "./usage.module.css";

/** The credits of the month: what is used, and what will be at this pace. */
export function Credits({ usage }: { usage: Usage }) {
  const { t, locale } = useTexts();
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const { credits, reservedCredits, creditLimit } = usage;
  const share = shareOf(credits + reservedCredits, creditLimit);
  const limit = creditLimit === null ? null : number.format(creditLimit);
  return (
    <Section title={t("usage.credits")}>
      <p className={styles.figure}>
        <strong>{number.format(credits)}</strong>{" "}
        <span>{limit === null ? t("usage.unlimitedCredits") : t("usage.ofCredits", { limit })}</span>
      </p>
      {share !== null && (
        <div className={isReached(share) ? styles.full : isNear(share) ? styles.near : undefined}>
          <Progress label={t("usage.credits")} share={share} />
        </div>
      )}
      <Forecast usage={usage} />
    </Section>
  );
}

function Forecast({ usage }: { usage: Usage }) {
  const { t, locale } = useTexts();
  const { forecast, reachesLimitAt, creditLimit, endsAt, reservedCredits, ownCreditLimit } = usage;
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
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
