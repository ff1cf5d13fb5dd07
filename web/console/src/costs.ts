// What credits cost in money, where the plan of the company says so.
import type { components } from "./api/operator";

export type CreditPrice = components["schemas"]["Price"] | null;

/** What a number of credits costs; null where no price is set. Parts of a cent are shown below one unit of the currency. */
export function formatCost(credits: number, price: CreditPrice | undefined, locale: string): string | null {
  if (!price) return null;
  const amount = credits * price.amount;
  const maximumFractionDigits = amount < 1 ? 4 : 2;
  return new Intl.NumberFormat(locale, { style: "currency", currency: price.currency, maximumFractionDigits }).format(amount);
}
