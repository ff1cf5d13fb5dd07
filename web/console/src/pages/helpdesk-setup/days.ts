// The days of the week by the names that the server has for them.
import { days } from "../../api/helpdesk-setup";

const someMonday = Date.UTC(2024, 0, 1);
const dayLength = 86_400_000; // milliseconds

/** The name of a day, such as "mon", in a language. */
export function nameDay(day: string, locale: string): string {
  const index = days.findIndex((one) => one === day);
  if (index < 0) return day;
  return new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" }).format(new Date(someMonday + index * dayLength));
}
