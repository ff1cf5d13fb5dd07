// When a team works in a week, out of its shifts.
import { days, type Shift } from "../../api/helpdesk-setup";

/** A part of a day, in minutes from its beginning. */
export interface Span {
  from: number;
  to: number;
}

export interface Week {
  zone: string;
  /** The parts of each day, from Monday, in their order. None overlaps another. */
  days: readonly (readonly Span[])[];
}

export const dayMinutes = 24 * 60;

/** The minute of a day that a time such as "09:30" is; undefined of what is none. */
export function minuteOf(time: string): number | undefined {
  const [, hour = "", minute = ""] = /^(\d\d):(\d\d)$/.exec(time) ?? [];
  const found = Number(hour) * 60 + Number(minute);
  return hour !== "" && Number(minute) < 60 && found <= dayMinutes ? found : undefined;
}

export const timeOf = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");

/** The week of each time zone that shifts are in, in the order of the shifts. A time that is half typed makes no part. */
export function weeksOf(shifts: readonly Shift[]): Week[] {
  const zones = new Map<string, Span[][]>();
  for (const { days: ofShift, from, to, zone } of shifts) {
    const [start, end] = [minuteOf(from), minuteOf(to)];
    if (start === undefined || end === undefined || start === dayMinutes) continue;
    const week = zones.get(zone) ?? days.map((): Span[] => []);
    zones.set(zone, week);
    for (const day of ofShift) addSpan(week, days.findIndex((one) => one === day), start, end);
  }
  return [...zones].map(([zone, week]) => ({ zone, days: week.map(joinSpans) }));
}

/** Adds a shift of a day. One whose end is not after its beginning goes on until then on the next day. */
function addSpan(week: Span[][], day: number, from: number, to: number): void {
  if (day < 0) return;
  if (to > from) return void week[day]!.push({ from, to });
  week[day]!.push({ from, to: dayMinutes });
  if (to > 0) week[(day + 1) % week.length]!.push({ from: 0, to });
}

function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}
