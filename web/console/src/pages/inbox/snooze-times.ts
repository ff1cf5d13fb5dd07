// Until when a conversation is put aside, by what people call it.

export const snoozeTimes = ["hour", "later", "tomorrow", "monday"] as const;
export type SnoozeTime = (typeof snoozeTimes)[number];

const morning = 9; // the hour at which a day begins
const laterHours = 3;
const monday = 1; // as getDay counts
const week = 7; // days

/** The moment of a name, in the time zone of the browser. */
export function momentOf(name: SnoozeTime, now = new Date()): Date {
  if (name === "hour" || name === "later") return new Date(now.getTime() + (name === "hour" ? 1 : laterHours) * 3_600_000);
  const days = name === "tomorrow" ? 1 : (monday - now.getDay() + week) % week || week;
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning);
}
