import { useId } from "react";
import type { ModelUsage } from "../../api/usage";
import { formatCost, type CreditPrice } from "../../costs";
import { useTexts } from "../../i18n";
import { showName } from "../../names";
import styles from "./usage.module.css";

/** What was used by model, of those whose days are shown. */
export function Models({ models, price }: { models: readonly ModelUsage[]; price: CreditPrice }) {
  const { t, locale } = useTexts();
  const heading = useId();
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  if (models.length === 0) return null;
  return (
    <>
      <h3 id={heading}>{t("usage.byModel")}</h3>
      <table className={styles.table} aria-labelledby={heading}>
        <thead>
          <tr>
            <th scope="col">{t("usage.usedFor")}</th>
            <th scope="col" className={styles.number}>
              {t("usage.credits")}
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map((one) => (
            <tr key={`${one.kind} ${one.model ?? ""}`}>
              <th scope="row">
                <Subject of={one} />
              </th>
              <td className={styles.number}>
                {number.format(one.credits)}
                {price && <p className={styles.detail}>{formatCost(one.credits, price, locale)}</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** What credits were used for, and how often. */
function Subject({ of: { kind, model, charges } }: { of: ModelUsage }) {
  const { t } = useTexts();
  if (kind === "uncounted") {
    return (
      <>
        {t("usage.uncounted")}
        <p className={styles.detail}>{t("usage.uncountedText")}</p>
      </>
    );
  }
  return (
    <>
      {kind === "voice" ? t("usage.voice") : <bdi>{showName(model ?? "", t)}</bdi>}
      <p className={styles.detail}>{kind === "voice" ? t("usage.calls", { count: charges }) : t("usage.answers", { count: charges })}</p>
    </>
  );
}
